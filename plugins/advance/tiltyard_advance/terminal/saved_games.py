"""The file of an unfinished game: who plays, where it began, and its moves as they would be typed."""

from __future__ import annotations

import json
import os
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

from tiltyard_advance.board_files import BoardFileError, read_board_file, rows_of
from tiltyard_advance.map_files import PLIES, read_map
from tiltyard_advance.rules import Board
from tiltyard_advance.start import START
from tiltyard_advance.terminal.move_words import moves_between, parse_squares, words_of
from tiltyard_engine.errors import MapError, UserError

FORMAT: Final = "tiltyard advance game"
VERSION: Final = 1
LONGEST_FILE: Final = 1 << 20


@dataclass(slots=True)
class SavedGame:
    """A game as it stands."""

    players: tuple[str, str]
    """White's and black's, as on the command line."""
    start: str = START
    """81 characters."""
    plies: int = PLIES
    """After so many moves of both together material decides."""
    seed: int = 0
    moves: list[int] = field(default_factory=list)

    def board(self) -> Board:
        """As it is after all moves."""
        board = Board(self.start)
        for move in self.moves:
            board.make(move)
        return board


def write_game(path: Path, game: SavedGame) -> None:
    """Replace the file at once, so that there is never half of it.

    Raises:
        UserError: it cannot be written.
    """
    words: dict[str, Any] = {
        "format": FORMAT,
        "version": VERSION,
        "white": game.players[0],
        "black": game.players[1],
        "start": rows_of(game.start),
        "plies": game.plies,
        "seed": game.seed,
        "moves": [words_of(move) for move in game.moves],
    }
    beside = path.with_name(f".{path.name}.{os.getpid()}")
    try:
        beside.write_text(json.dumps(words, indent=1) + "\n", encoding="utf-8")
        beside.replace(path)
    except OSError as error:
        beside.unlink(missing_ok=True)
        raise UserError(f"{path}: cannot be written: {error.strerror}") from error


def read_game(path: Path) -> SavedGame:
    """The game of a file, with every move played by the rules.

    Raises:
        UserError: it cannot be read, or is no such game; says where.
    """
    try:
        with path.open("rb") as file:
            words = json.loads(file.read(LONGEST_FILE))
    except OSError as error:
        raise UserError(f"{path}: cannot be read: {error.strerror}") from error
    except (ValueError, RecursionError) as error:
        raise UserError(f"{path}: not a saved game: {error}") from error
    if not isinstance(words, dict) or words.get("format") != FORMAT:
        raise UserError(f'{path}: not a saved game: expected an object with "format": "{FORMAT}"')
    if words.get("version") != VERSION:
        raise UserError(f"{path}: of version {words.get('version')!r:.20}; this tiltyard reads version {VERSION}")
    kinds = {"white": str, "black": str, "start": list, "plies": int, "seed": int, "moves": list}
    for key, kind in kinds.items():
        if not isinstance(words.get(key), kind) or isinstance(words[key], bool):
            raise UserError(f'{path}: "{key}" is {words.get(key)!r:.40}, expected {kind.__name__}')
    try:
        start = read_board_file("\n".join(map(str, words["start"])).encode("utf-8", "replace"))
        read_map(str(path), "\n".join(rows_of(start)).encode("ascii"))
    except (BoardFileError, MapError) as error:
        raise UserError(f'{path}: "start": {error}') from error
    game = SavedGame((words["white"], words["black"]), start, words["plies"], words["seed"])
    _play_moves(path, game, words["moves"])
    return game


def _play_moves(path: Path, game: SavedGame, typed: list[Any]) -> None:
    board = Board(game.start)
    for number, text in enumerate(typed, start=1):
        squares = parse_squares(str(text))
        origin, target, letter = squares or (-1, -1, "")
        found = moves_between(board.legal_moves((number - 1) % 2), origin, target, letter)
        # A Builder's step is written without a letter, its wall with one.
        found = [move for move in found if words_of(move) == str(text)] or found
        if len(found) != 1 or number > game.plies:
            raise UserError(f"{path}: move {number} is {text!r:.40}, which is no legal move there")
        board.make(found[0])
        game.moves.append(found[0])


def free_path(name: str, suffix: str, folder: Path) -> Path:
    """``name.suffix`` there, or with the first number from 2 on that no file has."""
    path, number = folder / f"{name}{suffix}", 1
    while path.exists():
        number += 1
        path = folder / f"{name}-{number}{suffix}"
    return path
