"""The board and the scores as text for a terminal: three characters a square, colours where the terminal has them.

A column has a letter and a row has a number, as on a chess board, but with row 1 at the top: ``c4``. Everything can be told without
colours too: floes are the number of their fish, penguins the letter of their player, and what can be chosen stands in brackets.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence
from typing import Final

from tiltyard_penguins.positions import PenguinsPosition
from tiltyard_penguins.recording import PENGUINS
from tiltyard_penguins.theme import ICE, INK, MARK_COLORS, SEA, SEAT_COLORS

SQUARE: Final = re.compile(r"(?P<letters>[a-z]+)(?P<row>\d+)", re.ASCII)
LETTERS: Final = 26
CHOICE_COLOR: Final = "#ffd75f"
"""Behind what can be chosen."""
WATER_COLOR: Final = "#2d6a8e"
CUBE: Final = (0, 95, 135, 175, 215, 255)
"""Levels of each of red, green and blue among a terminal's 256 colours."""
RESET: Final = "\x1b[0m"


def column_name(column: int) -> str:
    """``a`` to ``z``, then ``aa``, ``ab`` and so on; columns from 0."""
    name = ""
    column += 1
    while column:
        column, letter = divmod(column - 1, LETTERS)
        name = chr(ord("a") + letter) + name
    return name


def square_name(square: int, columns: int) -> str:
    """A square as people type it, such as ``c4``."""
    return f"{column_name(square % columns)}{square // columns + 1}"


def read_square(text: str, rows: int, columns: int) -> int:
    """The square that somebody typed; -1 where there is none of that name."""
    found = SQUARE.fullmatch(text)
    if found is None or len(text) > 12:
        return -1
    column = 0
    for letter in found["letters"]:
        column = column * LETTERS + ord(letter) - ord("a") + 1
    row = int(found["row"]) - 1
    return row * columns + column - 1 if 0 <= row < rows and column <= columns else -1


def draw_board(
    position: PenguinsPosition, width: int, color: bool, choices: Collection[int] = (), arrived: Collection[int] = ()
) -> list[str]:
    """The lines of a board; one that is too wide for the terminal is cut into strips.

    Args:
        position: what is drawn.
        width: columns of the terminal.
        color: whether to use colours.
        choices: squares that stand in brackets, as those that can be chosen.
        arrived: squares with a penguin that came there lately.
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
            cells = "".join(_square(position.cells[square], color, square in choices, square in arrived) for square in squares)
            lines.append(f"{row + 1:{label}} {cells} {row + 1}")
    return lines


def draw_scores(position: PenguinsPosition, names: Mapping[int, str], width: int, color: bool) -> list[str]:
    """All players in the order of their numbers, each with the letter of its penguins and its fish; ``>`` is whose turn it is."""
    scores = {row.number: row.score for row in position.players}
    players = {**{row.number: row.name for row in position.players}, **names}
    left = sum(cell // 10 for cell in position.cells)
    lines, used = [""], 0
    for number, name in (*sorted(players.items()), (0, "")):
        turn = ">" if number == position.player else " "
        text = f" {printable(name)} {scores.get(number, 0)}  " if number else f"{left} fish left"
        length = len(text) + (2 if number else 1)
        if used + length > width and used:
            lines.append("")
            used = 0
        lines[-1] += f"{turn}{player_mark(number, color)}{text}" if number else f" {text}"
        used += length
    return [line.rstrip() for line in lines]


def player_mark(number: int, color: bool) -> str:
    """The letter of a player's penguins, in the player's colour."""
    return _painted(PENGUINS[number], MARK_COLORS[number - 1], SEAT_COLORS[number - 1], color)


def printable(name: str) -> str:
    """A name out of a file, which may hold anything, without what would change the terminal."""
    return "".join(character if character.isprintable() else "?" for character in name)[:40]


def table_lines(rows: Sequence[Sequence[str]]) -> list[str]:
    """Columns below each other; the last one is as long as it is."""
    widths = [max(len(row[column]) for row in rows) for column in range(len(rows[0]))]
    return ["  ".join(f"{text:{width}}" for text, width in zip(row, widths)).rstrip() for row in rows]


def _square(cell: int, color: bool, is_choice: bool, has_arrived: bool) -> str:
    fish, player = divmod(cell, 10)
    if player:
        left, right = "[]" if is_choice else "<>" if has_arrived else "  "
        return _painted(f"{left}{PENGUINS[player]}{right}", MARK_COLORS[player - 1], SEAT_COLORS[player - 1], color)
    if not fish:
        return _painted(" ~ ", WATER_COLOR, SEA, True) if color else " . "
    if is_choice:
        return _painted(f"[{fish}]", INK, CHOICE_COLOR, color)
    return _painted(f" {fish} ", INK, ICE[fish], color)


def _painted(text: str, ink: str, ground: str, color: bool) -> str:
    if not color:
        return text
    return f"\x1b[38;5;{terminal_color(ink)};48;5;{terminal_color(ground)}m{text}{RESET}"


def terminal_color(color: str) -> int:
    """The nearest to ``#rrggbb`` among 256 colours: of the cube and the greys, on which all terminals agree."""
    wanted = [int(color[start : start + 2], 16) for start in (1, 3, 5)]
    levels = [min(range(6), key=lambda level: abs(CUBE[level] - part)) for part in wanted]
    grey = min(range(24), key=lambda step: sum(abs(8 + 10 * step - part) for part in wanted))
    from_cube = sum((CUBE[level] - part) ** 2 for level, part in zip(levels, wanted))
    from_grey = sum((8 + 10 * grey - part) ** 2 for part in wanted)
    return 232 + grey if from_grey < from_cube else 16 + 36 * levels[0] + 6 * levels[1] + levels[2]
