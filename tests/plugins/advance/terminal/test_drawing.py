"""The board as lines: what is where, the marks, and every way to show it."""

from __future__ import annotations

import re

import pytest
from tests.plugins.advance.boards import sparse

from tiltyard_advance.positions import START
from tiltyard_advance.rules import Board
from tiltyard_advance.terminal.drawing import View, draw_board
from tiltyard_kit.terminal.palette import INDEXED, PLAIN, SIXTEEN, Palette


def test_plain() -> None:
    lines = draw_board(Board(START), View(), Palette())
    assert lines[1] == "1  m   j   d^  s   g^  s   c^  j   m   1"
    assert lines[5] == "5  .   .   .   .   .   .   .   .   .   5"
    assert lines[0] == lines[-1] == "   a   b   c   d   e   f   g   h   i"
    assert all(len(line) <= 40 for line in lines)


def test_marks() -> None:
    board = Board(sparse("Ga9", "ma1", "Se5", "Ze6", "mi5", "gi1", "#i9", "Jc4", "jd4"))
    lines = draw_board(board, View(changed=[36, 37], targets=[19, 20], origin=21), Palette())
    assert "G!" in lines[9], "a Miner attacks the General"
    assert lines[6].count("Z^") == 1
    assert "m!" not in lines[1], "nobody can take that one"
    assert lines[4].startswith("4  .   .   J!  j "), "who is in danger has no time to convert"
    assert "S!" in lines[5]
    assert lines[5].startswith("5 [. ][. ]")
    assert lines[3].startswith("3  .  (. )(. )<. >")
    assert "##" in lines[9]


def test_what_a_pinned_piece_attacks_is_not_in_danger() -> None:
    pinned = draw_board(Board(sparse("ga1", "ma2", "Ma9", "Gi9", "Bi2")), View(), Palette())
    assert "B!" not in pinned[2]
    assert "m!" in pinned[2]
    free = draw_board(Board(sparse("gb1", "ma2", "Ma9", "Gi9", "Bi2")), View(), Palette())
    assert "B!" in free[2]


def test_turned() -> None:
    lines = draw_board(Board(START), View(is_turned=True), Palette())
    assert lines[0].split() == list("ihgfedcba")
    assert lines[1].startswith("9  M   J   D^")


@pytest.mark.parametrize("colors", [SIXTEEN, INDEXED])
def test_colours_only_colour(colors: int) -> None:
    board, view = Board(START), View(changed=[3], targets=[30], origin=12)
    painted = draw_board(board, view, Palette(colors, unicode=True), ["beside"])
    plain = draw_board(board, view, Palette(PLAIN, unicode=True), ["beside"])
    assert [re.sub(r"\x1b\[[0-9;]*m", "", line) for line in painted] == plain
    assert plain[1].endswith("   beside")
    assert any("\x1b[" in line for line in painted)
