"""A sheet: the columns are stated once, and lines, values and the file for a spreadsheet have them."""

from __future__ import annotations

import csv
import io

from tiltyard_kit.sheet import Column, Sheet, table_lines

COLUMNS = (
    Column[tuple[str, int]]("who", lambda row: row[0]),
    Column[tuple[str, int]]("fish", lambda row: str(row[1]), is_number=True),
    Column[tuple[str, int]]("why", lambda row: "left" if row[1] > 10 else ""),
    Column[tuple[str, int]]("note", lambda row: "x" * 100 * row[1], is_for_files=True, is_whole=True),
)
SHEET = Sheet(COLUMNS, (("Anna", 7), ("=Bo", 12)), left_out=[{"who": "Eve", "note": "handed in nothing"}])


def test_on_a_terminal_columns_stand_below_each_other() -> None:
    assert SHEET.lines() == ["who   fish  why", "----  ----  ----", "Anna     7", "=Bo     12  left"]
    assert SHEET.lines(is_ruled=False) == ["who   fish  why", "Anna     7", "=Bo     12  left"]
    assert Sheet(COLUMNS, ()).lines() == ["who  fish  why", "---  ----  ---"]


def test_a_file_has_all_columns_and_whoever_was_left_out() -> None:
    heads, anna, bo, eve = csv.reader(io.StringIO(SHEET.csv()))
    assert heads == ["who", "fish", "why", "note"]
    assert anna == ["Anna", "7", "", "x" * 700]
    assert bo == ["'=Bo", "12", "left", "x" * 1200]
    assert eve == ["Eve", "", "", "handed in nothing"]


def test_values_are_those_of_the_terminal() -> None:
    assert SHEET.objects() == [{"who": "Anna", "fish": "7", "why": ""}, {"who": "=Bo", "fish": "12", "why": "left"}]


def test_a_table_that_is_no_sheet() -> None:
    rows = [("place", "player", "fish"), ("1", "Anna", "7"), ("2", "Bo", "12")]
    assert table_lines(rows, right=[2]) == ["place  player  fish", "1      Anna       7", "2      Bo        12"]
