"""Visitors who ask why a team lost: what the route answers, and how much each may ask."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from starlette.applications import Starlette
from tests.asgi import post, refuses_strangers

from tiltyard_engine.errors import UserError
from tiltyard_tournaments.cli.tournament_options import TournamentOptions
from tiltyard_tournaments.running.tournament import Tournament
from tiltyard_tournaments.tournament_file.resolution import load_tournament
from tiltyard_web_play.desk import EXPLAIN, MOST_WAITING, ExplainDesk, explain_routes
from tiltyard_web_play.orders import HourlyBudget
from tiltyard_web_play.visitors import open_desk
from tiltyard_whatif.analysis.idle_process import IdleProcess


class Answers:
    """Answers as soon as it may; notes what was asked."""

    def __init__(self) -> None:
        self.places: list[tuple[int, int]] = []
        self.may = threading.Event()
        self.problem = ""

    def __call__(self, number: int, seat: int) -> float:
        self.places.append((number, seat))
        assert self.may.wait(60)
        if self.problem:
            raise UserError(self.problem)
        return 200.0


@pytest.fixture
def answers() -> Iterator[Answers]:
    each = Answers()
    yield each
    each.may.set()


@pytest.fixture
def open_app(answers: Answers) -> Iterator[Callable[..., Starlette]]:
    desks: list[ExplainDesk] = []

    def begin(budget: HourlyBudget | None = None) -> Starlette:
        desks.append(ExplainDesk(answers, budget))
        return Starlette(routes=explain_routes(desks[-1]))

    yield begin
    answers.may.set()
    for desk in desks:
        desk.close()


def until_answered(app: Starlette, number: int, address: str = "192.0.2.1") -> tuple[int, object]:
    end = time.monotonic() + 60
    while (answer := post(app, EXPLAIN, {"match": number, "seat": 2}, address))[1].get("state") in ("working", "waiting"):
        assert time.monotonic() < end
        time.sleep(0.005)
    return answer


def test_a_question_is_answered_once_for_all(open_app: Callable[..., Starlette], answers: Answers) -> None:
    app = open_app()
    assert post(app, EXPLAIN, {"match": 3, "seat": 2}) == (200, {"state": "working"})
    assert post(app, EXPLAIN, {"match": 3, "seat": 2}, "192.0.2.2") == (200, {"state": "working"})
    assert post(app, EXPLAIN, {"match": 4, "seat": 2}, "192.0.2.2") == (200, {"state": "waiting", "before": 1})
    answers.may.set()
    assert until_answered(app, 3) == (200, {"state": "done"})
    assert until_answered(app, 4, "192.0.2.3") == (200, {"state": "done"})
    assert answers.places == [(3, 2), (4, 2)]


def test_questions_of_an_address_and_of_all_are_few(open_app: Callable[..., Starlette], answers: Answers) -> None:
    app = open_app(HourlyBudget(100))
    post(app, EXPLAIN, {"match": 1, "seat": 2})
    status, said = post(app, EXPLAIN, {"match": 2, "seat": 2})
    assert (status, said["error"]) == (429, "a question from your address is being answered: wait until it is done")
    for number in range(2, MOST_WAITING + 1):
        assert post(app, EXPLAIN, {"match": number, "seat": 2}, f"192.0.2.{number}")[0] == 200
    status, said = post(app, EXPLAIN, {"match": 99, "seat": 2}, "192.0.2.99")
    assert said["error"].startswith(f"{MOST_WAITING} questions are waiting")
    answers.may.set()
    until_answered(app, 1)
    until_answered(app, MOST_WAITING, "192.0.2.3")
    status, said = post(app, EXPLAIN, {"match": 20, "seat": 2})
    assert status == 429
    assert "took more than 100 s of CPU time" in said["error"]
    # What was answered is there for all, without work.
    assert post(app, EXPLAIN, {"match": 2, "seat": 2}) == (200, {"state": "done"})


def test_what_cannot_be_answered_is_said_once(open_app: Callable[..., Starlette], answers: Answers) -> None:
    answers.problem = "a team isn't deterministic"
    answers.may.set()
    assert until_answered(open_app(), 1) == (409, {"error": "a team isn't deterministic"})


def test_the_route_takes_only_what_the_page_sends(open_app: Callable[..., Starlette], answers: Answers) -> None:
    app = open_app()
    refuses_strangers(app, EXPLAIN)
    for order in ({}, {"match": "1", "seat": 1}, {"match": True, "seat": 1}, {"match": -1, "seat": 1}, {"match": 1, "seat": 1e9}):
        assert post(app, EXPLAIN, order) == (409, {"error": "match, seat: expected whole numbers"})
    assert answers.places == []


@pytest.fixture
def tournament(tmp_path: Path) -> Tournament:
    (tmp_path / "cup.yaml").write_text("game: tanks\nteams: [acorn, bramble]\nmaps: [narrow-pass]\n")
    return load_tournament(tmp_path / "cup.yaml").tournament


def test_nobody_may_ask_where_replays_are_hidden(tournament: Tournament, tmp_path: Path) -> None:
    hidden = replace(tournament, publication=replace(tournament.publication, hide=frozenset({"replays"})))
    options = TournamentOptions(tmp_path / "cup.yaml")
    with IdleProcess() as process:
        with pytest.raises(UserError, match="--explain: the file hides replays"), open_desk(options, hidden, process):
            pass
        with open_desk(options, tournament, process) as (desk, routes):
            assert not desk.is_busy
            assert [route.path for route in routes] == [EXPLAIN]  # type: ignore[attr-defined]
