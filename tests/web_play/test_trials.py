"""Other answers that visitors try in a replay, and why a team lost: what the routes answer, and how it looks in a browser."""

from __future__ import annotations

import threading
import zlib
from base64 import b64decode
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from starlette.applications import Starlette
from tests.asgi import post, refuses_strangers
from tests.site.axe import violations
from tests.site.conftest import left_visits, settle, visit  # noqa: F401 -- fixtures
from tests.web_play.here import Here
from tests.whatif.command.test_commands import cup, played  # noqa: F401 -- fixtures

from tiltyard_engine.errors import UserError
from tiltyard_site.live.live_site import LiveSite
from tiltyard_site.live.site_server import SiteServer
from tiltyard_tournaments.cli.tournament_options import TournamentOptions
from tiltyard_web_play.app import asset_route
from tiltyard_web_play.desk import EXPLAIN, ExplainDesk, explain_routes, explain_stored
from tiltyard_web_play.orders import BusyError, HourlyBudget, Turnstile
from tiltyard_web_play.trials import TRY, Trials, stored_game, try_routes
from tiltyard_whatif.stored import stored_games

ANSWERS, COURSE = f"{TRY}{{}}/answers", f"{TRY}{{}}/course"


@pytest.fixture
def options(cup: Path) -> TournamentOptions:  # noqa: F811
    return TournamentOptions(cup / "cup.yaml")


@pytest.fixture
def game(options: TournamentOptions) -> int:
    """The number of the game in which steady is the first player and loses by columns that it could have chosen otherwise."""
    with stored_games(options) as games:
        names = [spec.input.names for spec in games.schedule.matches]
    return names.index(("steady", "four-careful")) + 1


@pytest.fixture
def process() -> Here:
    return Here()


@pytest.fixture
def app(options: TournamentOptions, process: Here) -> Starlette:
    return Starlette(routes=try_routes(Trials(partial(stored_game, options), process, frozenset())))


def test_a_visitor_tries_an_answer(app: Starlette, game: int, process: Here) -> None:
    answers, at = ANSWERS.format(game), COURSE.format(game)
    status, said = post(app, answers, {"seat": 1, "turn": 2})
    assert status == 200
    assert said == {"turn": 3, "parts": [[1, "column 0", [f"column {number}" for number in range(1, 7)], True]]}
    assert post(app, answers, {"seat": 1, "turn": 1})[1]["turn"] == 1
    order = {"seat": 1, "turn": 3, "part": 1, "answer": "column 6"}
    status, course = post(app, at, order)
    assert status == 200
    replay = b64decode(course["replay"])
    assert b"column 6" in zlib.decompress(replay)
    assert course["message"]
    before = process.done
    # Nobody waits twice for the same.
    assert post(app, at, order, "192.0.2.2") == (200, course)
    assert process.done == before == 2


def test_what_cannot_be_tried_is_refused(app: Starlette, game: int) -> None:
    point = {"seat": 1, "turn": 3, "part": 1}
    for path, order, message in (
        (ANSWERS.replace("{}", "999"), {"seat": 1, "turn": 1}, "999"),
        (ANSWERS.replace("{}", "x"), {"seat": 1, "turn": 1}, "games have numbers"),
        (ANSWERS, {"seat": 3, "turn": 1}, "seat 3: expected 1 to 2"),
        (ANSWERS, {"seat": 1, "turn": 500}, "player 1 gives no answer from turn 500 on"),
        (ANSWERS, {"seat": "1", "turn": 1}, "seat, turn: expected whole numbers"),
        (COURSE, point, "answer: expected a text of at most 1000 characters"),
        (COURSE, {**point, "answer": "x" * 1001}, "answer: expected a text of at most 1000 characters"),
        (COURSE, {**point, "answer": "column 9"}, "column 9"),
        (COURSE, {**point, "turn": 4, "answer": "column 1"}, "steady gives no answer in turn 4"),
    ):
        status, said = post(app, path.format(game), order)
        assert status == 409, said
        assert message in said["error"]


def test_the_routes_take_only_what_the_page_sends(app: Starlette, process: Here) -> None:
    for path in (ANSWERS, COURSE):
        refuses_strangers(app, path.format("1"))
    assert process.done == 0


def test_visitors_get_little_of_the_machine() -> None:
    turnstile = Turnstile(2, HourlyBudget(10))
    with turnstile.enter("192.0.2.1", 0.5) as charge:
        charge(20)
        with pytest.raises(BusyError, match="from your address is still running"), turnstile.enter("192.0.2.1", 0.5):
            pass
        second = turnstile.enter("192.0.2.2", 0.5)
        with second, pytest.raises(BusyError, match="2 visitors are waiting"), turnstile.enter("192.0.2.3", 0.5):
            pass
    with pytest.raises(BusyError, match="took more than 10 s"), turnstile.enter("192.0.2.1", 0.5):
        pass
    # What goes wrong costs as well.
    for _ in range(3):
        with pytest.raises(UserError, match="no such game"), turnstile.enter("192.0.2.4", 5):
            raise UserError("no such game")
    with pytest.raises(BusyError), turnstile.enter("192.0.2.4", 5):
        pass


@pytest.fixture
def address(options: TournamentOptions, process: Here) -> Iterator[str]:
    """A site at which visitors may try answers and ask why a team lost."""
    site = LiveSite(options.tournament, play="/play/", explain=EXPLAIN)
    desk = ExplainDesk(partial(explain_stored, options, process))
    trials = Trials(partial(stored_game, options), process, frozenset())
    routes = [*explain_routes(desk), *try_routes(trials), asset_route()]
    with SiteServer(site, "127.0.0.1", 0, more=routes) as server:
        thread = threading.Thread(target=server.serve, daemon=True)
        thread.start()
        yield server.address
        server.stop()
        thread.join()
    desk.close()


def test_a_visitor_tries_an_answer_and_asks_why_in_the_browser(
    address: str,
    game: int,
    visit: Callable[..., Any],  # noqa: F811
) -> None:
    visited = visit(address)
    page = visited.match(f"match={game}&round=2")
    page.get_by_role("button", name="Try here").click()
    page.get_by_label("Instead").select_option("column 6")
    assert "Turn 3: steady answered ‘column 0’." in page.inner_text(".try")  # noqa: RUF001
    assert violations(page) == []
    page.get_by_role("button", name="Watch both courses").click()
    page.wait_for_selector(".courses .boards")
    settle(page)
    assert page.inner_text("h1") == "With another answer"
    assert "with 'column 6' in turn 3" in page.inner_text(".boards section:last-child")
    assert page.inner_text(".counter").startswith("2 / ")
    page.get_by_role("button", name=f"Game {game} alone").click()
    page.get_by_role("button", name="Why did steady lose?").click()
    page.wait_for_selector(".moments", timeout=60_000)
    assert page.locator(".strip").count() == 1
    assert page.get_by_role("button", name="Why did steady lose?").count() == 0
    assert visited.open("why-steady.html").locator(".lost-games tbody tr").count() == 1
