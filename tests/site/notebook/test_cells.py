"""Results below the cells of a notebook that was executed, in a browser."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from tests.site.conftest import settle, wait_until
from tests.tournaments.library.executed_notebook import DARK, execute, page

from tiltyard_engine.match_record import Outcome
from tiltyard_engine.replay import Frame, Replay
from tiltyard_site.notebook.cells import match_html, replay_html, table_html

Visiting = Callable[..., Any]
CELLS = (
    """
import tiltyard_tournaments as tiltyard
from tiltyard_engine import ActionRequest, TankAlgorithm

class Shooter(TankAlgorithm):
    def get_action(self):
        return ActionRequest.SHOOT
    def update_battle_info(self, info):
        pass
""",
    "tiltyard.play([Shooter, 'acorn'], 'narrow-pass')",
    "cup = tiltyard.tournament(teams=[Shooter, 'acorn', 'bramble'], maps='narrow-pass', title='Cup <b>1</b>')\ncup.run()",
    "cup.table('crosstable')",
    "cup.ratings()",
    "cup.results()",
    "tiltyard.compare(Shooter, 'acorn', maps=['narrow-pass', 'back-yard'], budget=4)",
)
PIXELS = "document.querySelector('canvas.board').toDataURL()"


@pytest.fixture(scope="module")
def values() -> list[Any]:
    return execute(CELLS)


@pytest.fixture
def notebook(values: list[Any], visit: Visiting, tmp_path: Path) -> Callable[..., Any]:
    def shown(look: str = "", **options: Any) -> Any:
        (tmp_path / "notebook.html").write_text(page(CELLS, values, look), encoding="utf-8")
        opened = visit(tmp_path, **options).open("notebook.html")
        opened.wait_for_selector("iframe.tiltyard-replay")
        frame = player(opened)
        wait_until(frame, "document.querySelector('.counter') !== null")
        settle(frame)
        return opened

    return shown


def player(notebook: Any) -> Any:
    """What is in the frame of the replay."""
    return notebook.query_selector("iframe.tiltyard-replay").content_frame()


def test_the_player_draws_and_steps(notebook: Callable[..., Any], values: list[Any]) -> None:
    frame = player(notebook())
    last = values[1].rounds
    assert frame.inner_text(".counter") == f"0 / {last}"
    assert frame.inner_text("h1.versus").split("\n")[::2] or frame.inner_text("h1.versus")
    start = frame.evaluate(PIXELS)
    frame.click(".control.on")
    assert frame.inner_text(".counter") == f"1 / {last}"
    frame.click(".control.end")
    assert frame.inner_text(".counter") == f"{last} / {last}"
    assert frame.evaluate(PIXELS) != start
    frame.click(".control.first")
    assert frame.evaluate(PIXELS) == start
    frame.press(".seek", "PageDown")
    assert frame.inner_text(".counter") == f"10 / {last}"
    assert frame.evaluate("document.documentElement.scrollHeight <= innerHeight"), "all of it fits into its frame"


def test_it_is_as_light_or_dark_as_the_notebook(notebook: Callable[..., Any]) -> None:
    opened = notebook(DARK)
    frame = player(opened)
    wait_until(frame, "document.documentElement.dataset.appearance === 'dark'")
    dark = frame.evaluate(PIXELS)
    opened.evaluate("document.body.style = 'background: #fff; color: #111'")
    wait_until(frame, "document.documentElement.dataset.appearance === 'light'")
    settle(frame)
    assert frame.evaluate(PIXELS) != dark


def test_tables_fit_the_cell_and_look_alike_in_any_notebook(notebook: Callable[..., Any]) -> None:
    opened = notebook()
    for width in (1280, 360):
        opened.set_viewport_size({"width": width, "height": 800})
        assert opened.evaluate("innerWidth") == width
        assert opened.evaluate("document.documentElement.scrollWidth <= innerWidth")
        bars = opened.evaluate(
            "[...document.querySelectorAll('.standings .points')].map((bar) => bar.getBoundingClientRect().width)"
        )
        assert bars == sorted(bars, reverse=True)
        assert bars[0] > 2 * bars[-1]
    striped = "[...document.querySelectorAll('.tiltyard-cell tr')].map((row) => getComputedStyle(row).backgroundColor)"
    assert set(opened.evaluate(striped)) == {"rgba(0, 0, 0, 0)"}
    tints = "[...document.querySelectorAll('.tinted td:not(.none)')].map((cell) => getComputedStyle(cell).backgroundColor)"
    assert len(set(opened.evaluate(tints))) >= 3
    assert opened.evaluate("document.querySelectorAll('.ratings .dot').length") == 4, "three teams, and a difference"
    assert opened.evaluate("document.querySelectorAll('.walk polyline').length") == 2
    assert "Cup <b>1</b>" in opened.inner_text("body"), "names are texts"


def test_a_strangers_texts_are_texts(visit: Visiting, tmp_path: Path) -> None:
    evil = "</script><script>alert(1)</script>\"'&"
    replay = Replay(
        game="x", width=1, height=1, squares=("a",), seats=(evil, "b"), title=evil, message=evil, frames=[Frame(notes=(evil,))]
    )
    match = Outcome(teams=(evil, "b"), map=evil)
    html = [replay_html(replay, None), match_html(match, replay, None), table_html(evil, [evil], [[evil]])]
    (tmp_path / "notebook.html").write_text(f"<!doctype html><meta charset=utf-8>{''.join(html)}", encoding="utf-8")
    opened = visit(tmp_path).open("notebook.html")
    frame = player(opened)
    wait_until(frame, "document.querySelector('.counter') !== null")
    assert evil in frame.inner_text(".events")
    assert evil in opened.inner_text("td")


def test_a_match_that_cannot_be_shown_says_why() -> None:
    match = Outcome(teams=("one", "other"), map="meadow", faults=())
    assert "On meadow; its replay was not kept." in match_html(match, None, None)
    broken = Replay(game="x", width=2, height=2, squares=("a",), seats=("one", "other"))
    assert "its start board has 1 squares, not 2 x 2" in match_html(match, broken, None)
    assert "The replay can&#39;t be shown" in replay_html(broken, None)
    empty = replace(broken, width=0, height=0, squares=())
    assert "nothing was recorded" in replay_html(empty, None)


def test_long_tables_are_cut() -> None:
    html = table_html("", ["n", "x"], [[number, None] for number in range(50)])
    assert html.count("<tr>") == 21
    assert "30 more rows" in html
