"""The board as lines of text: four columns a square, coordinates on every side, and beside it what else is to be said.

A square's columns are a bracket, the piece, a mark and a bracket: ``[`` ``]`` where the last move changed something, ``(`` ``)``
where the chosen piece can act; ``!`` marks what stands to be lost, ``^`` what a Sentinel protects.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Final

from tiltyard_advance.rules import CHARACTERS, EMPTY, GENERAL, PLACES, SIZE, SQUARES, WALL, Board
from tiltyard_advance.terminal.look import Look
from tiltyard_advance.threats import threatened_places

COLUMNS: Final = "abcdefghi"
WIDTH: Final = 4 * SIZE + 4
"""Terminal columns of the board with its coordinates."""
LEGEND: Final = "! can be lost   ^ protected   [ ] last move"


@dataclass(frozen=True, slots=True)
class View:
    """What is to be seen beside the pieces themselves."""

    changed: Collection[int] = ()
    """Places that the last move changed."""
    targets: Collection[int] = ()
    """Places where the chosen piece can act."""
    chosen: int = -1
    """The place of the chosen piece."""
    turned: bool = False
    """Whether black sits below."""


def draw_board(board: Board, view: View, look: Look, beside: Sequence[str] = ()) -> list[str]:
    """Eleven lines; ``beside`` stands to the right of the board, a line each from the second on."""
    threatened = threatened_places(board)
    order = range(SIZE - 1, -1, -1) if view.turned else range(SIZE)
    letters = look.paint("  " + "".join(f" {COLUMNS[column]}  " for column in order).rstrip(), "frame")
    lines = [letters]
    for row in order:
        squares = "".join(_square(board, SIZE * row + column, view, look, threatened) for column in order)
        number = look.paint(str(row + 1), "frame")
        lines.append(f"{number} {squares} {number}")
    lines.append(letters)
    return [f"{line}   {beside[number - 1]}".rstrip() if 0 < number <= len(beside) else line for number, line in enumerate(lines)]


def _square(board: Board, place: int, view: View, look: Look, threatened: Collection[int]) -> str:
    square = SQUARES[place]
    content = board.squares[square]
    last = place in view.changed
    left, right, bracket = " ", " ", ""
    if place in view.targets or place == view.chosen:
        left, right, bracket = ("<", ">", "target") if place == view.chosen else ("(", ")", "target")
    elif last:
        left, right, bracket = "[", "]", "frame"
    role = "empty"
    if content == EMPTY:
        body = "\u00b7 " if look.unicode else ". "
    elif content == WALL:
        body, role = ("\u2588\u2588" if look.unicode else "##"), "wall last" if last else "wall"
    else:
        side = int(content > GENERAL)
        mark = "!" if place in threatened else "^" if board.is_protected(square, side) else " "
        body = CHARACTERS[content] + mark
        role = ("white", "black")[side] + (" last" if last else "")
        if mark == "!" and square == board.generals[side]:
            role = "danger"
    return look.paint(left, bracket) + look.paint(body, role) + look.paint(right, bracket)


def changed_places(before: str, after: str) -> list[int]:
    """Places where two boards of 81 characters differ."""
    return [place for place in range(len(before)) if before[place] != after[place]]


def targets_of(moves: Collection[int], place: int) -> list[int]:
    """Places where the piece on a place can act by one of the moves."""
    return [PLACES[move & 255] for move in moves if PLACES[move >> 8 & 255] == place]
