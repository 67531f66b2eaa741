"""``tiltyard check-game``: a line for each property, and what to do about those that failed."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest
from tests.conftest import RunCommand
from typer.testing import CliRunner

from tiltyard_engine.errors import UserError
from tiltyard_kit_commands.check_game import app

RUNNER = CliRunner()
QUICK = ["--property", "plays", "--property", "result", "--property", "theme"]


@pytest.fixture
def folder(tmp_path: Path, programs: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    shutil.copy(programs / "games" / "nim.py", tmp_path)
    return tmp_path


def test_a_sound_game(folder: Path, run_command: RunCommand) -> None:
    done = run_command("tiltyard", "check-game", "nim", "--trust", "nim.py")
    assert (done.returncode, done.stderr) == (0, "")
    lines = done.stdout.splitlines()
    assert lines[0] == "passed         maps                 1 shipped map read, 60 damaged ones"
    assert lines[1].startswith("not applicable generated maps       the game generates no maps: ")
    assert lines[-2] == ""
    assert lines[-1].startswith("nim: passed (")
    assert [path.name for path in folder.iterdir() if path.name != "__pycache__"] == ["nim.py"]


def test_a_property_that_fails(folder: Path) -> None:
    path = folder / "nim.py"
    path.write_text(path.read_text().replace('turn, ("0",))', 'turn, ("0",), ranks=(1,))'))
    done = RUNNER.invoke(app, ["nim.py", "--trust", "nim.py", "--property", "result"])
    assert done.exit_code == 1
    assert done.stdout.splitlines() == [
        "FAILED         result               ranks is (1,), expected one place a seat, or none",
        "         in nim.py, line 89",
        "         -> see 'python -m pydoc tiltyard_engine.GameResult'",
        "",
        "nim: FAILED: result (0 of 1 properties passed)",
    ]
    both = RUNNER.invoke(app, ["nim.py", "--trust", "nim.py", *QUICK])
    assert both.exit_code == 1
    assert both.stdout.splitlines()[-1] == "nim: FAILED: result; not shown: plays, theme (0 of 3 properties passed)"
    told = json.loads(RUNNER.invoke(app, ["nim.py", "--trust", "nim.py", *QUICK, "--json"]).stdout)
    assert (told["game"], told["manager"], told["map"], told["players"], told["passed"]) == (
        "nim",
        "nim-referee",
        "ten",
        ["perfect", "perfect"],
        False,
    )
    assert {one["property"]: one["mark"] for one in told["properties"]} == {
        "plays": "not shown",
        "result": "FAILED",
        "theme": "not shown",
    }
    assert told["properties"][1]["where"] == "nim.py, line 89"


def test_map_players_and_manager(folder: Path) -> None:
    (folder / "five.txt").write_text("5")
    words = ["nim", "--trust", "nim.py", "--map", "five.txt", "--player", "perfect", "--player", "nim.py:perfect"]
    done = RUNNER.invoke(app, [*words, "--manager", "nim-referee", "--property", "plays"])
    assert done.stdout.startswith(
        "passed         plays                perfect against perfect on five: 3 rounds, 3 questions; 2 more with other seeds\n"
    )
    installed = RUNNER.invoke(app, ["tanks", "--map", "back-yard", "--player", "acorn", "--player", "bramble", *QUICK])
    assert "acorn against bramble on back-yard: " in installed.stdout
    assert installed.exit_code == 0


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["nim.py"], "a game's code runs in the runner's own process; if you trust it, use --trust "),
        (["nims", "--trust", "nim.py"], "no game is called 'nims'; did you mean nim?"),
        (["nowhere.py"], "nowhere.py: no such file or folder"),
        (["nim", "--trust", "nim.py", "--player", "imperfect"], "no algorithm is called 'imperfect'; did you mean perfect?"),
        (["nim", "--trust", "nim.py", "--map", "eleven"], "no map is called 'eleven'; known: ten"),
        (["nim", "--trust", "nim.py", "--manager", "nobody"], "no GameManager is called 'nobody'; known: nim-referee"),
        (["nim", "--trust", "nim.py", "--property", "beauty"], "no property is called 'beauty'; known: maps, generated maps, "),
    ],
)
def test_what_is_not_there(folder: Path, words: list[str], message: str) -> None:
    done = RUNNER.invoke(app, words)
    assert isinstance(done.exception, UserError)
    assert message in str(done.exception)


def test_what_is_not_shown_has_a_word_and_a_status_of_its_own(folder: Path) -> None:
    (folder / "one.txt").write_text("1")
    words = ["nim.py", "--trust", "nim.py", "--map", "one.txt", "--property", "failing seats"]
    done = RUNNER.invoke(app, words)
    assert done.exit_code == 3
    detail = "3 crashes, each charged to its seat; but player 2 never crashed in its first turn: it was not asked"
    assert done.stdout.splitlines() == [
        f"not shown      failing seats        {detail}",
        (
            "         -> run() of the GameManager must call start() and choose() of each seat,"
            " or name a map on which all are asked: --map"
        ),
        "",
        "nim: not shown: failing seats (0 of 1 properties passed)",
    ]
    told = json.loads(RUNNER.invoke(app, [*words, "--json"]).stdout)
    assert (told["passed"], told["properties"][0]["mark"]) == (False, "not shown")
