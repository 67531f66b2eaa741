"""The site as ``tiltyard serve`` shows it, in a browser, while the real command plays in another process."""

from __future__ import annotations

import fcntl
import json
import os
import re
import signal
from collections.abc import Callable, Iterator
from functools import partial
from http import HTTPStatus
from pathlib import Path
from typing import Any
from urllib.error import HTTPError
from urllib.request import urlopen

import pytest
from tests.end_to_end.background import PATIENCE, Command, Start, commands_in
from tests.end_to_end.background import wait_until as until
from tests.site.axe import OPTIONS, violations
from tests.site.conftest import settle, wait_until

Visiting = Callable[..., Any]

CUP = """
title: Live cup
game: tanks
maps: [back-yard, narrow-pass]
teams: [acorn, bramble, coyote, dragoon]
workers: 1
"""
GAMES = 24

SHIFTS = """window.shifted = [];
new PerformanceObserver((list) => list.getEntries().forEach((entry) => window.shifted.push(entry)))
  .observe({ type: "layout-shift", buffered: true });"""


@pytest.fixture
def start(tmp_path: Path) -> Iterator[Start]:
    (tmp_path / "cup.yaml").write_text(CUP)
    with commands_in(tmp_path) as run:
        yield partial(run, "tiltyard")


@pytest.fixture
def visit(start: Start, visit: Visiting) -> Visiting:
    """Pages that close before the server ends, so that none of them asks it in vain."""
    return visit


@pytest.fixture
def server(start: Start) -> Command:
    """``tiltyard serve``."""
    return start("serve", "cup.yaml", "--port", "0")


@pytest.fixture
def address(server: Command) -> str:
    """Where it listens."""
    assert server.stdout is not None
    line = server.stdout.readline()
    assert re.fullmatch(r"http://127\.0\.0\.1:\d+/ serves Live cup; press Ctrl-C to stop\n", line), line
    url = line.split(" ")[0]
    # It listens at once; until the site is made, a page asks for patience, and that is no live one.
    until(lambda: answers(url))
    return url


def answers(url: str) -> bool:
    try:
        with urlopen(f"{url}index.html") as answer:
            return bool(answer.status == HTTPStatus.OK)
    except HTTPError as error:
        error.close()
        return False


def begin(start: Start) -> Command:
    """Start a run that is never more than a few games ahead of what was read of it: its output has little room."""
    process = start("run", "cup.yaml", "--json")
    assert process.stdout is not None
    fcntl.fcntl(process.stdout, fcntl.F_SETPIPE_SZ, 4096)
    return process


def play(process: Command, games: int) -> None:
    """Let the run come to the end of so many games."""
    assert process.stdout is not None
    # Read without a buffer, which would empty the pipe.
    with open(process.stdout.fileno(), "rb", buffering=0, closefd=False) as output:
        while games and (line := output.readline()):
            games -= json.loads(line)["event"] == "match finished"


def played(page: Any) -> int:
    """Games that the standings know."""
    return sum(int(text) for text in page.locator(".standings td.column-games").all_inner_texts()) // 2


def test_tables_grow_while_a_run_goes_on(visit: Visiting, start: Start, address: str) -> None:
    here = visit(address, **OPTIONS)
    here.before_scripts(SHIFTS)
    page = here.open("index.html")
    assert page.inner_text("#live-text") == f"Live: 0 of {GAMES} games"
    # What a reload would lose: a value, the focus, the place in the page.
    page.evaluate("window.mine = 1")
    page.set_viewport_size({"width": 900, "height": 300})
    focused = page.locator(".standings a", has_text="dragoon")
    focused.focus()
    page.evaluate("scrollTo(0, 150)")
    # Entries of layout shifts arrive late, so what the new size shifted is told from the rest by its time.
    painted = "new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => done(performance.now()))))"
    since = page.evaluate(painted)
    height = page.locator(".standings").bounding_box()["height"]
    run = begin(start)
    play(run, 6)
    os.kill(run.pid, signal.SIGSTOP)
    # The rows of the standings were there from the beginning, and their numbers take no more room.
    wait_until(page, lambda: played(page) >= 6)
    assert played(page) < GAMES
    assert re.fullmatch(rf"Live: \d+ of {GAMES} games", page.inner_text("#live-text"))
    assert page.evaluate("document.activeElement.textContent") == "dragoon"
    assert page.evaluate("scrollY") == 150
    assert page.locator(".standings").bounding_box()["height"] == height
    # Teams that change places do move: more often, the more looks the page takes meanwhile. So do words in the line about them.
    outside = "!entry.sources.every(({ node }) => node && (node.parentElement || document.body).closest('.standings, .state'))"
    shifted = f"window.shifted.filter((entry) => entry.startTime > since && {outside}).map((entry) => entry.value)"
    assert sum(page.evaluate(f"(since) => {shifted}", since)) < 0.02
    os.kill(run.pid, signal.SIGCONT)
    play(run, GAMES)
    wait_until(page, lambda: page.inner_text("#live-text") == f"Complete: {GAMES} games")
    assert played(page) == GAMES
    assert page.inner_text("#live-news") == f"Complete: {GAMES} games"
    assert page.evaluate("document.activeElement.textContent") == "dragoon"
    assert page.evaluate("window.mine") == 1
    fresh = visit(address).open("index.html")
    assert page.inner_html("main") == fresh.inner_html("main")
    assert violations(page) == []


def test_the_list_grows_and_keeps_what_was_chosen_and_a_game_that_was_to_come_opens(
    visit: Visiting, start: Start, address: str
) -> None:
    early = visit(address)
    to_come = early.match("match=3")
    assert "There is no game 3" in to_come.inner_text("#match")
    page = visit(address).open("matches.html")
    wait_until(page, lambda: page.inner_text("#count") == "0 games")
    run = begin(start)
    play(run, 8)
    os.kill(run.pid, signal.SIGSTOP)
    wait_until(page, lambda: page.locator("#games tr").count() >= 8)
    to_come.locator("canvas.board").wait_for(timeout=PATIENCE * 1000)
    assert "game 3" in to_come.inner_text(".facts")
    page.evaluate("window.mine = document.querySelector('#games tr')")
    page.select_option("[name=map]", "back-yard")
    some = page.locator("#games tr").count()
    page.locator("#games a").first.focus()
    os.kill(run.pid, signal.SIGCONT)
    play(run, GAMES)
    wait_until(page, lambda: page.inner_text("#count") == f"{GAMES // 2} of {GAMES} games")
    assert page.locator("#games tr").count() == GAMES // 2 > some
    # Who chooses hears how many there are; who doesn't isn't told of each game.
    assert page.get_attribute("#count", "aria-live") == "off"
    choose = "document.getElementById('filters').dispatchEvent(new Event('change'))"
    assert page.evaluate(f"({choose}, document.getElementById('count').getAttribute('aria-live'))") == "polite"
    assert set(page.locator("#games td:nth-child(3)").all_inner_texts()) == {"back-yard"}
    numbers = [int(text) for text in page.locator("#games td:first-child").all_inner_texts()]
    assert numbers == sorted(numbers)
    # It was loaded anew for its own game, and for no other.
    assert sum("match.html" in url for url in early.requests) == 2
    assert page.evaluate("document.activeElement.closest('tr') === document.querySelector('#games tr')")
    page.click("#games th a >> nth=0")
    page.wait_for_selector("#match:not(.loading)")
    settle(page)
    page.keyboard.press("End")
    assert page.inner_text(".counter") != "0 / 0"


def test_a_server_sends_the_pages_policy_and_is_missed_when_it_is_gone(visit: Visiting, server: Command, address: str) -> None:
    with urlopen(f"{address}index.html") as answer:
        policy = answer.headers["Content-Security-Policy"]
        text = answer.read().decode()
    found = re.search(r'http-equiv="Content-Security-Policy" content="([^"]*)"', text)
    assert found is not None
    # A page cannot say itself who may frame it.
    assert set(policy.split("; ")) == {*found[1].split("; "), "frame-ancestors 'none'"}
    here = visit(address)
    page = here.open("index.html")
    os.killpg(server.pid, signal.SIGINT)
    assert server.wait(PATIENCE) == 0
    assert server.stderr is not None
    assert server.stderr.read() == ""
    wait_until(page, lambda: "doesn't answer" in page.inner_text("#live-text"))
    assert "doesn't answer" in page.inner_text("#live-news")
    assert page.locator(".standings tbody tr").count() == 4
    # The browser itself writes into its console that a connection was refused, or that an answer broke off when the server ended.
    assert all(re.search("net::ERR_(CONNECTION|CONTENT|EMPTY)_[A-Z_]+", problem) for problem in here.problems), here.problems
    here.problems.clear()


def test_a_published_site_has_nothing_of_it(site: Path) -> None:
    assert not (site / "assets/live.js").exists()
    for page in site.glob("*.html"):
        text = page.read_text(encoding="utf-8")
        assert "live" not in text.partition("<main")[0]
        assert "connect-src" not in text
        assert "data-key" not in text
