"""The published site for people who use a keyboard, a screen reader, another look, or who want no motion."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

from tests.made_records import made_record
from tests.site.axe import OPTIONS, violations
from tests.site.conftest import wait_until

from tiltyard_engine.replay import Frame, Replay, SquareStyle, Theme
from tiltyard_engine.results import GameResult
from tiltyard_site.publication import SiteData, publish
from tiltyard_tournaments.standings import standings

Visiting = Callable[..., Any]

PAGES = ("index.html", "team-acorn.html", "matches.html")
MATCHES = ("match=1", "match=1&with=2")


def test_axe_finds_nothing_on_any_kind_of_page(visit: Visiting, site: Path) -> None:
    visitor = visit(site, **OPTIONS)
    found: list[str] = []
    for name in PAGES:
        found += violations(visitor.open(name))
    for asked in MATCHES:
        found += violations(visitor.match(asked))
    assert found == []


def test_axe_does_find_what_is_wrong(visit: Visiting, site: Path) -> None:
    visitor = visit(site, **OPTIONS)
    page = visitor.open("team-acorn.html")
    page.evaluate("document.querySelector('main h1').insertAdjacentHTML('afterend', '<img src=\"data:,\"><h4>x</h4>')")
    found = violations(page)
    assert {line.split(": ")[1] for line in found} == {"image-alt", "heading-order"}


def test_a_screen_reader_hears_what_the_board_shows(visit: Visiting, site: Path, cup: SiteData) -> None:
    page = visit(site).match("match=1")
    replay = cup.replay(cup.matches[0].key)
    assert replay is not None
    last = len(replay.frames)

    def label() -> str:
        text: str = page.get_attribute("canvas.board", "aria-label")
        return text

    tanks = sum(square.startswith("1") for square in replay.squares)
    assert label().startswith(f"Board of {replay.width} by {replay.height} squares: {' against '.join(replay.seats)}")
    assert f"Turn 0 of {last}; player 1 has {tanks} square" in label()
    page.focus("canvas.board")
    page.keyboard.press("End")
    left = [sum(square.startswith(str(seat)) for square in replay.squares_after(last)) for seat in (1, 2)]
    assert f"Turn {last} of {last}" in label()
    for seat, count in enumerate(left, start=1):
        assert (f"player {seat} has {count} square" in label()) is (count > 0)
    assert page.get_attribute(".seek", "aria-valuetext") == f"turn {last} of {last}"


def test_a_screen_reader_hears_whose_turn_it_is(visit: Visiting, tmp_path: Path) -> None:
    frames = [Frame(((0, " "), (1, "a")), ("e4", "")), Frame((), ("", "e5")), Frame((), ("f4", "g5"))]
    replay = Replay(
        game="ants", width=3, height=1, squares=("a", " ", " "), seats=("red", "blue"), title="meadow", message="Tie", frames=frames
    )
    claim = GameResult(winner=0, reason="", rounds=3, final_state=(), message="Tie")
    matches = [made_record(teams=("red", "blue"), map="meadow", winner=0, ranks=(1, 1), key="one", claim=claim, place=0).outcome]
    table = standings(["red", "blue"], matches)
    theme = Theme(styles={"a": SquareStyle(glyph="a", plain="a", label="ant", seat=1)}, seat_colors=("#0072b2",))
    publish(
        SiteData(title="Ants", teams=["red", "blue"], matches=matches, standings=table, replay=lambda key: replay, theme=theme),
        tmp_path,
    )
    page = visit(tmp_path).match("match=1")
    told = []
    for _ in range(4):
        told.append(page.get_attribute("canvas.board", "aria-label").split(". ")[1])
        page.keyboard.press("ArrowRight")
    assert told == [
        "Turn 0 of 3; player 1 is next; player 1 has 1 square.",
        "Turn 1 of 3; player 1: e4; player 2 is next; player 1 has 1 square.",
        "Turn 2 of 3; player 2: e5; player 1 has 1 square.",
        "Turn 3 of 3; player 1 has 1 square.",
    ]


FOCUSED = """
[...document.querySelectorAll('a[href], button, select, input, summary, [tabindex="0"]')]
  .filter((one) => one.checkVisibility() && !one.disabled)
  .map((one) => { one.focus(); return document.activeElement === one; })
"""


def test_the_keyboard_reaches_all_that_can_be_pressed(visit: Visiting, site: Path) -> None:
    page = visit(site).match("match=1")
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.className") == "skip"
    page.keyboard.press("Enter")
    wait_until(page, "document.activeElement.id === 'main'")
    reached = page.evaluate(FOCUSED)
    assert len(reached) > 20
    assert all(reached)


def test_nothing_moves_for_who_wants_no_motion(visit: Visiting, site: Path) -> None:
    here = visit(site, reduced_motion="reduce")
    page = here.open("index.html")
    moving = "[...document.querySelectorAll('*')].filter((one) => parseFloat(getComputedStyle(one).transitionDuration) > 0).length"
    assert page.evaluate(moving) == 0
    page.emulate_media(reduced_motion="no-preference")
    assert page.evaluate(moving) > 0
    page.emulate_media(reduced_motion="reduce")
    page = here.match("match=1")
    assert page.get_attribute(".play", "aria-label") == "Play"
    assert page.evaluate("document.getAnimations().length") == 0
