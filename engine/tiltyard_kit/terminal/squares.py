"""Squares as people type them: a letter for the column, a number for the row as on a chess board, but with row 1 at the top."""

from __future__ import annotations

import re
from typing import Final

SQUARE: Final = re.compile(r"(?P<letters>[a-z]+)(?P<row>\d+)", re.ASCII)
LETTERS: Final = 26
LONGEST_NAME: Final = 12


def column_name(column: int) -> str:
    """``a`` to ``z``, then ``aa``, ``ab`` and so on; columns from 0."""
    name = ""
    column += 1
    while column:
        column, letter = divmod(column - 1, LETTERS)
        name = chr(ord("a") + letter) + name
    return name


def square_name(square: int, columns: int) -> str:
    """The name of ``row * columns + column``, both from 0, such as ``c4``."""
    return f"{column_name(square % columns)}{square // columns + 1}"


def read_square(text: str, rows: int, columns: int) -> int:
    """The square of that name; -1 where there is none."""
    parts = SQUARE.fullmatch(text)
    if parts is None or len(text) > LONGEST_NAME:
        return -1
    column = 0
    for letter in parts["letters"]:
        column = column * LETTERS + ord(letter) - ord("a") + 1
    row = int(parts["row"]) - 1
    return row * columns + column - 1 if 0 <= row < rows and column <= columns else -1
