from __future__ import annotations

from pathlib import Path

import pytest
from tests.engine.making import team_source
from typer.testing import CliRunner

from tiltyard_engine.errors import UserError
from tiltyard_tanks.tanks_game import main as tanks_game
from tiltyard_viewer.command.watch import app

MAP = "Duel\nMaxSteps = 12\nNumShells = 4\nRows = 4\nCols = 9\n#########\n1       2\n# # @ # #\n#########\n"


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "duel.txt").write_text(MAP)
    assert tanks_game(["duel.txt"]) == 0
    return tmp_path


def test_an_output_file_is_rebuilt(folder: Path) -> None:
    done = CliRunner().invoke(app, ["--map", "duel.txt", "output_duel.txt"])
    assert done.exit_code == 0
    assert (folder / "output_duel.txt").read_text().splitlines()[-1] in done.stdout
    assert "██" in done.stdout or "##" in done.stdout


def test_every_round(folder: Path) -> None:
    rounds = len((folder / "output_duel.txt").read_text().splitlines()) - 1
    done = CliRunner().invoke(app, ["output_duel.txt", "--map", "duel.txt", "--every-round", "--ascii"])
    assert done.stdout.isascii()
    assert [f"round {number}" in done.stdout for number in range(1, rounds + 1)] == [True] * rounds


def test_the_first_bad_line_is_named(folder: Path) -> None:
    lines = (folder / "output_duel.txt").read_text().splitlines()
    lines[2] = "Shoot (ignored), Nonsense"
    (folder / "damaged.txt").write_text("\n".join(lines))
    done = CliRunner().invoke(app, ["damaged.txt", "--map", "duel.txt"])
    assert done.exit_code == 1
    assert "error: damaged.txt, line 3: " in done.stderr


def test_a_match_is_played(folder: Path) -> None:
    done = CliRunner().invoke(app, ["acorn", "bramble", "--map", "back-yard"])
    assert done.exit_code == 0
    assert "acorn" in done.stdout
    assert "bramble" in done.stdout


def test_the_game_follows_from_what_is_named(folder: Path) -> None:
    done = CliRunner().invoke(app, ["heat", "nearest", "--map", "map00", "--no-color"])
    assert done.exit_code == 0, done.output
    assert "heat" in done.stdout
    assert "nearest" in done.stdout
    # The board of filler's map00, which is 15 by 17 squares.
    assert "cells" in done.stdout


def test_faults_are_reported_after_the_match(folder: Path) -> None:
    (folder / "bad.py").write_text(team_source("bad", action="raise ValueError('broken')"))
    done = CliRunner().invoke(app, ["bad.py", "bramble", "--map", "back-yard"])
    assert "fault of bad: crash: get_action raised ValueError: broken" in done.stderr


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["missing.txt", "--map", "duel.txt"], "missing.txt: cannot be read"),
        (["output_duel.txt", "--map", "nomap"], "no map is called 'nomap'"),
        (["output_duel.txt", "--map", "duel.txt", "--manager", "referense"], "did you mean reference"),
        (["acorn", "nobody", "--map", "back-yard"], "no algorithm is called 'nobody'"),
        (["acorn", "bramble"], "to play a match, give its map with --map: archipelago, back-yard, catacombs, "),
        (["acorn", "bramble", "--map", "back-yard", "--match", "1"], "--match 1: only works with one tournament file"),
        (
            ["output_duel.txt"],
            "output_duel.txt: isn't a replay file; to rebuild a match from an output file, give its map with --map",
        ),
        (["acorn", "--map", "back-yard"], "acorn: is one team, and a match needs one for each player: 'tiltyard watch acorn "),
        (
            ["a.py", "--map", "my map.txt"],
            "a.py: is one team, and a match needs one for each player: 'tiltyard watch a.py OTHER --map",
        ),
        (["a.py"], "a.py: is one team, and a match needs one for each player: 'tiltyard watch a.py OTHER --map MAP'"),
        (["bots"], "bots: is one team"),
        (["https://example.org/final.jsonl"], "https:/example.org/final.jsonl: is an address, expected a file or folder"),
        (["acorn", "git@example.org:cs/bot.git", "--map", "back-yard"], "git@example.org:cs/bot.git: is an address, expected"),
        (["acorn", "bramble", "--map", "https://example.org/m.txt"], "https://example.org/m.txt: is an address, expected"),
        (["acorn"] * 10 + ["--map", "back-yard"], "tanks is for 2 to 9 players, got 10; name"),
    ],
)
def test_mistakes(folder: Path, words: list[str], message: str) -> None:
    (folder / "a.py").write_text("not even Python")
    (folder / "bots").mkdir()
    done = CliRunner().invoke(app, words)
    assert isinstance(done.exception, UserError)
    assert message in str(done.exception)
