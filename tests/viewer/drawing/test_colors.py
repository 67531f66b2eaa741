from __future__ import annotations

import io

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tiltyard_viewer.drawing.colors import COLORFUL, ColorDepth, contrast, nearest_indexed, one_of_sixteen, parse, sgr
from tiltyard_viewer.drawing.options import DrawOptions, Span, detect_options, fill, render


class FakeTerminal(io.StringIO):
    encoding = "UTF-8"

    def isatty(self) -> bool:
        return True


class LatinTerminal(FakeTerminal):
    encoding = "iso8859-1"


@pytest.mark.parametrize(
    ("depth", "expected"),
    [
        (ColorDepth.NONE, ""),
        (ColorDepth.SIXTEEN, "\x1b[1;31;47m"),
        (ColorDepth.INDEXED, "\x1b[1;38;5;160;48;5;255m"),
        (ColorDepth.TRUECOLOR, "\x1b[1;38;2;215;0;0;48;2;238;238;238m"),
    ],
)
def test_each_depth_has_its_own_codes(depth: ColorDepth, expected: str) -> None:
    assert sgr(depth, "#d70000", "#eeeeee", bold=True) == expected


@pytest.mark.parametrize("color", ["", "red", "#12345", "#12345g", "\x1b[31m"])
def test_what_is_no_color_is_left_out(color: str) -> None:
    assert parse(color) is None
    assert sgr(ColorDepth.TRUECOLOR, color) == ""


def test_the_sixteen_keep_a_palette_apart() -> None:
    okabe_ito = ["#0072b2", "#e69f00", "#009e73", "#cc79a7", "#56b4e9", "#d55e00", "#f0e442", "#999999", "#000000"]
    assert [one_of_sixteen(parse(color) or (0, 0, 0)) for color in okabe_ito] == [4, 3, 2, 13, 12, 1, 11, 8, 0]


@given(st.tuples(*[st.integers(0, 255)] * 3))
def test_only_greys_become_greys(rgb: tuple[int, int, int]) -> None:
    assert (one_of_sixteen(rgb) in (0, 7, 8, 15)) == (max(rgb) - min(rgb) < COLORFUL)
    assert 16 <= nearest_indexed(rgb) <= 255


@pytest.mark.parametrize(
    ("color", "ink"), [("#0072b2", "#ffffff"), ("#f0e442", "#000000"), ("#000000", "#ffffff"), ("#e69f00", "#000000"), ("", "")]
)
def test_names_can_be_read_on_every_seats_color(color: str, ink: str) -> None:
    assert contrast(color) == ink


@pytest.mark.parametrize(
    ("environment", "expected"),
    [
        ({"TERM": "xterm"}, ColorDepth.SIXTEEN),
        ({"TERM": "xterm-256color"}, ColorDepth.INDEXED),
        ({"TERM": "xterm-256color", "COLORTERM": "truecolor"}, ColorDepth.TRUECOLOR),
        ({"TERM": "xterm-256color", "NO_COLOR": "1"}, ColorDepth.NONE),
        ({"TERM": "xterm-256color", "NO_COLOR": ""}, ColorDepth.INDEXED),
        ({"TERM": "dumb", "COLORTERM": "truecolor"}, ColorDepth.NONE),
    ],
)
def test_the_environment_says_how_many_colors(environment: dict[str, str], expected: ColorDepth) -> None:
    assert detect_options(FakeTerminal(), environment).colors is expected


def test_what_was_asked_for_wins() -> None:
    assert detect_options(FakeTerminal(), {"TERM": "xterm"}, color=False).colors is ColorDepth.NONE
    assert detect_options(io.StringIO(), {"TERM": "xterm", "NO_COLOR": "1"}, color=True).colors is ColorDepth.SIXTEEN
    assert detect_options(io.StringIO(), {"TERM": "xterm"}).colors is ColorDepth.NONE
    assert detect_options(FakeTerminal(), {}).unicode
    assert not detect_options(FakeTerminal(), {}, ascii_only=True).unicode
    assert not detect_options(LatinTerminal(), {}).unicode


def test_lines_of_pieces_are_cut_and_wrapped() -> None:
    options = DrawOptions(ColorDepth.SIXTEEN)
    assert render([Span("abc", "\x1b[1m"), Span("def")], 5, options) == "\x1b[1mabc\x1b[0md…"
    assert render([Span("abc", "\x1b[1m"), Span("def", "\x1b[1m")], 3, options) == "\x1b[1mabc\x1b[0m"
    pieces = [[Span("one")], [Span("two")], [Span("three")]]
    assert [[span.text for span in line] for line in fill(pieces, 8, 2)] == [["one"], ["two", "   ", "three"]]
