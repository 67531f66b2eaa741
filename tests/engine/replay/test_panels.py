from __future__ import annotations

from collections.abc import Callable

import pytest

from tiltyard_engine import CardsPanel, Panel, PlotPanel, ReplayRecorder, TablePanel, TextPanel


def test_what_was_recorded_stays_when_the_games_own_lists_change() -> None:
    cards, rows, values = ["7♣"], [["ann", "1"]], [1.0]
    recorder = ReplayRecorder("cards")
    recorder.start(panels=[CardsPanel("hand", cards), TablePanel("table", ["a", "b"], rows), PlotPanel("plot", values)])
    cards.append("8♣")
    rows[0][1] = "2"
    values[0] = 2.0
    hand, table, plot = recorder.replay.panels
    assert (hand, plot) == (CardsPanel("hand", ("7♣",)), PlotPanel("plot", (1.0,)))
    assert isinstance(table, TablePanel)
    assert table.rows == (("ann", "1"),)
    assert (recorder.replay.squares, recorder.replay.rows_after(0)) == ((), ())


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: TextPanel("", ["a"]), "a panel has no title"),
        (lambda: TextPanel("news", [], seat=10), "the panel 'news' belongs to seat 10: expected 1 to 9, or 0 for nobody"),
        (lambda: TablePanel("table", [], [], row_seats=(1, -1)), "the panel 'table' belongs to seat -1"),
        (lambda: CardsPanel("hand", [], hidden=-1), "the panel 'hand' has -1 hidden cards: expected 0 to 9999"),
        (lambda: PlotPanel("plot", [float("nan")]), "the panel 'plot' has the value nan"),
        (lambda: PlotPanel("plot", [1e16]), "the panel 'plot' has the value 1e"),
        (lambda: PlotPanel("plot", [1, 2], seats=(1,)), "the panel 'plot' has 2 values, but 1 seats"),
    ],
)
def test_there_is_no_panel_that_no_viewer_could_show(make: Callable[[], Panel], message: str) -> None:
    with pytest.raises(ValueError, match=message.replace("(", r"\(")):
        make()


def test_what_is_no_panel_is_refused_when_it_is_recorded() -> None:
    recorder = ReplayRecorder("cards")
    with pytest.raises(TypeError, match="a panel is a str: expected a TextPanel, a CardsPanel, a TablePanel, a PlotPanel"):
        recorder.frame(panels=["hand"])  # type: ignore[list-item]


def test_lines_of_a_plot_belong_to_the_seats_in_their_order_unless_it_says_whose() -> None:
    assert PlotPanel("plot", [1, 2]).owners == (1, 2)
    assert PlotPanel("plot", [1, 2], seats=(0, 1)).owners == (0, 1)
    assert PlotPanel("plot", range(11)).owners[8:] == (9, 0, 0)


def test_a_text_that_is_one_string_is_one_line() -> None:
    assert TextPanel("news", "a line").lines == ("a line",)
