"""Figures that actions tell of, in a browser."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

from tests.made_records import made_record

from tiltyard_engine.replay import FigureStyle, Frame, Replay, SquareStyle, Theme
from tiltyard_engine.results import GameResult
from tiltyard_site.pages.replay_scripts import theme_value
from tiltyard_site.publication import SiteData, publish
from tiltyard_tournaments.standings import standings

Visiting = Callable[..., Any]

PIECES = Theme(
    styles={" ": SquareStyle(glyph="  ", plain="  ")},
    seat_colors=("#0072b2", "#e69f00"),
    figures=FigureStyle(".", "O", after="has"),
)
ACTIONS = "() => [...document.querySelectorAll('.action')].map((cell) => cell.textContent)"
TAKEN = "() => [...document.querySelectorAll('.figure-taken')].map((path) => [path.getAttribute('d'), path.getAttribute('fill')])"


def a_game(folder: Path, theme: Theme, *actions: tuple[str, str]) -> None:
    frames = [Frame((), of_round, (1.0, 0.0)) for of_round in actions]
    replay = Replay(
        game="pieces", width=2, height=1, squares=(" ", " "), seats=("red", "blue"), title="meadow", message="Tie", frames=frames
    )
    match = made_record(
        teams=("red", "blue"),
        map="meadow",
        winner=0,
        ranks=(1, 1),
        key="one",
        claim=GameResult(winner=0, reason="", rounds=len(frames), final_state=(), message="Tie"),
        place=0,
    ).outcome
    teams = ["red", "blue"]
    publish(
        SiteData(
            title="Pieces",
            teams=teams,
            matches=[match],
            standings=standings(["red", "blue"], [match]),
            replay={"one": replay}.get,
            theme=theme,
        ),
        folder,
    )


def test_the_figure_to_be_placed_is_drawn_and_others_are_told_by_size(visit: Visiting, tmp_path: Path) -> None:
    a_game(tmp_path, PIECES, ("O/O at 0 0", "has .OO/OO. to place"), ("has O/O to place", ".OO/OO. at 3 4: out"))
    page = visit(tmp_path).match("match=1&round=1")
    assert page.evaluate(ACTIONS) == ["1\xd72 at 0 0", "has  to place"]
    assert page.evaluate(TAKEN) == [["M1 0h1v1h-1zM2 0h1v1h-1zM0 1h1v1h-1zM1 1h1v1h-1z", "#e69f00"]]
    assert page.get_attribute(".figure", "aria-label") == "3 by 2: .OO OO."
    assert page.locator(".figure").bounding_box()["width"] == 30
    page.click(".on")
    assert page.evaluate(ACTIONS) == ["has  to place", "3\xd72 at 3 4: out"]
    assert [color for _, color in page.evaluate(TAKEN)] == ["#0072b2"]


def test_nothing_jumps_when_a_figure_comes_or_goes(visit: Visiting, tmp_path: Path) -> None:
    a_game(tmp_path, PIECES, ("waits", f"has {'/'.join(['O'] * 9)} to place"), ("waits", "waits"))
    page = visit(tmp_path).match("match=1&round=1")
    before = page.locator(".events, .event-part").first.bounding_box()["y"]
    page.click(".on")
    assert page.query_selector(".figure") is None
    assert page.locator(".events, .event-part").first.bounding_box()["y"] == before


def test_large_figures_stay_small(visit: Visiting, tmp_path: Path) -> None:
    a_game(tmp_path, PIECES, ("", f"has {'/'.join(['O' * 40] * 30)} to place"))
    box = visit(tmp_path).match("match=1&round=1").locator(".figure").bounding_box()
    assert (box["width"], box["height"]) == (120, 90)


def test_what_is_no_figure_stays_text(visit: Visiting, tmp_path: Path) -> None:
    actions = ("has .. to place", "has O/OO to place", "has O<b>/O<b> now", "has")
    a_game(tmp_path, PIECES, *((action, "has O now") for action in actions))
    page = visit(tmp_path).match("match=1")
    for action in actions:
        page.click(".on")
        assert page.evaluate(ACTIONS)[0] == action
        assert len(page.evaluate(TAKEN)) == 1


def test_a_theme_without_figures_leaves_words_alone(visit: Visiting, tmp_path: Path) -> None:
    a_game(tmp_path, Theme(styles=PIECES.styles, seat_colors=PIECES.seat_colors), ("has O/O to place", ""))
    page = visit(tmp_path).match("match=1&round=1")
    assert page.evaluate(ACTIONS) == ["has O/O to place", "\u2013"]
    assert "figures" not in theme_value(Theme(styles={}))
