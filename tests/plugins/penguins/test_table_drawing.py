"""The board as people at a terminal see it."""

from __future__ import annotations

import re

import pytest

from tiltyard_penguins.board_files import read_board_file
from tiltyard_penguins.positions import MOVEMENT, PenguinsPosition, position_of
from tiltyard_penguins.table.drawing import column_name, draw_board, draw_scores, read_square, square_name, terminal_color

FILE = b"3 4\n10 00 02 30\n01 20 10 00\n00 10 01 20\nanna 1 7\nben 2 12\n"


def position(data: bytes = FILE, player: int = 1) -> PenguinsPosition:
    return position_of(read_board_file(data), MOVEMENT, 0, player)


def test_a_board_without_colours() -> None:
    assert draw_board(position(), 80, False, choices={5, 6}, arrived={2}) == [
        "   a  b  c  d",
        "1  1  . <B> 3  1",
        "2  A [2][1] .  2",
        "3  .  1  A  2  3",
    ]


def test_colours_change_no_letter() -> None:
    plain, colored = (draw_board(position(), 80, color, {5, 10}, {2}) for color in (False, True))
    assert colored != plain
    text = [re.sub(r"\x1b\[[0-9;]*m", "", line).replace("~", ".") for line in colored]
    assert text == plain
    assert all(line.count("\x1b[38;") == line.count("\x1b[0m") for line in colored)


def test_a_board_wider_than_the_terminal_is_cut() -> None:
    lines = draw_board(position(), 10, False)
    assert lines[0] == "   a  b"
    assert lines[5] == "   c  d"
    assert max(map(len, lines)) <= 10


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


def test_scores_with_whose_turn_it_is() -> None:
    assert draw_scores(position(player=2), {3: "cleo"}, 80, False) == [" A anna 7  >B ben 12   C cleo 0   10 fish left"]
    many = draw_scores(position(), {number: f"player{number}" for number in range(3, 10)}, 40, False)
    assert len(many) > 2
    assert max(map(len, many)) <= 40
    assert sum(line.count("player") for line in many) == 7


def test_a_name_cannot_steer_the_terminal() -> None:
    data = FILE.replace(b"ben", b"b\x1b[2Jn")
    assert "\x1b" not in "".join(draw_scores(position(data), {}, 80, False))


@pytest.mark.parametrize(
    ("color", "number"), [("#000000", 16), ("#ffffff", 231), ("#808080", 244), ("#ff0000", 196), ("#0072b2", 25)]
)
def test_the_nearest_of_256_colours(color: str, number: int) -> None:
    assert terminal_color(color) == number
