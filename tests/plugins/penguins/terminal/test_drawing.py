"""The board as people at a terminal see it."""

from __future__ import annotations

import re

from tiltyard_kit.terminal.palette import INDEXED, Palette
from tiltyard_penguins.board_files import read_board_file
from tiltyard_penguins.positions import MOVEMENT, PenguinsPosition, position_of
from tiltyard_penguins.terminal.drawing import draw_board, draw_scores

FILE = b"3 4\n10 00 02 30\n01 20 10 00\n00 10 01 20\nanna 1 7\nben 2 12\n"


def position(data: bytes = FILE, player: int = 1) -> PenguinsPosition:
    return position_of(read_board_file(data), MOVEMENT, 0, player)


def test_a_board_without_colours() -> None:
    assert draw_board(position(), 80, Palette(), choices={5, 6}, new_squares={2}) == [
        "   a  b  c  d",
        "1  1  . <B> 3  1",
        "2  A [2][1] .  2",
        "3  .  1  A  2  3",
    ]


def test_colours_change_no_letter() -> None:
    plain, colored = (draw_board(position(), 80, palette, {5, 10}, {2}) for palette in (Palette(), Palette(INDEXED)))
    assert colored != plain
    text = [re.sub(r"\x1b\[[0-9;]*m", "", line).replace("~", ".") for line in colored]
    assert text == plain
    assert all(line.count("\x1b[38;") == line.count("\x1b[0m") for line in colored)


def test_a_board_wider_than_the_terminal_is_cut() -> None:
    lines = draw_board(position(), 10, Palette())
    assert lines[0] == "   a  b"
    assert lines[5] == "   c  d"
    assert max(map(len, lines)) <= 10


def test_scores_with_whose_turn_it_is() -> None:
    assert draw_scores(position(player=2), {3: "cleo"}, 80, Palette()) == [" A anna 7  >B ben 12   C cleo 0   10 fish left"]
    many = draw_scores(position(), {number: f"player{number}" for number in range(3, 10)}, 40, Palette())
    assert len(many) > 2
    assert max(map(len, many)) <= 40
    assert sum(line.count("player") for line in many) == 7


def test_a_name_cannot_steer_the_terminal() -> None:
    data = FILE.replace(b"ben", b"b\x1b[2Jn")
    assert "\x1b" not in "".join(draw_scores(position(data), {}, 80, Palette()))
