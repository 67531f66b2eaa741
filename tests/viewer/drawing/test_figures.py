from __future__ import annotations

import io

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.viewer.samples import THEME, plain

from tiltyard_engine.replay import FigureStyle, Frame, Replay, Theme
from tiltyard_viewer.drawing.colors import ColorDepth
from tiltyard_viewer.drawing.figures import draw_figure, draw_small, figures_of, read_figure, sized
from tiltyard_viewer.drawing.options import DrawOptions, render
from tiltyard_viewer.drawing.text import visible_width
from tiltyard_viewer.drawing.timeline import Timeline
from tiltyard_viewer.player.play import Display, watch
from tiltyard_viewer.player.playback import Playback
from tiltyard_viewer.player.screen import compose

STYLE = FigureStyle(".", "O", after="has")
FIGURED = Theme(styles=THEME.styles, seat_colors=THEME.seat_colors, figures=STYLE)
ASCII = DrawOptions(unicode=False)


def one(action: str, theme: Theme = FIGURED) -> Frame:
    """The first actor waits."""
    return Frame((), ("waits", action))


def a_match(word: str, width: int = 4, height: int = 6) -> Replay:
    squares = (" ",) * (width * height)
    return Replay(
        game="ants",
        width=width,
        height=height,
        squares=squares,
        seats=("ann", "bo"),
        frames=[one(f"has {word} to place"), Frame((), ("", f"{word} at 0 0"))],
    )


@pytest.mark.parametrize("word", ["", ".", "./.", "O/OO", "OX", "/O", "O//O", "O" * 201, "/".join("O" * 201)])
def test_words_that_are_no_figures(word: str) -> None:
    assert read_figure(word, STYLE) is None
    assert figures_of(one(f"has {word} to place"), STYLE) == []
    assert sized(f"has {word} to place", STYLE) == f"has {word} to place"


def test_the_figure_behind_the_games_word_is_drawn() -> None:
    (figure,) = figures_of(one("O/O at 3 4; has .OO/OO.; to place next"), STYLE)
    assert (figure.actor, figure.rows, figure.words) == (1, ((False, True, True), (True, True, False)), "to place next")
    assert figures_of(one("has .OO/OO. to place"), None) == []


def test_all_others_are_told_by_their_sizes() -> None:
    assert sized("O/O at 3 4; has .OO/OO. to place", STYLE) == "1x2 at 3 4; has 3x2 to place"
    assert sized("O/O: failed", STYLE) == "1x2: failed"
    assert sized("O/O: failed", None) == "O/O: failed"


def test_drawings() -> None:
    (figure,) = figures_of(one("has .OO/OO./O.. now"), STYLE)

    def lines(small: bool, options: DrawOptions) -> list[str]:
        return [render(spans, 80, options) for spans in (draw_small if small else draw_figure)(figure, FIGURED, options)]

    assert lines(False, ASCII) == [". ####", "####. ", "##. . "]
    assert lines(False, DrawOptions()) == ["· ████", "████· ", "██· · "]
    assert lines(True, ASCII) == [".##", "##.", "#.."]
    assert lines(True, DrawOptions()) == ["▄█▀", "▀  "]
    assert "38;2;230;159;0" in lines(False, DrawOptions(ColorDepth.TRUECOLOR))[0]


def screen(replay: Replay, columns: int, rows: int, options: DrawOptions = ASCII, shown: int = 1) -> list[str]:
    playback = Playback(Timeline(replay), speed=8, step=True)
    playback.timeline.go_to(shown)
    return compose(playback, replay, FIGURED, options, columns, rows=rows)


def test_beside_a_board_that_leaves_room() -> None:
    lines = screen(a_match(".O/OO/O."), 30, 20)
    assert lines[:9] == [
        "  +0-------+  2 to place",
        "0 |        |  . ##",
        "1 |        |  ####",
        "2 |        |  ##. ",
        "3 |        |",
        "4 |        |",
        "5 |        |",
        "  +--------+",
        "round 1 of 2  paused  8/s",
    ]
    assert any("2 has 2x3 to place" in line for line in lines)


def test_a_large_one_is_drawn_small() -> None:
    word = "/".join("O" * 13 for _ in range(6))
    lines = screen(a_match(word), 28, 20, DrawOptions())
    assert lines[1] == "0 │        │  " + "█" * 13
    assert lines[4] == "3 │        │"
    assert screen(a_match(word), 25, 20, DrawOptions())[1] == "0 │        │"


def test_a_board_larger_than_the_screen_gives_columns_up_for_it() -> None:
    replay = a_match("OOO", 40, 40)
    lines = screen(replay, 60, 24)
    assert lines[0].endswith("2 to place")
    assert lines[1].endswith("  ###")
    assert max(map(len, lines)) <= 60
    assert "2 has 3x1 to place" in "\n".join(lines)


def test_where_there_is_no_room_it_stays_text() -> None:
    assert "2 has OOO to place" in "\n".join(screen(a_match("OOO"), 22, 20))


def test_without_a_figure_in_this_round_its_place_stays_empty() -> None:
    lines = screen(a_match("O/O"), 30, 20, shown=2)
    assert lines[1] == "0 |        |"
    assert any("2 1x2 at 0 0" in line for line in lines)


def test_in_a_pipe_they_stand_above_the_board() -> None:
    stdout = io.StringIO()
    watch(a_match(".O/O.", 2, 1), FIGURED, Display(every_round=True), stdout=stdout)
    assert stdout.getvalue().split("round 1\n")[1].splitlines()[:6] == [
        "1 ann   2 bo",
        "1 waits   2 has 2x2 to place",
        "2 to place",
        ". ##",
        "##.",
        "  +0---+",
    ]


@given(
    st.lists(st.tuples(st.integers(1, 30), st.integers(1, 30)), min_size=1, max_size=3),
    st.integers(1, 100),
    st.integers(1, 40),
    st.integers(1, 40),
    st.booleans(),
)
def test_any_figures_fit(sizes: list[tuple[int, int]], columns: int, rows: int, side: int, unicode: bool) -> None:
    replay = Replay(game="ants", width=side, height=side, squares=(" ",) * (side * side), seats=("ann", "bo"))
    actions = tuple("has " + "/".join(["O" * width] * height) for width, height in sizes)
    replay.frames += [Frame((), actions, (1.0, 2.0)), Frame((), actions, (1.0, 3.0))]
    lines = screen(replay, columns, rows, DrawOptions(ColorDepth.NONE, unicode), shown=2)
    assert 1 <= len(lines) <= rows
    assert max(visible_width(plain(line)) for line in lines) <= columns
