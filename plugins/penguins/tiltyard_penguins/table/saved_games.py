"""A game between people, kept in a file after every move: the board it began on, who plays, and all moves."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from tiltyard_engine.errors import MapError, UserError
from tiltyard_penguins.algorithms import ALGORITHMS
from tiltyard_penguins.map_files import PenguinsMap, read_map, write_map
from tiltyard_penguins.positions import Move
from tiltyard_penguins.rules import MOST_PLAYERS
from tiltyard_penguins.table.drawing import read_square, square_name

FORM: Final = "penguins game 1"
"""Says what the file is."""
NAME: Final = re.compile(r"[^\s\"']{1,20}")
"""Of a player."""
DEFAULT_FILE: Final = "penguins-game.json"
MOST_FILES: Final = 1000


@dataclass(frozen=True, slots=True)
class TablePlayer:
    """Who sits at the table."""

    name: str
    algorithm: str = ""
    """One of the game's own by name; empty for a person."""


@dataclass(slots=True)
class SavedGame:
    """All that a game is."""

    board: PenguinsMap
    players: tuple[TablePlayer, ...]
    moves: list[Move] = field(default_factory=list)

    def write(self, path: Path) -> None:
        """Replace the file: whatever happens meanwhile, there is the old game or the new one.

        Raises:
            UserError: it cannot be written.
        """
        content = {
            "form": FORM,
            "board": write_map(self.board).decode("ascii"),
            "players": [{"name": player.name, "algorithm": player.algorithm} for player in self.players],
            "moves": [_move_text(move, self.board.columns) for move in self.moves],
        }
        beside = path.with_name(f"{path.name}.new")
        try:
            beside.write_text(f"{json.dumps(content, indent=1)}\n")
            beside.replace(path)
        except OSError as error:
            raise UserError(f"{path}: the game cannot be kept there: {error.strerror}; name another file with --save") from error


def read_saved_game(path: Path) -> SavedGame:
    """A game to go on with. Whether its moves are legal shows when they are played.

    Raises:
        UserError: the file is missing, or no such game.
    """
    try:
        content = json.loads(path.read_bytes())
    except OSError as error:
        raise UserError(f"{path}: cannot open the file: {error.strerror}") from error
    except (ValueError, RecursionError) as error:
        raise UserError(f"{path}: no saved game of Penguins: {error}") from error
    if not isinstance(content, dict) or content.get("form") != FORM:
        raise UserError(f"{path}: no saved game of Penguins: expected a file that 'penguins --interactive' wrote")
    players = _read_players(path, content.get("players"))
    try:
        board = read_map(f"{path}: its board", str(content.get("board", "")).encode(), len(players))
    except MapError as error:
        raise UserError(str(error)) from error
    moves = content.get("moves")
    if not isinstance(moves, list):
        raise UserError(f"{path}: expected a list of moves, found {type(moves).__name__}")
    return SavedGame(board, players, [_read_move(path, index, text, board) for index, text in enumerate(moves, start=1)])


def free_file(folder: Path) -> Path:
    """Where a new game is kept by itself: a name that no file has yet."""
    name = Path(DEFAULT_FILE)
    names = [DEFAULT_FILE, *(f"{name.stem}-{number}{name.suffix}" for number in range(2, MOST_FILES))]
    free = next((folder / name for name in names if not (folder / name).exists()), None)
    if free is None:
        raise UserError(f"{folder}: full of saved games; name a file with --save")
    return free


def check_players(players: tuple[TablePlayer, ...]) -> None:
    """2 to 9, each with a name of its own.

    Raises:
        UserError: too many, a name twice, or one that is none.
    """
    if not 2 <= len(players) <= MOST_PLAYERS:
        raise UserError(f"2 to {MOST_PLAYERS} play, found {len(players)}")
    names = [player.name for player in players]
    for name in names:
        if NAME.fullmatch(name) is None or not name.isprintable():
            raise UserError(f"a name has up to 20 characters, no spaces and no quotation marks, found {name!r}")
        if names.count(name) > 1:
            raise UserError(f"{name} plays twice; give each player another name")


def _read_players(path: Path, found: object) -> tuple[TablePlayer, ...]:
    players: list[TablePlayer] = []
    for entry in found if isinstance(found, list) else []:
        name, algorithm = (entry.get(key) if isinstance(entry, dict) else None for key in ("name", "algorithm"))
        if not isinstance(name, str) or not isinstance(algorithm, str) or (algorithm and algorithm not in ALGORITHMS):
            raise UserError(
                f"{path}: player {len(players) + 1}: expected a name and an algorithm of {', '.join(ALGORITHMS)}, or none"
            )
        players.append(TablePlayer(name, algorithm))
    try:
        check_players(tuple(players))
    except UserError as error:
        raise UserError(f"{path}: {error}") from error
    return tuple(players)


def _move_text(move: Move, columns: int) -> str:
    target = square_name(move.target, columns)
    return target if move.origin < 0 else f"{square_name(move.origin, columns)}-{target}"


def _read_move(path: Path, index: int, text: object, board: PenguinsMap) -> Move:
    words = text.split("-") if isinstance(text, str) else []
    squares = [read_square(word, board.rows, board.columns) for word in words]
    if not 1 <= len(squares) <= 2 or -1 in squares:
        raise UserError(f"{path}: move {index}: expected squares such as 'c4' or 'c4-c7', found {str(text)[:30]!r}")
    return Move(squares[-1], squares[0] if len(squares) == 2 else -1)
