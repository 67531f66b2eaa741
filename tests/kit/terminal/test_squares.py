"""Squares by the names that people type."""

from __future__ import annotations

import pytest

from tiltyard_kit.terminal.squares import column_name, read_square, square_name


@pytest.mark.parametrize(("rows", "columns"), [(1, 1), (3, 4), (20, 20), (2, 30), (1, 800)])
def test_squares_by_name_and_back(rows: int, columns: int) -> None:
    names = [square_name(square, columns) for square in range(rows * columns)]
    assert [read_square(name, rows, columns) for name in names] == list(range(rows * columns))
    assert len(set(names)) == rows * columns


@pytest.mark.parametrize("text", ["", "c", "4", "e1", "a4", "a0", "a-1", "A1", "a1x", "zzzzzzzzzzzzzzzzzzzzzz1", "a1111111111111"])
def test_what_is_no_square(text: str) -> None:
    assert read_square(text, 3, 4) == -1


def test_columns_beyond_z() -> None:
    assert [column_name(column) for column in (0, 25, 26, 51, 52, 701, 702)] == ["a", "z", "aa", "az", "ba", "zz", "aaa"]
