"""The board as lines of text: four columns a square, coordinates on every side, and beside it what else is to be said.

A square's columns are a bracket, the piece, a mark and a bracket: ``[`` ``]`` where the last move changed something, ``(`` ``)``
where the chosen piece can act; ``!`` marks what stands to be lost, ``^`` what a Sentinel protects.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from tiltyard_advance.moves import COLUMNS
from tiltyard_advance.positions import SIDES
from tiltyard_advance.recording import threatened_places
from tiltyard_advance.rules import CHARACTERS, EMPTY, GENERAL, PLACES, SIZE, SQUARES, WALL, Board
from tiltyard_kit.terminal.palette import Palette, Style

LEGEND: Final = "! in danger   ^ protected   [ ] last move"


@dataclass(frozen=True, slots=True)
class View:
    """What is to be seen beside the pieces themselves."""

    changed: Collection[int] = ()
    """Places that the last move changed."""
    targets: Collection[int] = ()
    """Places where the chosen piece can act."""
    origin: int = -1
    """The place of the chosen piece."""
    is_turned: bool = False
    """Whether black sits below."""


ROLES: Final[Mapping[str, Style]] = {
    "white": ("1;38;5;16;48;5;223", "1;30;107"),
    "black": ("1;38;5;231;48;5;60", "1;97;44"),
    "white last": ("1;38;5;16;48;5;220", "1;30;103"),
    "black last": ("1;38;5;231;48;5;26", "1;97;104"),
    "danger": ("1;38;5;231;48;5;160", "1;97;41"),
    "wall": ("38;5;244", "90"),
    "wall last": ("38;5;172", "33"),
    "empty": ("38;5;242", "90"),
    "target": ("1;38;5;40", "1;32"),
    "frame": ("38;5;244", "90"),
    "": ("", ""),
}
"""By what is drawn on the board."""
STRONG: Final[Style] = ("1", "1")
ALARM: Final[Style] = ("1;38;5;160", "1;31")


def draw_board(board: Board, view: View, palette: Palette, beside: Sequence[str] = ()) -> list[str]:
    """Eleven lines; ``beside`` stands to the right of the board, a line each from the second on."""
    threatened = threatened_places(board)
    order = range(SIZE - 1, -1, -1) if view.is_turned else range(SIZE)
    letters = palette.paint("  " + "".join(f" {COLUMNS[column]}  " for column in order).rstrip(), ROLES["frame"])
    lines = [letters]
    for row in order:
        squares = "".join(_square(board, SIZE * row + column, view, palette, threatened) for column in order)
        number = palette.paint(str(row + 1), ROLES["frame"])
        lines.append(f"{number} {squares} {number}")
    lines.append(letters)
    return [f"{line}   {beside[number - 1]}".rstrip() if 0 < number <= len(beside) else line for number, line in enumerate(lines)]


def _square(board: Board, place: int, view: View, palette: Palette, threatened: Collection[int]) -> str:
    square = SQUARES[place]
    content = board.squares[square]
    last = place in view.changed
    left, right, bracket = " ", " ", ""
    if place in view.targets or place == view.origin:
        left, right, bracket = ("<", ">", "target") if place == view.origin else ("(", ")", "target")
    elif last:
        left, right, bracket = "[", "]", "frame"
    role = "empty"
    if content == EMPTY:
        body = "\u00b7 " if palette.unicode else ". "
    elif content == WALL:
        body, role = ("\u2588\u2588" if palette.unicode else "##"), "wall last" if last else "wall"
    else:
        side = int(content > GENERAL)
        mark = "!" if place in threatened else "^" if board.is_protected(square, side) else " "
        body = CHARACTERS[content] + mark
        role = SIDES[side] + (" last" if last else "")
        if mark == "!" and square == board.generals[side]:
            role = "danger"
    return "".join(palette.paint(text, ROLES[role]) for text, role in ((left, bracket), (body, role), (right, bracket)))


def paint_side(palette: Palette, text: str, side: int) -> str:
    """Text in a side's colours."""
    return palette.paint(text, ROLES[SIDES[side]])


def targets_of(moves: Collection[int], place: int) -> list[int]:
    """Places where the piece on a place can act by one of the moves."""
    return [PLACES[move & 255] for move in moves if PLACES[move >> 8 & 255] == place]
