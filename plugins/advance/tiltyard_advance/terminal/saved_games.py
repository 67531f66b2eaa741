"""The file of an unfinished game: who plays, where it began, and its moves as they would be typed."""

from __future__ import annotations

from pathlib import Path
from typing import Final

from tiltyard_advance.board_files import BoardFileError, read_board_file, rows_of
from tiltyard_advance.map_files import PLIES, read_map
from tiltyard_advance.positions import SIDES
from tiltyard_engine.errors import MapError, UserError
from tiltyard_kit.terminal.saved_game import SavedGame, read_saved_game

FORMAT: Final = "tiltyard advance game"
VERSION: Final = 1
KINDS: Final = {"version": int, "white": str, "black": str, "start": list, "plies": int, "seed": int}


def new_game(path: Path, players: tuple[str, str], start: str, seed: int) -> SavedGame:
    """A game without moves.

    Args:
        path: its file, which is written after the first move.
        players: white's and black's, as on the command line.
        start: the board, 81 characters.
        seed: of the match.
    """
    sides = dict(zip(SIDES, players))
    rest = {"start": rows_of(start), "plies": PLIES, "seed": seed, "moves": []}
    return SavedGame(path, {"format": FORMAT, "version": VERSION, **sides, **rest})


def read_game(path: Path) -> SavedGame:
    """The game of a file. Whether its moves are legal shows when they are played.

    Raises:
        UserError: it cannot be read, or is no such game; says where.
    """
    game = read_saved_game(path, ("format", FORMAT), KINDS)
    content = game.content
    if content["version"] != VERSION:
        raise UserError(f"{path}: the version is {content['version']!r:.20}, but this tiltyard reads version {VERSION}")
    try:
        content["start"] = rows_of(read_board_file("\n".join(map(str, content["start"])).encode("utf-8", "replace")))
        read_map(str(path), "\n".join(content["start"]).encode("ascii"))
    except (BoardFileError, MapError) as error:
        raise UserError(f'{path}: "start": {error}') from error
    moves, plies = content["moves"], content["plies"]
    if len(moves) > plies:
        raise UserError(f"{path}: move {plies + 1} is {moves[plies]!r:.40}, which is not a legal move there")
    return game
