"""The graph of the scores, and squares that fade by age, in a browser."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from tests.site.pages.test_viewer import PIXELS, counter, two_games

from tiltyard_engine.replay import Frame

Visiting = Callable[..., Any]

NOW = "() => document.querySelector('.growth-now').getAttribute('x1')"
LINES = (
    "() => [...document.querySelectorAll('.growth-line')].map((line) => [line.getAttribute('points'), line.getAttribute('stroke')])"
)
CORNERS = """() => {
  const board = document.querySelector('canvas.board');
  const copy = document.createElement('canvas');
  [copy.width, copy.height] = [board.width, board.height];
  const pen = copy.getContext('2d', { willReadFrequently: true });
  pen.drawImage(board, 0, 0);
  const at = (x) => [...pen.getImageData(x * board.width, board.height / 4, 1, 1).data.slice(0, 3)];
  return [at(1 / 6), at(3 / 6), at(5 / 6)];
}"""


@pytest.fixture
def ants(tmp_path: Path) -> Path:
    two_games(tmp_path)
    return tmp_path


def test_scores_are_drawn_as_steps_in_the_colours_of_the_seats(visit: Visiting, ants: Path) -> None:
    page = visit(ants).match("match=1")
    red, blue = page.evaluate(LINES)
    assert red == ["1,50 3,50 3,0 3,0", "#0072b2"]
    assert blue == ["1,100 3,100", "currentColor"]
    assert page.inner_text(".growth-high") == "2"
    assert "player 1 has 2, player 2 has 0" in page.get_attribute(".growth-graph", "aria-label")


def test_the_round_that_is_shown_is_marked_and_a_click_goes_there(visit: Visiting, ants: Path) -> None:
    page = visit(ants).match("match=1")
    assert page.evaluate(NOW) == "0"
    page.click(".on")
    assert page.evaluate(NOW) == "1"
    box = page.locator(".growth-graph").bounding_box()
    page.mouse.click(box["x"] + box["width"] * 0.95, box["y"] + box["height"] / 2)
    assert counter(page) == "3 / 3"
    assert page.evaluate(NOW) == "3"


def test_scores_that_never_change_have_no_graph(visit: Visiting, tmp_path: Path) -> None:
    two_games(tmp_path, [Frame(((0, " "), (1, "a")), ("right",), (1.0, 1.0)), Frame((), ("stay",), (1.0, 1.0))])
    page = visit(tmp_path).match("match=2")
    assert page.query_selector(".growth") is None
    assert page.query_selector(".ages") is not None


def test_what_is_old_fades(visit: Visiting, tmp_path: Path) -> None:
    two_games(
        tmp_path,
        [Frame(((1, "a"),), ("right",), (2.0, 0.0)), Frame((), ("stay",), (2.0, 0.0)), Frame(((2, "a"),), ("right",), (3.0, 0.0))],
    )
    page = visit(tmp_path).match("match=2&round=3")
    old, middle, new = page.evaluate(CORNERS)
    assert old == middle == new
    before = page.evaluate(PIXELS)
    page.click(".ages")
    assert page.get_attribute(".ages", "aria-pressed") == "true"
    faded = page.evaluate(CORNERS)
    assert faded[2] == new
    assert faded[0] != faded[1] != new
    page.click(".back")
    page.click(".on")
    assert page.evaluate(CORNERS) == faded
    page.click(".ages")
    assert page.evaluate(PIXELS) == before
