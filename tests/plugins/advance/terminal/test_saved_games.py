"""Files of unfinished games: what is written is read again, and what is wrong is named."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tiltyard_advance.board_files import rows_of
from tiltyard_advance.positions import START
from tiltyard_advance.rules import Board
from tiltyard_advance.terminal.move_words import words_of
from tiltyard_advance.terminal.saved_games import SavedGame, read_game
from tiltyard_engine.errors import UserError


def some_game() -> SavedGame:
    """With a wall and a Builder's step in it."""
    game, board = SavedGame(("me", "advance-level-7"), seed=9), Board(START)
    for ply, words in enumerate(["a8 a7 b", "a2 a3", "i8 i7", "a3 a4 b", "g8 g7"]):
        (move,) = (move for move in board.legal_moves(ply % 2) if words_of(move) == words)
        board.make(move)
        game.moves.append(move)
    return game


def test_written_and_read_again(tmp_path: Path) -> None:
    path, game = tmp_path / "game.json", some_game()
    game.write(path)
    assert read_game(path) == game
    assert [path.name for path in tmp_path.iterdir()] == ["game.json"]
    assert game.board().text() == read_game(path).board().text()


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"format": "x"}, 'expected an object with "format"'),
        ({"version": 2}, "the version is 2, but this tiltyard reads version 1"),
        ({"moves": "c8 c7"}, "\"moves\" is 'c8 c7', expected list"),
        ({"seed": True}, '"seed" is True, expected int'),
        ({"white": None}, '"white" is None, expected str'),
        ({"start": ["?" * 9] * 9}, '"start": line 1, column 1: bad character'),
        ({"start": rows_of(START.replace("G", "."))}, "expected one white General"),
        ({"moves": ["c8 c7", "c8 c7"]}, "move 2 is 'c8 c7', which is not a legal move there"),
        ({"moves": ["a8 a7 b", 7]}, "move 2 is 7"),
        ({"moves": ["c8 c7"], "plies": 0}, "move 1"),
    ],
)
def test_what_is_wrong_is_named(tmp_path: Path, change: dict[str, Any], message: str) -> None:
    path = tmp_path / "game.json"
    some_game().write(path)
    path.write_text(json.dumps(json.loads(path.read_text()) | change))
    with pytest.raises(UserError, match=r"game\.json: ") as caught:
        read_game(path)
    assert message in str(caught.value)


def test_no_such_place(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="cannot be written"):
        some_game().write(tmp_path / "missing" / "game.json")
