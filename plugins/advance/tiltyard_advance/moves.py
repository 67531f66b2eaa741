"""Moves in words, and the boards that they lead to: programs answer with a board, people want to read what was done."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from tiltyard_advance.rules import BUILD, CONVERT, EMPTY, PLACES, SHOOT, SIZE, SWAP, WALL, Board
from tiltyard_kit.terminal.squares import square_name

NAMES: Final = ("", "Zombie", "Builder", "Jester", "Miner", "Sentinel", "Catapult", "Dragon", "General")
"""By kind."""


COLUMNS: Final = "abcdefghi"
"""Of the board, from the left; its lines are numbers from 1, from the top."""


def boards_after(board: Board, moves: Iterable[int]) -> dict[str, int]:
    """Every board that one of the moves leads to, as 81 characters, with the first such move."""
    boards: dict[str, int] = {}
    for move in moves:
        content = board.make(move)
        boards.setdefault(board.text(), move)
        board.unmake(move, content)
    return boards


def describe_move(board: Board, move: int) -> str:
    """Such as ``Zombie c8 takes Miner d7``, for a move that has not been played yet."""
    what, origin, target = move >> 16, move >> 8 & 255, move & 255
    content = board.squares[target]
    subject = f"{piece_name(board.squares[origin])} {place_name(PLACES[origin])}"
    where = place_name(PLACES[target])
    thing = "wall" if content == WALL else piece_name(content) if content != EMPTY else ""
    if what == BUILD:
        return f"{subject} builds a wall at {where}"
    if what == SHOOT:
        return f"{subject} shoots {thing} {where}"
    if what == SWAP:
        return f"{subject} changes places with {thing} {where}"
    if what == CONVERT:
        return f"{subject} converts {thing} {where}"
    return f"{subject} takes {thing} {where}" if thing else f"{subject} to {where}"


def piece_name(content: int) -> str:
    """What a piece is called, whosever it is; ``content`` is that of its square."""
    return NAMES[(content - 1) % 8 + 1]


def changed_places(before: str, after: str) -> list[int]:
    """Places where two boards of 81 characters differ."""
    return [place for place in range(len(before)) if before[place] != after[place]]


def place_name(place: int) -> str:
    """Column and line: a to i from the left, 1 to 9 from the top, as the lines of a file are counted."""
    return square_name(place, SIZE)
