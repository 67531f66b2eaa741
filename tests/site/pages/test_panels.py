"""Games with panels in a browser: all four kinds, in both looks, on a small screen, and for those who hear the page."""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from tests.made_records import made_record
from tests.simulator.replays.panel_games import BLUE, ORANGE, THEME, dilemma, every_kind, high_card, played
from tests.viewer.drawing.test_theme_colors import COLORED, colored

from tiltyard_engine.replay import SHAPES, Replay
from tiltyard_engine.results import GameResult
from tiltyard_simulator.replays.encoding import encode
from tiltyard_site.pages.replay_scripts import theme_value
from tiltyard_site.publication import SiteData, publish
from tiltyard_tournaments.standings import standings

Visiting = Callable[..., Any]

REPLAYS: dict[str, Callable[[], Replay]] = {
    "one": lambda: played(dilemma()),
    "two": lambda: played(high_card()),
    "three": every_kind,
    "four": lambda: every_kind(width=0),
    "five": lambda: other_news(every_kind(width=0)),
}
SHOWN = """() => [...document.querySelectorAll('.shown-panel')].map((panel) => [
  panel.getAttribute('aria-label'), panel.querySelector('.content').innerText, getComputedStyle(panel).borderLeftColor,
])"""
OVERFLOW = "() => document.documentElement.scrollWidth - window.innerWidth"
PAINTED = """([styles, size]) => {
  const look = { floor: '#f3f0e8', ink: '#1f1c19', track: '#2c2a28', shot: '#2c2a28' };
  return Object.entries(styles).map(([name, style]) => {
    const canvas = document.createElement('canvas');
    [canvas.width, canvas.height] = [size, size];
    const pen = canvas.getContext('2d');
    Tiltyard.shapes.draw(pen, size, 'x', style, look);
    const counts = new Map();
    const { data } = pen.getImageData(0, 0, size, size);
    for (let at = 0; at < data.length; at += 4) {
      if (data[at + 3] < 255 && style.shape !== 'broken block') continue;
      const color = '#' + [...data.slice(at, at + 3)].map((part) => part.toString(16).padStart(2, '0')).join('');
      counts.set(color, (counts.get(color) || 0) + 1);
    }
    return [name, [...counts].sort((one, other) => other[1] - one[1]).slice(0, 4).map(([color]) => color)];
  });
}"""


def other_news(replay: Replay) -> Replay:
    """The same but for a panel in its second round."""
    frames = list(replay.frames)
    frames[1] = dataclasses.replace(frames[1], panels=frames[1].panels[:1])
    return dataclasses.replace(replay, frames=frames)


@pytest.fixture(scope="module")
def games(tmp_path_factory: pytest.TempPathFactory) -> Path:
    claim = GameResult(winner=0, reason="", rounds=3, final_state=(), message="Tie")
    matches = [
        made_record(teams=("ann", "bo"), map="meadow", winner=0, ranks=(1, 1), key=key, claim=claim, place=place).outcome
        for place, key in enumerate(REPLAYS)
    ]
    folder = tmp_path_factory.mktemp("panels")
    data = SiteData(
        title="Panels",
        teams=["ann", "bo"],
        matches=matches,
        standings=standings(["ann", "bo"], matches),
        replay=lambda key: REPLAYS[key](),
        theme=THEME,
    )
    publish(data, folder)
    return folder


@pytest.mark.parametrize(("width", "look"), [(1280, "light"), (390, "dark")])
def test_each_kind_is_shown(visit: Visiting, games: Path, width: int, look: str) -> None:
    visitor = visit(games, viewport={"width": width, "height": 800}, color_scheme=look)
    page = visitor.match("match=4&round=3")
    assert page.query_selector(".stage") is None
    assert [page.query_selector(name) for name in (".zooming", ".ages")] == [None, None]
    shown = {title: (text, color) for title, text, color in page.evaluate(SHOWN)}
    assert list(shown) == ["news", "hand", "seeds", "food"]
    assert shown["news"][0].startswith("<script>alert(1)</script>evil\n")
    assert shown["news"][1] == "rgb(0, 114, 178)"
    assert shown["hand"] == ("7♣\n× 40", "rgb(230, 159, 0)")  # noqa: RUF001 -- as it is written on the page
    assert shown["seeds"][0].split() == ["who", "how", "many", "1ann", "3", "2bo", "12"]
    assert shown["food"][0].split("\n")[-4:] == ["1", "ann: 3", "2", "bo: 2.5"]
    assert page.evaluate(OVERFLOW) <= 0
    for title in ("news", "hand", "seeds", "food"):
        assert page.get_by_role("region", name=title, exact=True).count() >= 1
    assert page.get_by_role("img", name="40 cards face down").count() == 1
    assert page.get_by_role("columnheader", name="how many").count() == 1
    assert page.get_by_role("img", name="food: ann 3, bo 2.5").count() == 1
    page.keyboard.press("Home")
    assert [text for _, text, _ in page.evaluate(SHOWN)][1:] == ["7♣\nK♥", "", ""]
    page.keyboard.press("ArrowRight")
    assert "ann" in page.evaluate(SHOWN)[2][1]
    # With a board they stand below it and its controls.
    page = visitor.match("match=3&round=2")
    assert page.query_selector(".stage") is not None
    assert [title for title, _, _ in page.evaluate(SHOWN)] == ["news", "hand", "seeds", "food"]
    assert page.evaluate(OVERFLOW) <= 0


def test_a_plot_ends_at_the_round_and_a_click_in_it_goes_elsewhere(visit: Visiting, games: Path) -> None:
    page = visit(games).match("match=1&round=12")
    until = "() => document.querySelector('.panels clipPath rect').getAttribute('width')"
    assert page.evaluate(until) == "12"
    lines = page.evaluate("() => [...document.querySelectorAll('.panels .growth-line')].map((line) => line.getAttribute('stroke'))")
    assert lines == [BLUE, ORANGE]
    box = page.locator(".panels .growth-graph").bounding_box()
    page.mouse.click(box["x"] + box["width"] / 4, box["y"] + box["height"] / 2)
    assert page.evaluate(until) == "5"
    assert page.inner_text(".counter") == "5 / 20"


def test_the_replay_that_is_downloaded_is_the_one_that_was_recorded(visit: Visiting, games: Path) -> None:
    page = visit(games).match("match=1")
    for number, key in enumerate(("one", "two"), start=1):
        replay = REPLAYS[key]()
        text = page.evaluate(
            "async (id) => (await Tiltyard.Replays.of((await Tiltyard.load('data/matches-0'))[id])).file", str(number)
        )
        assert text.encode() == encode(dataclasses.replace(replay, seats=("ann", "bo"))), number


def test_two_games_without_boards_are_compared_by_their_panels(visit: Visiting, games: Path) -> None:
    page = visit(games).match("match=4&with=5")
    assert page.inner_text(".difference-head").startswith("The panels first differ after turn 2.")
    page.click(".to-difference")
    assert page.inner_text(".counter") == "2 / 3"
    assert page.locator(".pair .shown-panel").count() == 8
    # Two landmarks of one name could not be told apart.
    names = page.evaluate("() => [...document.querySelectorAll('section[aria-label]')].map((section) => section.ariaLabel)")
    assert {"news, game 4", "news, game 5", "player 1, game 4", "player 1, game 5"} <= set(names)
    assert len(set(names)) == len(names)


def test_every_shape_has_its_own_colour_or_its_seats(visit: Visiting, games: Path) -> None:
    """The same table as for terminals and pictures."""
    page = visit(games).match("match=3")
    styles, expected = {}, {}
    for shape in SHAPES:
        for how in COLORED if shape not in ("nothing", "broken block") else ():
            theme, color = colored(shape, how)
            name = f"{shape}, {how}"
            styles[name] = theme_value(theme)["styles"]["x"]
            expected[name] = color
    for size in (12, 32):
        painted = dict(page.evaluate(PAINTED, [styles, size]))
        assert {name for name in expected if expected[name] not in painted[name]} == set(), json.dumps(painted)
