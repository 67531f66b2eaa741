from __future__ import annotations

import re
from dataclasses import replace

import pytest
from tests.docs.console import ROOT
from tests.pictures.samples import SHAPES

from tiltyard_engine.replay import SHAPES as ALL_SHAPES
from tiltyard_engine.replay import SquareStyle
from tiltyard_pictures.marks import DARK, Area, Disc, Letters, Line, Mark
from tiltyard_pictures.shapes import token_marks
from tiltyard_tanks.theme import THEME


def style(shape: str, turn: int = 0) -> SquareStyle:
    return SquareStyle(
        glyph="x", plain="x", foreground="#112233", background="#445566", label="it", shape=shape, turn=turn, mark="7"
    )


def colors(marks: list[Mark]) -> set[str]:
    return {mark.color for mark in marks}


@pytest.mark.parametrize("size", [4, 12, 32])
@pytest.mark.parametrize("shape", SHAPES)
def test_every_shape_is_drawn_within_its_square(shape: str, size: int) -> None:
    for turn in range(8):
        marks = token_marks("t", style(shape, turn), DARK, size)
        if shape == "nothing":
            assert not marks
            continue
        assert marks
        assert colors(marks) & {"#112233", "#445566"}
        for mark in marks:
            points = mark.points if isinstance(mark, Area | Line) else ((mark.x, mark.y),)
            assert all(-0.02 <= x <= 1.02 and -0.02 <= y <= 1.02 for x, y in points)


def test_pictures_and_browser_draw_the_same_shapes() -> None:
    script = (ROOT / "tournaments/tiltyard_site/pages/assets/shapes.js").read_text()
    drawn = re.search(r"const DRAWN = \{(.*?)\}", script)
    assert drawn is not None
    names = {(quoted or bare) for quoted, bare in re.findall(r'"([^"]+)":|(\w+)(?=,|\s*$)', drawn[1])}
    assert names >= set(SHAPES)
    assert set(SHAPES) == set(ALL_SHAPES)


@pytest.mark.parametrize("shape", ["disc", "nothing", ""])
def test_floor_ring_and_dot_mark_any_shape(shape: str) -> None:
    marked = replace(style(shape), floor="#aa0000", ring="#00aa00", dot="#0000aa")
    marks = token_marks("t", marked, DARK, 32)
    assert isinstance(marks[0], Area)
    assert marks[0].color == "#aa0000"
    assert marks[1:-3] == token_marks("t", style(shape), DARK, 32)
    assert [mark.color for mark in marks[-3:]] == ["#00aa00", DARK.floor, "#0000aa"]
    assert not colors(token_marks("t", marked, DARK, 4)) & {"#00aa00", "#0000aa"}, "too small to be seen"
    assert token_marks("t", replace(style(shape), floor="red", ring="", dot="x"), DARK, 32) == token_marks(
        "t", style(shape), DARK, 32
    )


def test_a_shape_turns_clockwise() -> None:
    def tip(turn: int) -> tuple[float, float]:
        nose = token_marks("t", style("shell", turn), DARK, 32)[-1]
        assert isinstance(nose, Area)
        return max(nose.points, key=lambda point: (point[0] - 0.5) ** 2 + (point[1] - 0.5) ** 2)

    assert tip(0) == pytest.approx((0.5, 0.14))
    assert tip(2) == pytest.approx((0.86, 0.5))
    assert tip(4) == pytest.approx((0.5, 0.86))
    assert tip(1)[0] > 0.6
    assert tip(1)[1] < 0.4


def test_marks_are_written_where_they_can_be_read() -> None:
    def letters(size: int) -> list[str]:
        return [mark.text for mark in token_marks("t", style("tank"), DARK, size) if isinstance(mark, Letters)]

    assert (letters(14), letters(15)) == ([], ["7"])


def test_tokens_without_a_shape_show_their_glyph_and_unknown_ones_themselves() -> None:
    (ground, glyph) = token_marks("t", style(""), DARK, 20)
    assert (ground.color, glyph) == ("#445566", Letters(0.5, 0.5, 0.66, "x", "#112233"))
    assert token_marks("Q7z", None, DARK, 20) == [Letters(0.5, 0.5, 0.5, "Q7", DARK.ink)]
    assert token_marks(" ", None, DARK, 20) == []


def test_what_is_no_color_is_not_used() -> None:
    odd = SquareStyle(glyph="x", plain="x", foreground='red" onload="alert(1)', background="url(#a)", shape="tank")
    assert colors(token_marks("t", odd, DARK, 20)) == {DARK.ink, DARK.track}


def test_the_tank_games_empty_square_is_floor_alone() -> None:
    assert token_marks(" ", THEME.styles[" "], DARK, 20) == []
    assert any(isinstance(mark, Disc) for mark in token_marks("12", THEME.styles["12"], DARK, 20))
