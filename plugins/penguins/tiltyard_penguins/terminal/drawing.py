"""The board and the scores as lines for a terminal: three characters a square, colours where the terminal has them.

Everything can be told without colours too: floes are the number of their fish, penguins the letter of their player, and what can be
chosen stands in brackets.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Final

from tiltyard_engine.texts.sanitize import printable
from tiltyard_kit.terminal.palette import Palette, style_of
from tiltyard_kit.terminal.squares import column_name
from tiltyard_penguins.positions import PenguinsPosition
from tiltyard_penguins.recording import PENGUINS
from tiltyard_penguins.theme import ICE, INK, MARK_COLORS, SEA, SEAT_COLORS

CHOICE: Final = style_of(INK, "#ffd75f")
"""What can be chosen."""
WATER: Final = style_of("#2d6a8e", SEA)
FLOES: Final = {fish: style_of(INK, ICE[fish]) for fish in (1, 2, 3)}
SEATS: Final = tuple(style_of(mark, color) for mark, color in zip(MARK_COLORS, SEAT_COLORS))
LONGEST_NAME: Final = 40


def draw_board(
    position: PenguinsPosition, width: int, palette: Palette, choices: Collection[int] = (), new_squares: Collection[int] = ()
) -> list[str]:
    """The lines of a board; one that is too wide for the terminal is cut into strips.

    Args:
        position: what is drawn.
        width: columns of the terminal.
        palette: its colours.
        choices: squares that stand in brackets, as those that can be chosen.
        new_squares: squares with a penguin that came there lately.
    """
    label = len(str(position.rows))
    strip = max(1, (width - label - 3) // 3)
    lines: list[str] = []
    for start in range(0, position.columns, strip):
        columns = range(start, min(start + strip, position.columns))
        if start:
            lines.append("")
        lines.append(f"{'':{label + 1}}{''.join(f'{column_name(column):^3}' for column in columns)}".rstrip())
        for row in range(position.rows):
            squares = [row * position.columns + column for column in columns]
            cells = "".join(
                _square(position.cells[square], palette, square in choices, square in new_squares) for square in squares
            )
            lines.append(f"{row + 1:{label}} {cells} {row + 1}")
    return lines


def draw_scores(position: PenguinsPosition, names: Mapping[int, str], width: int, palette: Palette) -> list[str]:
    """All players in the order of their numbers, each with the letter of its penguins and its fish; ``>`` is whose turn it is."""
    scores = {row.number: row.score for row in position.players}
    players = {**{row.number: row.name for row in position.players}, **names}
    left = sum(cell // 10 for cell in position.cells)
    lines, filled = [""], 0
    for number, name in (*sorted(players.items()), (0, "")):
        turn = ">" if number == position.player else " "
        text = f" {printable(name)[:LONGEST_NAME]} {scores.get(number, 0)}  " if number else f"{left} fish left"
        length = len(text) + (2 if number else 1)
        if filled + length > width and filled:
            lines.append("")
            filled = 0
        lines[-1] += f"{turn}{player_mark(number, palette)}{text}" if number else f" {text}"
        filled += length
    return [line.rstrip() for line in lines]


def player_mark(number: int, palette: Palette) -> str:
    """The letter of a player's penguins, in the player's colour."""
    return palette.paint(PENGUINS[number], SEATS[number - 1])


def _square(cell: int, palette: Palette, is_choice: bool, has_arrived: bool) -> str:
    fish, player = divmod(cell, 10)
    if player:
        left, right = "[]" if is_choice else "<>" if has_arrived else "  "
        return palette.paint(f"{left}{PENGUINS[player]}{right}", SEATS[player - 1])
    if not fish:
        return palette.paint(" ~ ", WATER) if palette.colors else " . "
    return palette.paint(f"[{fish}]", CHOICE) if is_choice else palette.paint(f" {fish} ", FLOES[fish])
