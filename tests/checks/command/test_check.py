from __future__ import annotations

import json
import re
import shutil
from pathlib import Path

import pytest
from tests.checks.command.test_old_verify import CHANCY
from tests.conftest import RunCommand, WriteMap
from typer.testing import CliRunner

from tiltyard_checks.command.check import app
from tiltyard_checks.command.debug import app as debug
from tiltyard_checks.team.advice import ENDED_PROGRAM
from tiltyard_checks.team.opening import EARLY_ANSWERS
from tiltyard_engine.errors import UserError
from tiltyard_simulator.guard.confinement.probes import probe_confinement
from tiltyard_simulator.guard.policy import Level

RUNNER = CliRunner()


@pytest.fixture
def folder(tmp_path: Path, write_map: WriteMap, programs: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    write_map("duel.txt")
    for name in ("sound.py", "faulty.py"):
        shutil.copy(programs / "teams" / name, tmp_path)
    return tmp_path


def test_a_sound_team(folder: Path, run_command: RunCommand) -> None:
    done = run_command("tiltyard", "check", "sound.py:idler", "--map", "duel.txt")
    assert (done.returncode, done.stderr) == (0, "")
    lines = done.stdout.splitlines()
    assert lines[0].startswith("ok       found          'idler' for tanks, from ")
    steps = "found loads tanks answers limits deterministic BattleInfo acorn bramble coyote dragoon start-up time match memory"
    assert " ".join(line.split()[1] for line in lines[:-2]) == steps
    assert lines[-2:] == ["", "sound.py:idler: passed"]


def test_a_step_that_fails(folder: Path) -> None:
    done = RUNNER.invoke(app, ["faulty.py:crasher", "--map", "duel.txt", "--against", "acorn", "--keep", "kept"])
    assert done.exit_code == 1
    assert "FAILED   answers        crash (round 3): get_action raised ValueError: two lines: this is the second\n" in done.stdout
    assert "         | Traceback (most recent call last):\n" in done.stdout
    assert "         -> the last frame above is where the team's code failed\n" in done.stdout
    assert "skipped  acorn          skipped because an earlier step failed\n" in done.stdout
    assert done.stdout.endswith("\nfaulty.py:crasher: FAILED: answers\n")
    kept = "kept/0001_duel_crasher_crasher"
    assert f"         saved in {kept}; next: tiltyard debug {kept}\n" in done.stdout
    assert "the same failure as in the match" in RUNNER.invoke(debug, [kept]).stdout


@pytest.mark.usefixtures("inline")
def test_a_team_that_plays_by_chance_is_drawn_where_its_runs_part(folder: Path) -> None:
    (folder / "chancy.py").write_text(CHANCY)
    words = ["chancy.py", "--map", "duel.txt", "--against", "acorn"]
    once, often = RUNNER.invoke(app, words), RUNNER.invoke(app, [*words, "--times", "5"])
    assert once.exit_code == often.exit_code == 1
    assert "FAILED   deterministic  the same match played again differs from round " in often.stdout
    assert "FAILED   acorn          as player 1: the same match played again differs from round " in often.stdout
    drawn = "\n\ndeterministic:\nrun 1 and run [2-5] first differ in round .*\n\nacorn:\nrun 1 and"
    assert re.search(drawn, often.stdout, re.DOTALL)
    assert "run 1 and" not in once.stdout
    assert RUNNER.invoke(app, ["chancy.py", "--times", "1"]).exit_code == 2


def test_what_it_printed(folder: Path) -> None:
    text = (folder / "faulty.py").read_text()
    loud = 'print(*range(60), sep="\\n")\n        print("\\x1b[2J")\n        raise ValueError'
    (folder / "faulty.py").write_text(text.replace("raise ValueError", loud))
    words = ["faulty.py:crasher", "--map", "duel.txt", "--against", "acorn"]
    done = RUNNER.invoke(app, words)
    assert "it printed:\n         | ... 21 lines before (--show-output shows them)\n         | 21\n" in done.stdout
    assert "         | 59\n         | \\x1b[2J\n" in done.stdout
    assert "it printed:\n         | 0\n" in RUNNER.invoke(app, [*words, "--show-output"]).stdout


def test_for_programs(folder: Path) -> None:
    done = RUNNER.invoke(app, ["faulty.py:dier", "--map", "duel.txt", "--against", "acorn", "--json", "--keep", "kept"])
    assert done.exit_code == 1
    told = json.loads(done.stdout)
    assert (told["team"], told["map"], told["game"], told["manager"], told["passed"]) == (
        "faulty.py:dier",
        "duel",
        "tanks",
        "reference",
        False,
    )
    marks = {step["step"]: step["mark"] for step in told["steps"]}
    assert (marks["found"], marks["answers"], marks["acorn"]) == ("ok", "FAILED", "skipped")
    assert told["kept"] == ["kept/0001_duel_dier_dier"]


def test_answers_that_were_there_before_the_question(tmp_path: Path, programs: Path) -> None:
    (tmp_path / "bot").write_text("#!/bin/sh\nread p\nread n\nprintf '1\\n1\\n'\nwhile read n; do echo 1; done\n")
    (tmp_path / "bot").chmod(0o755)
    (tmp_path / "map").write_text("5")
    words = ["--trust", str(programs / "games" / "nim.py"), "--manager", "nim-referee", "--map", str(tmp_path / "map"), "--json"]
    steps = json.loads(RUNNER.invoke(app, [str(tmp_path / "bot"), *words]).stdout)["steps"]
    (step,) = [step for step in steps if step["step"] == "answers"]
    assert (step["mark"], step["advice"]) == ("warning", EARLY_ANSWERS)
    assert step["detail"].endswith("; an answer was there before its question")


def test_a_program_that_ends(tmp_path: Path) -> None:
    (tmp_path / "secret").touch()
    for name, before in (("nosy", f"cat {tmp_path}/secret"), ("short", "true")):
        folder = tmp_path / name
        folder.mkdir()
        (folder / "bot").write_text(f"#!/bin/sh\n{before}\nexit 9\n")
        (folder / "bot").chmod(0o755)
        (step,) = [
            step
            for step in json.loads(RUNNER.invoke(app, [str(folder / "bot"), "--manager", "advance", "--json"]).stdout)["steps"]
            if step["mark"] == "FAILED"
        ]
        assert "the program exited with code 9" in step["detail"]
        if probe_confinement().level is Level.C or name == "short":
            assert step["advice"] == ENDED_PROGRAM
        else:
            assert f"; denied by the sandbox, the latest first: {tmp_path}/secret (expected: " in step["detail"]
            assert "TILTYARD_READABLE" in step["advice"]


def test_a_warning(folder: Path) -> None:
    words = ["sound.py:idler", "--map", "duel.txt", "--against", "acorn", "--limit", "memory_bytes=34e6"]
    done = RUNNER.invoke(app, words)
    assert done.exit_code == 0
    assert "warning  memory" in done.stdout
    assert done.stdout.endswith("\nsound.py:idler: passed, 1 warning\n")


def test_a_team_that_cannot_be_imported(folder: Path, programs: Path) -> None:
    shutil.copy(programs / "broken" / "syntax_error.py", folder)
    done = RUNNER.invoke(app, ["syntax_error.py"])
    assert done.exit_code == 1
    assert done.stdout.startswith("FAILED   found          syntax_error.py: cannot be imported: SyntaxError")
    assert "         | SyntaxError: invalid syntax\n         -> fix the plugin, then check again\n" in done.stdout
    assert json.loads(RUNNER.invoke(app, ["syntax_error.py", "--json"]).stdout)["passed"] is False


@pytest.mark.parametrize(
    ("words", "message"),
    [(["nobody"], "no algorithm is called"), (["sound.py"], "contains several"), (["acorn", "--map", "x.txt"], "cannot be read")],
)
def test_mistakes(folder: Path, words: list[str], message: str) -> None:
    with pytest.raises(UserError, match=message):
        RUNNER.invoke(app, words, catch_exceptions=False)


def test_a_limit_that_an_import_meets_is_no_fault_of_the_plugin(folder: Path) -> None:
    (folder / "heavy.py").write_text("LARGE = bytearray(1 << 30)\n")
    shown = RUNNER.invoke(app, ["heavy.py"]).stdout
    assert "--limit memory_bytes=N allows more)" in shown
    assert "-> use less, or ask the organiser for a higher limit; 'tiltyard check' has the option --limit too\n" in shown


def test_a_program_that_is_not_executable(tmp_path: Path) -> None:
    (tmp_path / "program.toml").write_text('game = "filler"\ncommand = ["./bot"]\n')
    (tmp_path / "bot").write_text("#!/bin/sh\nexit 1\n")
    steps = json.loads(RUNNER.invoke(app, [str(tmp_path), "--json"]).stdout)["steps"]
    (failed,) = (step for step in steps if step["mark"] == "FAILED")
    assert failed["advice"] == f"the file isn't executable: run 'chmod +x {tmp_path / 'bot'}'"
    (tmp_path / "bot").chmod(0o755)
    assert "chmod" not in RUNNER.invoke(app, [str(tmp_path), "--json"]).stdout


def test_a_file_of_a_package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "turret").mkdir()
    (tmp_path / "turret" / "__init__.py").touch()
    (tmp_path / "turret" / "tank.py").write_text("from .player import BoardInfo\n")
    done = RUNNER.invoke(app, ["turret/tank.py"])
    assert done.exit_code == 1
    assert "-> this file is a part of a package: check its folder, turret\n" in done.stdout
