from __future__ import annotations

import os
import re
import shutil
import sys
from contextlib import chdir
from pathlib import Path

import pytest
from tests.conftest import DUEL, RunCommand, map_text
from tests.terminal_session import TerminalSession
from typer.testing import CliRunner

from tiltyard_checks.command.debug import app as debug
from tiltyard_contest.decide import rerun_app as rerun
from tiltyard_engine.errors import UserError
from tiltyard_matchups.commands.round_robin import app as round_robin
from tiltyard_simulator.guard.confinement.probes import probe_confinement
from tiltyard_simulator.guard.policy import Level
from tiltyard_simulator.match.code_digest import code_digest

RUNNER = CliRunner()

FRAGILE = """
import os
from tiltyard_engine import *


class Tank(TankAlgorithm):
    def __init__(self, player_index, tank_index):
        self.rounds = 0

    def get_action(self):
        self.rounds += 1
        print("round", self.rounds)
        if self.rounds == 3:
            secret = 6 * 7
            raise ValueError("fragile")
        return ActionRequest.DO_NOTHING

    def update_battle_info(self, info):
        pass


class Commander(Player):
    def update_tank_with_battle_info(self, tank, satellite_view):
        pass


@hookimpl
def algorithms():
    yield TankTeam("fragile", Commander, Tank)
"""


@pytest.fixture(scope="module")
def cup(tmp_path_factory: pytest.TempPathFactory, programs: Path) -> Path:
    """The folder ``here`` in which a round robin was played once, and beside it a copy as it was then."""
    here = tmp_path_factory.mktemp("rerun") / "here"
    here.mkdir()
    (here / "duel.txt").write_text(map_text(DUEL, 20, 5))
    (here / "fragile.py").write_text(FRAGILE)
    shutil.copy(programs / "teams" / "sound.py", here)
    words = ["fragile.py", "sound.py:idler", "--maps", "duel.txt", "-o", "cup", "-w", "1", "--keep-output"]
    with chdir(here):
        done = RUNNER.invoke(round_robin, words)
    assert done.exit_code == 0
    assert "faults: cup/faults: 2 matches; 'tiltyard debug --whole-match' plays one again" in done.stderr
    shutil.copytree(here, here.with_name("as it was"))
    return here


@pytest.fixture
def tmp_path(cup: Path) -> Path:
    """Where the round robin was played, as if it had only just been."""
    shutil.rmtree(cup)
    shutil.copytree(cup.with_name("as it was"), cup)
    code_digest.cache_clear()  # as in another process
    return cup


@pytest.fixture
def played(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder of results with faults in it."""
    monkeypatch.chdir(tmp_path)
    return tmp_path / "cup"


def test_what_a_run_leaves(played: Path) -> None:
    assert sorted(path.name for path in (played / "faults").iterdir()) == ["0001_duel_fragile_idler", "0002_duel_idler_fragile"]
    first = {path.name for path in (played / "faults" / "0001_duel_fragile_idler").iterdir()}
    assert first == {"match.json", "fault.txt", "seat1.txt", "seat1.conversation", "README.txt"}
    outputs = {path.name: path.read_text() for path in (played / "output").iterdir()}
    assert outputs == dict.fromkeys(
        ("0001_duel_fragile_idler_player1.txt", "0002_duel_idler_fragile_player2.txt"), "round 1\nround 2\nround 3\n"
    )


def without_memory(text: str) -> str:
    """What was printed, without the memory that was measured: it may differ by a MiB from one game to the next."""
    return re.sub(r"at most \d+ MiB of memory", "", text)


def test_played_again_the_same_fault_comes(played: Path) -> None:
    words = [str(played / "faults" / "0002_duel_idler_fragile"), "--show-output"]
    done = RUNNER.invoke(debug, [*words, "--whole-match"])
    assert (done.exit_code, done.stderr) == (0, "")
    assert "fragile, player 2, round 3: crash\nget_action raised ValueError: fragile\n" in done.stdout
    assert "player 2, fragile, printed:\n  | round 1\n  | round 2\n  | round 3\n" in done.stdout
    assert done.stdout.endswith("\nthe same fault as in the match\n")
    before = RUNNER.invoke(rerun, words)
    assert (before.exit_code, without_memory(before.stdout)) == (0, without_memory(done.stdout))
    assert before.stderr == "note: rerun is an old command; instead, use 'tiltyard debug FOLDER --whole-match'\n"


def test_a_mended_team(played: Path, tmp_path: Path, run_command: RunCommand) -> None:
    folder = "cup/faults/0001_duel_fragile_idler"
    (tmp_path / "fragile.py").write_text(FRAGILE.replace("== 3", "== 300"))
    done = run_command("tiltyard", "debug", folder, "--whole-match")
    assert done.returncode == 1
    assert done.stdout.startswith("note: the code of fragile has changed since the match\nno fault: Tie")
    assert "different from the match: Player 2 won" in done.stdout
    done = run_command("tiltyard", "debug", folder)
    assert done.returncode == 1
    assert "the code did not fail here" in done.stdout


def test_other_code_is_asked_and_nobody_elses_is_needed(played: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = str(played / "faults" / "0001_duel_fragile_idler")
    monkeypatch.setenv("TILTYARD_TRUST", str(tmp_path))
    (tmp_path / "sound.py").unlink()
    (tmp_path / "fragile.py").rename(tmp_path / "mine.py")
    with pytest.raises(UserError, match=r"'fragile' came from .*fragile\.py, which no longer exists"):
        RUNNER.invoke(debug, [folder], catch_exceptions=False)
    done = RUNNER.invoke(debug, [folder, "--code", "mine.py", "--unconfined"])
    assert done.exit_code == 0, done.output
    assert done.stdout.startswith("fragile, player 1: 5 recorded questions, asked to the code in mine.py\nround 1\n")
    assert "the same failure as in the match" in done.stdout
    # Of code that isn't there or can't be loaded, what it says is why.
    with pytest.raises(UserError, match=r"nowhere\.py: no such file"):
        RUNNER.invoke(debug, [folder, "--code", "nowhere.py"], catch_exceptions=False)
    (tmp_path / "broken.py").write_text("def")
    done = RUNNER.invoke(debug, [folder, "--code", "broken.py"])
    assert "FAILED   found" in done.stdout
    assert "--code broken.py: can't be used" in str(done.exception)
    done = RUNNER.invoke(debug, [folder, "--code", "/bin/true"])
    assert "is an external program" in str(done.exception)


def test_asked_again_in_a_sandbox(played: Path, run_command: RunCommand) -> None:
    done = run_command("tiltyard", "debug", "cup/faults/0002_duel_idler_fragile")
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.startswith(
        "fragile, player 2: 5 recorded questions\nround 1\nround 2\n"
        "question 5 (get_action of tank 0) is the last one; "
        "in the match the team failed: crash: get_action raised ValueError: fragile\n"
        "round 3\n5 of 5 questions asked\nall answers are the same as in the match\n"
        "the same failure as in the match\n\n  | Traceback"
    )


def test_a_debugger_where_it_fails(played: Path) -> None:
    words = [str(played / "faults" / "0001_duel_fragile_idler"), "--unconfined", "--pdb"]
    done = RUNNER.invoke(debug, words, input="p secret\nq\n", env={"TILTYARD_TRUST": str(played.parent / "fragile.py")})
    assert done.exit_code == 0
    assert '-> raise ValueError("fragile")' in done.stdout
    assert "(Pdb) 42\n" in done.stdout


SPY = """
import os, sys
from pathlib import Path
print(f"\\x1b]0;title\\x07in process {os.getpid()}")
for path in (OUTSIDE, SECRET):
    try:
        print("reached", len(Path(path).read_text()) if path == SECRET else Path(path).write_text("x"))
    except OSError as error:
        print("refused", path)
"""


def test_a_strangers_code_stays_in_its_sandbox(played: Path, tmp_path: Path) -> None:
    if probe_confinement().level is Level.C:
        pytest.skip("this machine cannot confine code")
    outside, secret = tmp_path / "outside.txt", tmp_path / "secret.txt"
    secret.write_text("secret")
    spy = SPY.replace("OUTSIDE", repr(str(outside))).replace("SECRET", repr(str(secret)))
    (tmp_path / "fragile.py").write_text(spy + FRAGILE)
    done = RUNNER.invoke(debug, [str(played / "faults" / "0001_duel_fragile_idler")])
    assert done.exit_code == 0, done.output
    assert f"refused {outside}\nrefused {secret}\n" in done.stdout
    assert "reached" not in done.stdout
    assert f"in process {os.getpid()}" not in done.stdout
    assert "\x1b" not in done.stdout
    assert "\x07" not in done.stdout
    assert not outside.exists()


def test_only_what_the_user_trusts_runs_unconfined(
    played: Path, tmp_path: Path, run_command: RunCommand, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = str(played / "faults" / "0001_duel_fragile_idler")
    (tmp_path / "fragile.py").write_text(f"open({str(tmp_path / 'outside.txt')!r}, 'w').close()\n{FRAGILE}")
    with pytest.raises(UserError, match="--pdb needs --unconfined"):
        RUNNER.invoke(debug, [folder, "--pdb"], catch_exceptions=False)
    words = r"would run the code of fragile .* without a sandbox. If you trust it, set TILTYARD_TRUST=.*fragile\.py"
    with pytest.raises(UserError, match=words):
        RUNNER.invoke(debug, [folder, "--unconfined"], catch_exceptions=False)
    assert not (tmp_path / "outside.txt").exists()
    # In a process that hasn't imported the file before.
    done = run_command("tiltyard", "debug", folder, "--unconfined", "--trust", "fragile.py")
    assert done.returncode == 0, done.stderr
    assert (tmp_path / "outside.txt").exists()


@pytest.mark.parametrize(("answer", "status"), [("n", 1), ("y", 0)])
def test_on_a_terminal_it_asks(played: Path, tmp_path: Path, answer: str, status: int) -> None:
    command = [str(Path(sys.executable).with_name("tiltyard")), "debug", "cup/faults/0001_duel_fragile_idler", "--unconfined"]
    with TerminalSession(command, tmp_path, os.environ, size=(24, 400)) as session:
        session.expect("It can read and change all your files.")
        session.type(answer)
        assert session.end() == status


def test_a_team_that_was_held_inline(played: Path, tmp_path: Path) -> None:
    words = ["fragile.py", "sound.py:idler", "--maps", "duel.txt", "-o", "cup2", "-w", "1", "--isolation", "inline"]
    assert RUNNER.invoke(round_robin, words).exit_code == 0
    folder = str(tmp_path / "cup2" / "faults" / "0001_duel_fragile_idler")
    assert not (Path(folder) / "seat1.conversation").exists()
    with pytest.raises(UserError, match=r"'fragile' ran in-process in this match; .* use --trust"):
        RUNNER.invoke(debug, [folder, "--whole-match"], catch_exceptions=False)
    trusting = ["--trust", str(tmp_path / "fragile.py"), "--trust", str(tmp_path / "sound.py")]
    assert RUNNER.invoke(debug, [folder, "--whole-match", *trusting]).exit_code == 0
    done = RUNNER.invoke(debug, [folder], env={"TILTYARD_TRUST": str(tmp_path)})
    assert done.exit_code == 0
    assert done.stdout.startswith("nothing was recorded because the team ran in-process; the match was played again to record it\n")


def test_a_record_of_another_team(played: Path) -> None:
    folder = played / "faults" / "0001_duel_fragile_idler"
    text = (folder / "match.json").read_text()
    (folder / "match.json").write_text(text.replace('"name": "fragile",\n        "game"', '"name": "other",\n        "game"'))
    with pytest.raises(UserError, match=r"player 1 can't be used: it belongs to a different team than match\.json"):
        RUNNER.invoke(debug, [str(folder)], catch_exceptions=False)


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (
            ["cup/faults/0001_duel_fragile_idler", "--seat", "2"],
            r"player 2 did not fail in this.*player 1 \(fragile\) failed",
        ),
        (["cup"], "cup: isn't a fault folder"),
        (["cup", "--whole-match"], "cup: isn't a fault folder"),
        (["cup/faults/0001_duel_fragile_idler", "--whole-match", "--seat", "1"], "leave --seat, --code and --pdb out"),
    ],
)
def test_mistakes(played: Path, words: list[str], message: str) -> None:
    with pytest.raises(UserError, match=message):
        RUNNER.invoke(debug, words, catch_exceptions=False)


def test_a_managers_fault(played: Path, tmp_path: Path, programs: Path) -> None:
    shutil.copy(programs / "managers" / "faulty.py", tmp_path / "managers.py")
    words = ["sound.py:idler", "sound.py:shooter", "--maps", "duel.txt", "-o", "cup3", "-w", "1", "-m", "managers.py:late-crash"]
    assert RUNNER.invoke(round_robin, words).exit_code == 1
    folder = str(tmp_path / "cup3" / "faults" / "0001_duel_idler_shooter")
    done = RUNNER.invoke(debug, [folder, "--whole-match"])
    assert done.exit_code == 0
    assert "GameManager late-crash: crash" in done.stdout
    with pytest.raises(UserError, match="the GameManager failed, not a team; add --whole-match"):
        RUNNER.invoke(debug, [folder], catch_exceptions=False)
