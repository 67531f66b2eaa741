"""Files of unfinished games: what is written is read again, and what is wrong is named."""

from __future__ import annotations

import io
import json
from pathlib import Path
from typing import Any

import pytest

from tiltyard_advance.board_files import rows_of
from tiltyard_advance.manager import AdvanceGameManager
from tiltyard_advance.map_files import AdvanceMap
from tiltyard_advance.positions import START
from tiltyard_advance.terminal.saved_games import new_game, read_game
from tiltyard_advance.terminal.table import AdvanceTable
from tiltyard_engine.errors import UserError
from tiltyard_engine.match import Match
from tiltyard_kit.terminal.console import Console
from tiltyard_kit.terminal.saved_game import SavedGame
from tiltyard_kit.terminal.table_game import TableGame


def some_game(path: Path) -> SavedGame:
    """With a wall and a Builder's step in it."""
    game = new_game(path, ("me", "advance-level-7"), START, seed=9)
    game.content["moves"] += ["a8 a7 b", "a2 a3", "i8 i7", "a3 a4 b", "g8 g7"]
    return game


def test_written_and_read_again(tmp_path: Path) -> None:
    path = tmp_path / "game.json"
    some_game(path).write()
    assert read_game(path).content == {**some_game(path).content, "start": rows_of(START)}
    assert [path.name for path in tmp_path.iterdir()] == ["game.json"]


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
        ({"moves": ["c8 c7"], "plies": 0}, "move 1 is 'c8 c7', which is not a legal move there"),
    ],
)
def test_what_is_wrong_is_named(tmp_path: Path, change: dict[str, Any], message: str) -> None:
    path = tmp_path / "game.json"
    some_game(path).write()
    path.write_text(json.dumps(json.loads(path.read_text()) | change))
    with pytest.raises(UserError, match=r"game\.json: ") as caught:
        read_game(path)
    assert message in str(caught.value)


@pytest.mark.parametrize(
    ("moves", "message"),
    [
        (["c8 c7", "c8 c7"], "move 2 is 'c8 c7', which is not a legal move there"),
        (["c8 c7", "c2"], "move 2 is 'c2', which is not a legal move there"),
        (["a8-a7"], "move 1 is 'a8-a7', which is not a legal move there"),
        (["a8 a7 b", 7], "move 2 is 7, which is not a legal move there"),
    ],
)
def test_a_move_that_is_not_legal_is_named_when_it_is_played(tmp_path: Path, moves: list[Any], message: str) -> None:
    game = new_game(tmp_path / "game.json", ("me", "me"), START, seed=9)
    game.content["moves"] += moves
    table = TableGame(Console(io.StringIO(), io.StringIO()), AdvanceTable(), [("me", None), ("me", None)], game)
    with pytest.raises(UserError, match=rf"game\.json: {message}"):
        table.play(lambda seats: AdvanceGameManager().run(Match(map=AdvanceMap(START), map_name="", seats=seats)))


def test_no_such_place(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="cannot be written"):
        some_game(tmp_path / "missing" / "game.json").write()
