from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from tests.engine.making import team_source, write

from tiltyard_tanks.defaults import DEFAULT_TEAMS
from tiltyard_tanks.tanks_game import main

DUEL = "Duel\nMaxSteps = 60\nNumShells = 4\nRows = 3\nCols = 9\n#########\n1       2\n#########\n"


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "duel.txt").write_text(DUEL)
    return tmp_path


def team_file(folder: Path, name: str, action: str) -> Path:
    return write(folder / f"{name}.py", team_source(name, action=action))


def test_defaults_are_of_different_classes() -> None:
    first, second = DEFAULT_TEAMS
    assert first.player is not second.player
    assert first.tank is not second.tank


def test_plays_the_shipped_defaults_and_writes_the_output_file(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["duel.txt"]) == 0
    lines = (folder / "output_duel.txt").read_text().splitlines()
    assert all(len(line.split(", ")) == 2 for line in lines[:-1])
    assert lines[-1].startswith(("Player ", "Tie, "))
    assert capsys.readouterr().out == lines[-1] + "\n"
    assert not (folder / "input_errors.txt").exists()


def test_recovered_oddities_are_listed(folder: Path) -> None:
    (folder / "odd.txt").write_text(DUEL.replace("1       2", "1   x"))
    assert main(["odd.txt"]) == 0
    notes = (folder / "input_errors.txt").read_text()
    assert notes == (
        "odd.txt: line 7: line has 5 of 9 columns; filled with spaces\n"
        "odd.txt: line 7, column 5: unknown character 'x' read as a space\n"
    )
    assert (folder / "output_odd.txt").read_text() == "Player 1 won with 1 tanks still alive\n"


def test_own_algorithms_one_a_player(folder: Path) -> None:
    (folder / "three.txt").write_text(DUEL.replace("1       2", "1   3   2"))
    for name in ("a", "b", "c"):
        team_file(folder, name, "return ActionRequest.DO_NOTHING")
    assert main(["three.txt", "a.py", "b.py", "c.py"]) == 0
    lines = (folder / "output_three.txt").read_text().splitlines()
    assert lines[0] == "DoNothing, DoNothing, DoNothing"
    assert lines[-1] == ("Tie, reached max steps = 60, player 1 has 1 tanks, player 2 has 1 tanks, player 3 has 1 tanks")


def test_defaults_play_for_as_many_as_the_map_is_made_for(folder: Path) -> None:
    (folder / "four.txt").write_text(DUEL.replace("1       2", "1 3 2 4 6"))
    assert main(["four.txt"]) == 0
    assert len((folder / "output_four.txt").read_text().splitlines()[0].split(", ")) == 4


def test_a_failing_team_loses_with_its_traceback(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    team_file(folder, "bad", "raise ValueError('broken')")
    team_file(folder, "idle", "return ActionRequest.DO_NOTHING")
    assert main(["duel.txt", "bad.py", "idle.py"]) == 0
    assert (folder / "output_duel.txt").read_text() == "DoNothing (killed), DoNothing\nPlayer 2 won with 1 tanks still alive\n"
    error = capsys.readouterr().err
    assert "player 1 (bad) failed in round 1: get_action raised ValueError: broken" in error
    assert "bad.py" in error


def test_configuration_file_and_log(folder: Path) -> None:
    team_file(folder, "idle", "return ActionRequest.DO_NOTHING")
    team_file(folder, "gun", "return ActionRequest.SHOOT")
    (folder / "game.toml").write_text('rules = "no-zero-shells"\nalgorithms = ["idle.py", "gun.py"]\nlog = "game.log"\n')
    assert main(["duel.txt", "--config", "game.toml"]) == 0
    log = (folder / "game.log").read_text()
    assert "INFO player 2 is gun" in log
    assert log.splitlines()[-1].startswith("INFO after ")


def test_command_line_goes_before_the_configuration(folder: Path) -> None:
    (folder / "game.toml").write_text('log = "one.log"\n')
    assert main(["duel.txt", "--config", "game.toml", "--log", "other.log"]) == 0
    assert (folder / "other.log").exists()
    assert not (folder / "one.log").exists()


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["missing.txt"], "missing.txt: cannot be read: No such file or directory"),
        (["duel.txt", "acorn.py"], "1 players: expected 2 to 9"),
        (["duel.txt", "nobody", "nobody"], "no algorithm is called 'nobody'"),
        (["duel.txt", "--rules", "refrence"], "no dialect is called 'refrence'; did you mean reference?"),
        (["duel.txt", "--players", "12"], "12 players: expected 2 to 9"),
        (["duel.txt", "--config", "missing.toml"], "missing.toml: cannot be read"),
        (["duel.txt", "--config", "bad.toml"], "bad.toml: not valid TOML"),
        (["duel.txt", "--config", "key.toml"], "no key of key.toml is called 'rulez'; did you mean rules?"),
        (["duel.txt", "--config", "type.toml"], "type.toml: players must be a number, got 'two'"),
        (["duel.txt", "--config", "list.toml"], "list.toml: algorithms must be a list of strings"),
        (["header.txt"], "header.txt, line 3: expected 'NumShells = <number>', but the file ends after line 2"),
        (["duel.txt", "--log", "nowhere/game.log"], "nowhere/game.log: cannot be written"),
    ],
)
def test_mistakes_are_one_message(folder: Path, words: list[str], message: str, capsys: pytest.CaptureFixture[str]) -> None:
    (folder / "bad.toml").write_text("rules = \n")
    (folder / "key.toml").write_text("rulez = 'reference'\n")
    (folder / "type.toml").write_text("players = 'two'\n")
    (folder / "list.toml").write_text("algorithms = 'acorn'\n")
    (folder / "header.txt").write_text("Header\nMaxSteps = 3\n")
    assert main(words) == 2
    error = capsys.readouterr().err
    assert error.startswith("tanks_game: ")
    assert message in error
    assert not list(folder.glob("output_*"))


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="no device that is always full")
def test_a_full_disk_behind_standard_output_is_one_message(folder: Path) -> None:
    command = [sys.executable, "-m", "tiltyard_tanks.tanks_game", "duel.txt"]
    with Path("/dev/full").open("wb") as full:
        done = subprocess.run(command, stdout=full, stderr=subprocess.PIPE, text=True, check=False)
    message = "tanks_game: standard output cannot be written: No space left on device\n"
    assert (done.returncode, done.stderr) == (2, message)
