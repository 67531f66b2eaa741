"""The file of a game at one terminal: the board it began on, who plays, and all moves."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path
from typing import Final, TypeAlias

from tiltyard_engine.errors import MapError, UserError
from tiltyard_kit.terminal.saved_game import SavedGame, read_saved_game
from tiltyard_kit.terminal.squares import read_square
from tiltyard_penguins.algorithms import ALGORITHMS
from tiltyard_penguins.map_files import PenguinsMap, read_map, write_map
from tiltyard_penguins.rules import MOST_PLAYERS

FORM: Final = "penguins game 1"
NAME: Final = re.compile(r"[^\s\"']{1,20}")
"""Of a player."""
Player: TypeAlias = dict[str, str]
"""Who sits at the table, as the file has it: "name", and "algorithm", one of the game's own or empty for a person."""


def new_game(path: Path, board: PenguinsMap, players: Sequence[Player]) -> SavedGame:
    """A game without moves."""
    return SavedGame(path, {"form": FORM, "board": write_map(board).decode("ascii"), "players": players, "moves": []})


def read_game(path: Path) -> tuple[SavedGame, PenguinsMap]:
    """A game to go on with, and its board. Whether its moves are legal shows when they are played.

    Raises:
        UserError: the file is missing, or no such game.
    """
    saved = read_saved_game(path, ("form", FORM), {"board": str, "players": list})
    content = saved.content
    for number, entry in enumerate(content["players"], start=1):
        name, algorithm = (entry.get(key) if isinstance(entry, dict) else None for key in ("name", "algorithm"))
        if not isinstance(name, str) or not isinstance(algorithm, str) or (algorithm and algorithm not in ALGORITHMS):
            raise UserError(f"{path}: player {number}: expected a name, and no algorithm or one of {', '.join(ALGORITHMS)}")
    try:
        check_names([player["name"] for player in content["players"]])
    except UserError as error:
        raise UserError(f"{path}: {error}") from error
    try:
        board = read_map(f"{path}: its board", content["board"].encode(), len(content["players"]))
    except MapError as error:
        raise UserError(str(error)) from error
    for number, text in enumerate(content["moves"], start=1):
        squares = [read_square(word, board.rows, board.columns) for word in text.split("-")] if isinstance(text, str) else []
        if not 1 <= len(squares) <= 2 or -1 in squares:
            raise UserError(f"{path}: move {number}: expected squares such as 'c4' or 'c4-c7', got {str(text)[:30]!r}")
    return saved, board


def is_name(text: str) -> bool:
    """Whether a player can be called that."""
    return NAME.fullmatch(text) is not None and text.isprintable()


def check_names(names: Sequence[str]) -> None:
    """2 to 9, each of them once.

    Raises:
        UserError: too many, a name twice, or one that is none.
    """
    if not 2 <= len(names) <= MOST_PLAYERS:
        raise UserError(f"expected 2 to {MOST_PLAYERS} players, got {len(names)}")
    for name in names:
        if not is_name(name):
            raise UserError(f"a name has at most 20 characters, without spaces or quotation marks, got {name!r}")
        if names.count(name) > 1:
            raise UserError(f"{name} plays twice; give each player another name")
