from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.viewer.samples import THEME, plain

from tiltyard_viewer.drawing.colors import ColorDepth
from tiltyard_viewer.drawing.draw import LISTED_DIFFERENCES, Viewport, draw_board, draw_side_by_side
from tiltyard_viewer.drawing.options import DrawOptions
from tiltyard_viewer.drawing.text import visible_width

SMALL = ["a0", "#", " ", " ", "a1", "?"]
ASCII = DrawOptions(unicode=False)
TITLES = ("reference", "other")

tokens = st.sampled_from([" ", "#", "a0", "a1"]) | st.text(min_size=1, max_size=4)
views = st.builds(Viewport, st.integers(-3, 50), st.integers(-3, 50), st.integers(1, 40), st.integers(1, 40))
options_of_all_kinds = st.builds(DrawOptions, st.sampled_from(ColorDepth), st.booleans())


@st.composite
def boards(draw: st.DrawFn) -> tuple[int, list[str]]:
    width, height = draw(st.integers(1, 14)), draw(st.integers(1, 12))
    return width, draw(st.lists(tokens, min_size=width * height, max_size=width * height))


def test_a_board_in_ascii() -> None:
    assert draw_board(SMALL, 3, THEME, ASCII) == [
        "  +0-----+",
        "0 |a^##  |",
        "1 |  a>? |",
        "  +------+",
    ]


def test_columns_and_rows_by_the_games_own_names() -> None:
    named = replace(THEME, column_names=("a", "b", "c"), row_names=("2", "1"))
    assert draw_board(SMALL, 3, named, ASCII) == [
        "  +a-b-c-+",
        "2 |a^##  |",
        "1 |  a>? |",
        "  +------+",
    ]


def test_a_board_in_unicode() -> None:
    assert draw_board(SMALL, 3, THEME, DrawOptions()) == [
        "  ┌0─────┐",
        "0 │a↑██  │",
        "1 │  a→? │",
        "  └──────┘",
    ]


def test_colors_change_nothing_but_colors() -> None:
    for depth in ColorDepth:
        lines = draw_board(SMALL, 3, THEME, DrawOptions(depth))
        assert [plain(line) for line in lines] == draw_board(SMALL, 3, THEME, DrawOptions())
        assert any("\x1b" in line for line in lines) == (depth is not ColorDepth.NONE)


def test_a_part_of_a_board_keeps_its_coordinates_and_shows_where_it_goes_on() -> None:
    squares = [" "] * 400
    squares[11 * 20 + 6] = "#"
    assert draw_board(squares, 20, THEME, ASCII, Viewport(5, 10, 3, 10))[:3] == [
        "   +5.....+",
        "10 :      :",
        "11 :  ##  :",
    ]
    assert draw_board(squares, 20, THEME, ASCII, Viewport(17, 18, 3, 2)) == [
        "   +......+",
        "18 :      |",
        "19 :      |",
        "   +------+",
    ]


def test_marked_squares_stand_in_brackets_where_there_are_no_colors() -> None:
    assert draw_board(SMALL, 3, THEME, ASCII, marked={0, 1, 5})[1:3] == ["0 |[a^|##]   |", "1 |    a>[? ]|"]
    colored = draw_board(SMALL, 3, THEME, DrawOptions(ColorDepth.INDEXED), marked={2})
    assert "[1;38;5;231;48;5;124m  " in colored[1]


@given(boards(), options_of_all_kinds, st.sets(st.integers(0, 40)), views)
def test_all_lines_are_equally_wide(board: tuple[int, list[str]], options: DrawOptions, marked: set[int], part: Viewport) -> None:
    width, squares = board
    for view in (None, part):
        lines = draw_board(squares, width, THEME, options, view, marked=marked)
        assert len({visible_width(plain(line)) for line in lines}) == 1
        shown = Viewport(0, 0, 99, 99) if view is None else view
        assert len(lines) == 2 + min(shown.height, len(squares) // width)
        if options.colors is ColorDepth.NONE:
            assert not any("\x1b" in line for line in lines)
        if not options.unicode:
            assert all(line.isascii() for line in lines)


def test_two_boards_side_by_side() -> None:
    other = [*SMALL]
    other[1], other[4] = " ", "a0"
    assert draw_side_by_side(SMALL, other, 3, THEME, TITLES, options=ASCII) == [
        "reference         other",
        "  +-0--------+      +-0--------+",
        "0 | a^[##]   | != 0 | a^[  ]   |",
        "1 |   [a>]?  | != 1 |   [a^]?  |",
        "  +----------+      +----------+",
        "2 squares differ (x,y): reference vs other",
        "  (1,0): wall vs empty",
        "  (1,1): ant facing right vs ant facing up",
    ]


def test_equal_boards_have_no_marks() -> None:
    lines = draw_side_by_side(SMALL, SMALL, 3, THEME, TITLES, options=ASCII)
    assert lines[1:3] == ["  +0-----+      +0-----+", "0 |a^##  |    0 |a^##  |"]
    assert lines[-1] == "no square differs"


def test_a_long_list_of_differences_is_cut() -> None:
    lines = draw_side_by_side(["#"] * 30, [" "] * 30, 6, THEME, TITLES, options=ASCII)
    assert lines[-3:] == ["  (0,3): wall vs empty", "  (1,3): wall vs empty", "  and 10 more"]


def test_boards_of_different_sizes_cannot_be_compared() -> None:
    with pytest.raises(ValueError, match="6 and 5 squares"):
        draw_side_by_side(SMALL, SMALL[:5], 3, THEME, TITLES, options=ASCII)


def test_boards_too_wide_for_the_terminal_are_stacked_then_clipped_to_the_differences() -> None:
    left = [" "] * 600
    right = [*left]
    right[3 * 60 + 55] = "#"
    stacked = draw_side_by_side(left, right, 60, THEME, TITLES, options=DrawOptions(columns=200))
    assert len(stacked) == 2 * (12 + 1) + 1 + 2
    clipped = draw_side_by_side(left, right, 60, THEME, TITLES, options=DrawOptions(columns=40))
    assert max(visible_width(line) for line in clipped) <= 40
    assert sum("[██]" in line for line in clipped) == 1


@given(boards(), st.data(), options_of_all_kinds, st.none() | st.integers(30, 120))
def test_comparisons_keep_to_the_width_and_name_every_difference(
    board: tuple[int, list[str]], data: st.DataObject, options: DrawOptions, columns: int | None
) -> None:
    width, left = board
    right = [data.draw(tokens) if square % 5 == 0 else token for square, token in enumerate(left)]
    options = DrawOptions(options.colors, options.unicode, columns)
    lines = [plain(line) for line in draw_side_by_side(left, right, width, THEME, TITLES, options=options)]
    assert columns is None or max(visible_width(line) for line in lines) <= columns
    differing = [square for square in range(len(left)) if left[square] != right[square]]
    for square in range(len(left)):
        named = any(line.startswith(f"  ({square % width},{square // width}): ") for line in lines)
        assert named == (square in differing[:LISTED_DIFFERENCES])


def test_the_view_stays_while_it_shows_what_changes_and_then_goes_there() -> None:
    board = (100, 50)
    view = Viewport(0, 0, 20, 10)
    assert view.follow([5 * 100 + 5, 40 * 100 + 90], board) == view
    assert view.follow([], board) == view
    assert view.follow([30 * 100 + 60], board) == Viewport(50, 25, 20, 10)
    assert view.follow([49 * 100 + 99], board) == Viewport(80, 40, 20, 10)


@given(views, st.lists(st.integers(0, 29 * 17 - 1)))
def test_the_view_is_always_on_the_board(part: Viewport, squares: list[int]) -> None:
    view = part.follow(squares, (29, 17))
    assert 0 <= view.x <= view.x + view.width <= 29
    assert 0 <= view.y <= view.y + view.height <= 17
    assert (view.width, view.height) == (min(part.width, 29), min(part.height, 17))
