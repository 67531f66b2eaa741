"""How a program took row for column, where that explains what it wrote.

Each way to exchange them is tried on what it wrote, and the rules judge the result as any other answer, the score included. So
nothing is said about a program whose answer breaks the rules both ways.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import replace
from typing import Final

from tiltyard_penguins.board_files import BoardFile, BoardFileError, PlayerRow, read_board_file
from tiltyard_penguins.differences import BreachError, Change, find_change
from tiltyard_penguins.positions import PenguinsPosition, place_name

SIZE: Final = re.compile(rb"\A(\s*)(\d{1,9})([ \t]+)(\d{1,9})(?!\d)")
"""Only at the beginning: a search in a file of a million digits would not end."""
ROWS_FIRST: Final = "its first line has the number of columns first, but the number of rows comes first"
READS_COLUMNS_FIRST: Final = "it read the first line as columns and rows, but the number of rows comes first"
BY_COLUMNS: Final = "it wrote the columns as lines, but each line is a row"


def with_size_exchanged(data: bytes) -> BoardFile | None:
    """What a file says if the two numbers of its first line change places; None where that is no valid file either."""
    with suppress(BoardFileError):
        return read_board_file(SIZE.sub(rb"\1\4\3\2", data))
    return None


def exchange_hint(
    before: BoardFile, after: BoardFile, own: PlayerRow | None, position: PenguinsPosition, is_size_wrong: bool
) -> str:
    """How the program took row for column; empty where that would not make a legal answer of what it wrote.

    Args:
        before: the state that it was given.
        after: what it wrote.
        own: its row in ``before``, None before its first penguin.
        position: the turn.
        is_size_wrong: whether ``after`` is from ``with_size_exchanged``.
    """

    def is_legal(state: BoardFile, answer: BoardFile) -> bool:
        try:
            return find_change(state, answer, own, position.phase, position.penguins) is not None
        except BreachError:
            return False

    is_same_size = (after.rows, after.columns) == (before.rows, before.columns)
    if is_size_wrong and is_same_size:
        return ROWS_FIRST if is_legal(before, after) else ""
    if (after.rows, after.columns) == (before.columns, before.rows):
        if is_legal(before, _transposed(after)):
            return BY_COLUMNS
        if is_legal(replace(before, rows=after.rows, columns=after.columns), after):
            return READS_COLUMNS_FIRST
    if is_same_size:
        for answer in _with_squares_exchanged(before, after):
            with suppress(BreachError):
                change = find_change(before, answer, own, position.phase, position.penguins)
                if change is not None:
                    where = _words(change, before.columns)
                    return f"with row and column exchanged it would be legal, {where}: look where it takes one for the other"
    return ""


def _transposed(file: BoardFile) -> BoardFile:
    """The board with its columns as rows."""
    cells = b"".join(file.cells[column :: file.columns] for column in range(file.columns))
    return replace(file, rows=file.columns, columns=file.rows, cells=cells)


def _with_squares_exchanged(before: BoardFile, after: BoardFile) -> Iterator[BoardFile]:
    """What the program would have written with row and column of its squares exchanged: of all, of the target, of the start."""
    cells_before, cells_after = before.canonical().cells, after.canonical().cells
    changed = [square for square, (was, now) in enumerate(zip(cells_before, cells_after)) if was != now]
    targets = [square for square in changed if cells_after[square] % 10]
    starts = [square for square in changed if not cells_after[square]]
    for exchanged in (changed, targets, starts):
        cells = bytearray(cells_before)
        for square in changed:
            row, column = divmod(square, before.columns)
            if square not in exchanged:
                cells[square] = cells_after[square]
            elif column < before.rows and row < before.columns:
                cells[column * before.columns + row] = cells_after[square]
        yield replace(after, cells=bytes(cells))


def _words(change: Change, columns: int) -> str:
    target = place_name(change.target, columns)
    return f"at {target}" if change.origin < 0 else f"from {place_name(change.origin, columns)} to {target}"
