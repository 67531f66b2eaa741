"""Files of unfinished games: replaced at once, and checked when they are read."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tiltyard_engine.errors import UserError
from tiltyard_kit.terminal.saved_game import SavedGame, file_of_game, free_path, read_saved_game

MARK = ("format", "chess")
KINDS = {"seed": int}
GAME: dict[str, Any] = {"format": "chess", "moves": ["e2 e4"], "seed": 1}


def test_written_and_read_again(tmp_path: Path) -> None:
    path = tmp_path / "game.json"
    for content in ({**GAME, "seed": 2}, GAME):
        game = SavedGame(path, content)
        game.write()
        assert read_saved_game(path, MARK, KINDS) == game
    assert [each.name for each in tmp_path.iterdir()] == ["game.json"]


def test_what_cannot_be_written_leaves_nothing_behind(tmp_path: Path) -> None:
    (tmp_path / "game.json").mkdir()
    with pytest.raises(UserError, match=r"game\.json: cannot be written: .*; save the game to another file"):
        SavedGame(tmp_path / "game.json", GAME).write()
    assert [each.name for each in tmp_path.iterdir()] == ["game.json"]


@pytest.mark.parametrize(
    ("data", "message"),
    [
        ("{", "not a saved game: Expecting"),
        ("[" * 100_000, "not a saved game: "),
        ("[]", 'not a saved game: expected an object with "format": "chess"'),
        (json.dumps({**GAME, "format": "go"}), 'not a saved game: expected an object with "format": "chess"'),
        (json.dumps({**GAME, "moves": "e2 e4"}), "\"moves\" is 'e2 e4', expected list"),
        (json.dumps({**GAME, "seed": True}), '"seed" is True, expected int'),
        (json.dumps({**GAME, "name": "\ud800"}), "not a saved game: 'utf-8' codec can't encode"),
        ('{"format": "chess", "moves": [], "seed": ' + "[" * 600 + "]" * 600 + "}", ""),
        (json.dumps({"format": "chess", "seed": 1}), '"moves" is None, expected list'),
    ],
)
def test_what_is_no_saved_game_is_told(tmp_path: Path, data: str, message: str) -> None:
    path = tmp_path / "game.json"
    path.write_text(data)
    with pytest.raises(UserError) as caught:
        read_saved_game(path, MARK, KINDS)
    assert str(caught.value).startswith(f"{path}: {message}")


def test_a_missing_file_is_told(tmp_path: Path) -> None:
    with pytest.raises(UserError, match=r"none\.json: cannot be read: No such file"):
        read_saved_game(tmp_path / "none.json", MARK, KINDS)


def test_names_that_are_free(tmp_path: Path) -> None:
    assert free_path(tmp_path / "game.json").name == "game.json"
    (tmp_path / "game.json").touch()
    (tmp_path / "game-2.json").touch()
    assert free_path(tmp_path / "game.json").name == "game-3.json"


def test_a_game_that_begins_replaces_no_file(tmp_path: Path) -> None:
    usual, mine = tmp_path / "game.json", tmp_path / "mine.json"
    assert file_of_game(None, usual) == usual
    assert file_of_game(mine, usual) == mine
    for path in (usual, mine):
        path.write_text("{}")
    assert file_of_game(None, usual).name == "game-2.json"
    with pytest.raises(UserError, match=r"mine\.json: already exists; resume it with --resume, or choose another file$"):
        file_of_game(mine, usual)
