"""Texts, cards, tables and plots in a terminal, and printed."""

from __future__ import annotations

import io

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.simulator.replays.panel_games import THEME, dilemma, every_kind, high_card, played, theme_of
from tests.viewer.samples import plain, walk

from tiltyard_engine.replay import Frame, Replay
from tiltyard_engine.replay.panels import CardsPanel, PlotPanel, TablePanel, TextPanel
from tiltyard_viewer.drawing.colors import ColorDepth
from tiltyard_viewer.drawing.options import DrawOptions
from tiltyard_viewer.drawing.text import visible_width
from tiltyard_viewer.drawing.timeline import Timeline
from tiltyard_viewer.player.play import Display, watch
from tiltyard_viewer.player.playback import Playback
from tiltyard_viewer.player.screen import compose

ASCII = DrawOptions(unicode=False)
COLORS = DrawOptions(ColorDepth.TRUECOLOR)


def screen(
    replay: Replay, shown: int = 0, columns: int = 80, rows: int = 24, *, options: DrawOptions = ASCII, keys: str = ""
) -> list[str]:
    timeline = Timeline(replay)
    timeline.go_to(shown)
    playback = Playback(timeline, speed=8, step=True)
    for key in keys:
        playback.press(key)
        compose(playback, replay, THEME, options, columns, rows=rows)
    return compose(playback, replay, THEME, options, columns, rows=rows)


def test_each_kind_in_a_game_without_a_board() -> None:
    lines = screen(every_kind(width=0), 3)
    assert lines[:4] == [
        "-- 1 news ----------------------------------------------------------------------",
        "<script>alert(1)</script>evil",
        *["x" * 80] * 2,
    ]
    lines = screen(every_kind(width=0), 3, rows=60)
    cards = next(number for number, line in enumerate(lines) if "2 hand" in line)
    assert lines[cards : cards + 4] == [
        "-- 2 hand ----------   -- seeds ----",
        "[7c] [##] x 40         who  how many",
        "                       ann         3",
        "                       bo         12",
    ]
    plot = lines[cards + 4 :]
    assert plot[0].startswith("-- food ---")
    assert plot[1].startswith("3 ")
    assert plot[9] == "1 ann: 3   2 bo: 2.5   * lines that meet"
    assert plot[10].startswith("round 3 of 3")


def test_panels_stay_until_they_change_and_come_back_when_one_goes_back() -> None:
    replay = every_kind(width=0)
    timeline = Timeline(replay)
    shown = []
    for number in (0, 1, 3, 2, 1, 0):
        timeline.go_to(number)
        news, hand, seeds, food = (timeline.panel(title) for title in timeline.titles)
        assert isinstance(news, TextPanel)
        assert isinstance(hand, CardsPanel)
        values = tuple(food.values) if isinstance(food, PlotPanel) else None
        shown.append((len(news.lines), hand.hidden, seeds is not None, values))
    assert shown == [
        (2, 2, False, None),
        (2, 2, True, None),
        (2, 40, True, (3.0, 2.5)),
        (2, 2, True, (1.0, 2.5)),
        (2, 2, True, None),
        (2, 2, False, None),
    ]
    assert timeline.values_of("food") == [(), (), (1.0, 2.5), (3.0, 2.5)]


def test_a_seats_panels_are_in_its_colour_and_nothing_of_a_stranger_controls_the_terminal() -> None:
    drawn = "\n".join(screen(every_kind(width=0), 2, options=COLORS))
    assert "\x1b[1;38;2;0;0;0;48;2;230;159;0m 2 \x1b[0m" in drawn
    assert "\x1b[1;38;2;230;159;0mhand" in drawn
    assert "\x1b[2J" not in drawn
    assert "\u202e" not in drawn
    assert "K♥" in drawn


def test_beside_a_board_below_it_or_in_its_place() -> None:
    beside = screen(every_kind(), 1)
    assert beside[1].startswith("0 |")
    assert "a line" in beside[1]
    assert "t shows all panels" in beside[3]
    assert "t panels" in beside[-1]
    replay = walk(3, width=30, height=3)
    replay.frames[0] = Frame((), panels=(TextPanel("news", ["a line"]),))
    below = screen(replay, 1, columns=70)
    assert below[5] == "-- news --"
    assert below[6] == "a line"
    instead = screen(every_kind(), 1, keys="t")
    assert instead[0].startswith("-- news ")
    assert screen(every_kind(), 1, keys="tt") == beside
    assert screen(every_kind(width=0), 1, keys="t") == screen(every_kind(width=0), 1)


def test_what_is_higher_than_the_screen_scrolls() -> None:
    replay = Replay(game="g", width=0, height=0, squares=(), panels=(TextPanel("all", [f"line {number}" for number in range(40)]),))
    first, down = screen(replay, rows=12), screen(replay, rows=12, keys="jj")
    assert first[1] == "line 0"
    assert "lines 1-7 of 41" in first[7]
    assert down[0] == "line 1"
    assert screen(replay, rows=12, keys="j" * 40)[6] == "line 39"
    assert screen(replay, rows=12, keys="jjkk") == first


def test_a_table_is_aligned_and_rows_may_be_short() -> None:
    table = TablePanel("t", ["team", "points", "share"], [["ann", "3", "100%"], ["a longer one", "12"]], column_seats=(1,))
    replay = Replay(game="g", width=0, height=0, squares=(), panels=(table,))
    assert screen(replay)[1:4] == ["team          points  share", "ann                3   100%", "a longer one      12       "]
    assert "\x1b[1;38;2;0;114;178mteam" in screen(replay, options=COLORS)[1]


def test_a_plot_ends_at_the_round_that_is_shown() -> None:
    replay = Replay(game="g", width=0, height=0, squares=())
    replay.frames += [Frame(panels=(PlotPanel("p", [number], ["height"], [0]),)) for number in range(1, 21)]
    half, end = (screen(replay, shown, columns=60) for shown in (10, 20))
    assert half[1].rstrip() == "20                     |"
    assert "*" not in "".join(line[26:] for line in half[:9])
    assert end[1].rstrip().endswith("**")
    assert (half[9], end[9]) == ("height: 10", "height: 20")


@given(
    st.integers(1, 130),
    st.integers(1, 50),
    st.integers(0, 3),
    st.booleans(),
    st.sampled_from([ASCII, COLORS]),
    st.sampled_from(["", "t"]),
)
def test_it_fits_any_screen(columns: int, rows: int, shown: int, has_board: bool, options: DrawOptions, keys: str) -> None:
    lines = screen(every_kind(3 if has_board else 0), shown, columns, rows, options=options, keys=keys)
    assert len(lines) <= rows
    assert all(visible_width(plain(line)) <= columns for line in lines)


@pytest.mark.parametrize(("every_round", "cards"), [(False, 2), (True, 12)])
def test_into_a_pipe_go_the_last_state_or_what_each_round_changed(every_round: bool, cards: int) -> None:
    stdout = io.StringIO()
    watch(played(high_card()), theme_of(high_card()), Display(every_round=every_round, ascii_only=True), stdout=stdout)
    text = stdout.getvalue()
    assert text.count("played by") == cards
    assert text.count("[##] x 42") == 1
    assert text.endswith("Player 1 won with 3 tricks\n")


def test_the_last_state_has_its_plot() -> None:
    stdout = io.StringIO()
    watch(played(dilemma()), None, stdout=stdout)
    assert "cooperation in %" in stdout.getvalue()
    assert "1 tit-for-tat: 60   2 probing: 55\n* lines that meet\n" in stdout.getvalue()
    assert max(map(len, stdout.getvalue().splitlines())) <= 78
