"""Members of teams play against the league's versions by hand: through the web process, at the tables, under public names."""

from __future__ import annotations

import json
import shutil
import threading
import time
import zlib
from base64 import b64decode
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from starlette.applications import Starlette
from starlette.routing import Route
from tests.league.conftest import Course
from tests.league.made_league import FILE, Answer, Visitor, enter, sign_in
from tests.web_play.here import Here

from tiltyard_engine.errors import UserError
from tiltyard_league.database.database import Database
from tiltyard_league.database.games import Games, LeagueGame
from tiltyard_league.database.staff import set_frozen
from tiltyard_league.database.state import socket_path
from tiltyard_league.league_file.loading import League, load_league
from tiltyard_league.submissions.checker import folder_of
from tiltyard_league.tables import main
from tiltyard_league.tables.main import listen, open_tables
from tiltyard_league.tables.venue import LeagueVenue
from tiltyard_league.web.app import make_app
from tiltyard_league.web.pages import play
from tiltyard_site.web.server import make_server
from tiltyard_tournaments.store import Store
from tiltyard_web_play.venue import PERSON

JSON = {"Content-Type": "application/json"}


@pytest.fixture
def league(course: Course, tmp_path: Path) -> League:
    """The league of the course, in which staff let teams play by hand. Its folder lies too deep for the path of a socket."""
    folder = tmp_path / ("deep" * 30) / "course"
    shutil.copytree(course.folder, folder)
    (folder / "league.yaml").write_text(f"{FILE}  play: true\n")
    return load_league(folder)


@pytest.fixture
def tables(league: League, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """The tables, as long as the test runs; other answers are tried in this process, which is quicker."""
    monkeypatch.setattr(main, "IdleProcess", Here)
    with open_tables(league) as app, listen(league.settings.folder) as listening:
        server = make_server(app, 1)
        thread = threading.Thread(target=server.run, args=([listening],))
        thread.start()
        yield
        server.should_exit = True
        thread.join()


def order(visitor: Visitor, path: str, value: object, **headers: str) -> Answer:
    return visitor.ask("POST", path, json.dumps(value).encode(), {**JSON, **headers})


def until(ask: Callable[[], Any], is_so: Callable[[Any], bool]) -> Any:
    end = time.monotonic() + 120
    while not is_so(value := ask()):
        assert time.monotonic() < end, value
        time.sleep(0.02)
    return value


def pseudonym(league: League, team: str) -> str:
    with Database(league.settings.folder) as database:
        row = database.row("SELECT pseudonym FROM teams WHERE name = ?", team)
        assert row is not None
        return str(row["pseudonym"])


@pytest.mark.usefixtures("tables")
def test_a_member_of_a_team_plays_a_version_through_the_web_process(league: League) -> None:
    app = make_app(league.settings)
    red, blue, staff = (sign_in(app, league.settings.folder, team) for team in ("Red", "Blue", None))
    opponent = f"{pseudonym(league, 'Red')} v1"
    assert f"/play/#against={opponent.replace(' ', '%20')}" in blue.get(f"/teams/{pseudonym(league, 'Red')}").text
    # Only its members see the name that Red has beside its made-up one, and nobody here.
    lobby = blue.get("/play/lobby").json
    assert set(lobby["opponents"]) == {"acorn", "bramble", opponent, f"{pseudonym(league, 'Blue')} v1"}
    assert lobby == red.get("/play/lobby").json
    # Below a path as well.
    keys = league.settings.keys.model_copy(update={"address": "http://localhost/2026"})
    below = sign_in(make_app(replace(league.settings, keys=keys)), league.settings.folder, "Blue")
    assert below.get("/2026/play/lobby").json == lobby
    for other in (Visitor(app), staff):
        assert other.get("/play/").status == 403
        assert order(other, "/play/tables", {}).status == 403
        assert "#against" not in other.get(f"/teams/{pseudonym(league, 'Red')}").text
    game = {"names": [PERSON, opponent], "seat": 1, "map": lobby["maps"][0]}
    assert order(blue, "/play/tables", game, Origin="https://evil.example").status == 403
    assert order(blue, "/play/tables", {**game, "names": [PERSON, "Red v1"]}).status == 409
    table = order(blue, "/play/tables", game).json["table"]
    # Its name is all that is needed, and a team plays one game at once, from whatever address.
    assert order(blue, "/play/tables", game).status == 429
    state = until(lambda: blue.get(f"/play/tables/{table}").json, lambda state: state["question"] or state["problem"])
    assert state["problem"] == ""
    assert blue.get(f"/play/tables/{table}/replay").status == 404
    assert order(blue, f"/play/tables/{table}/resign", {"question": state["question"]["number"]}).status == 200
    state = until(lambda: blue.get(f"/play/tables/{table}").json, lambda state: state["result"])
    assert state["result"]["winner"] == 2
    assert blue.get(f"/play/tables/{table}/replay").header("Content-Disposition").startswith("attachment")
    # What is decoded of an address is no line of the request that is passed on.
    assert blue.get("/play/tables/a\r\nX-Tiltyard-Visitor: team 1\r\n\r\n").status == 404


def test_the_tables_have_routes_only_where_staff_allow_it(league: League, course: Course) -> None:
    app = make_app(league.settings)
    added = routes_of(app) - routes_of(course.app)
    assert added == {(page.path, method) for page in play.PAGES for method in page.methods}
    with open_tables(league) as tables:
        assert added == routes_of(tables)
    assert course.blue.get("/play/").status == 404
    # Nobody answers.
    assert sign_in(app, league.settings.folder, "Blue").get("/play/").status == 503


def routes_of(app: Starlette) -> set[tuple[str, str]]:
    """The addresses that an application answers, each with its method."""
    routes = [route for route in app.routes if isinstance(route, Route)]
    return {(route.path, method) for route in routes for method in (route.methods or set()) - {"HEAD"}}


def test_while_the_league_is_frozen_those_play_who_played_then(league: League) -> None:
    venue, folder = LeagueVenue(league), league.settings.folder
    name = pseudonym(league, "Red")
    with Database(folder) as database:
        set_frozen(database, True, "test")
    version = enter(league, "Red", "bramble")
    assert f"{name} v1" in venue.opponents
    assert f"{name} v2" not in venue.opponents
    with pytest.raises(UserError, match="can't play now"):
        venue.player((PERSON, f"{name} v2"), 1, venue.maps[0], 0)
    with Database(folder) as database:
        set_frozen(database, False, "test")
        assert database.number("SELECT number FROM versions WHERE id = ?", version) == 2
    assert f"{name} v2" in venue.opponents


def test_a_socket_lies_in_a_folder_however_deep(league: League, tmp_path: Path) -> None:
    with socket_path(league.settings.folder) as path, socket_path(tmp_path) as other:
        assert len(path) < 100
        assert other == str(tmp_path / "tables.sock")


def games_of(league: League, *teams: str) -> tuple[LeagueGame, list[int]]:
    """A game of these teams, which sit in this order, and their versions."""
    with Database(league.settings.folder) as database:
        query = "SELECT versions.id FROM versions JOIN teams ON teams.id = team WHERE teams.name = ?"
        versions = [database.number(query, team) for team in teams]
    return next(game for game in Games(league.settings.results).last(100) if list(game.versions) == versions), versions


def tried(visitor: Visitor, game: LeagueGame, seat: int) -> Answer:
    """The first other answer of a seat at its first turn."""
    at = f"/play/try/{game.place}"
    answers = order(visitor, f"{at}/answers", {"seat": seat, "turn": 1})
    if answers.status != 200:
        return answers
    part, _, others, _ = answers.json["parts"][0]
    return order(visitor, f"{at}/course", {"seat": seat, "turn": answers.json["turn"], "part": part, "answer": others[0]})


@pytest.mark.usefixtures("tables")
def test_a_member_tries_another_answer_in_a_replay_that_it_sees(league: League) -> None:
    app, folder = make_app(league.settings), league.settings.folder
    red, blue, staff = (sign_in(app, folder, team) for team in ("Red", "Blue", None))
    game, _ = games_of(league, "acorn", "Red")
    for path in (f"/games/{game.place}", "/match.html"):
        assert 'data-at="/play/try/"' in blue.get(path).text
        assert "try.js" not in Visitor(app).get(path).text + staff.get(path).text
    assert Visitor(app).get("/assets/try.js").status == 200
    course = tried(blue, game, 2)
    assert (course.status, course.json["faults"]) == (200, [])
    assert shown(course)
    at = f"/play/try/{game.place}/answers"
    for other in (Visitor(app), staff):
        assert order(other, at, {"seat": 1, "turn": 1}).status == 403
    assert order(red, at, {"seat": 1, "turn": 1}, Origin="https://evil.example").status == 403
    assert order(red, "/play/try/9999/answers", {"seat": 1, "turn": 1}).status == 404
    # While the league is frozen, others' newer games are kept back.
    with Database(folder) as database, database.writing():
        database.set_fact("frozen_at", "2000-01-01T00:00:00Z")
    assert tried(red, game, 2).status == 200
    refused = tried(blue, game, 2)
    assert (refused.status, refused.json) == (404, {"error": "There is no such game."})
    with Store(league.settings.results) as store:
        store.remove_replay(game.key)
    refused = tried(red, game, 2)
    assert (refused.status, refused.json) == (404, {"error": "There is no such replay."})


@pytest.mark.usefixtures("tables")
def test_what_an_opponents_code_said_when_it_failed_is_not_told_of_a_tried_answer(league: League) -> None:
    app, folder = make_app(league.settings), league.settings.folder
    red, blue = (sign_in(app, folder, team) for team in ("Red", "Blue"))
    game, (_, version) = games_of(league, "Red", "Blue")
    for visitor, is_own in ((red, False), (blue, True)):
        course = tried(visitor, game, 1)
        assert course.status == 200, course.text
        ((seat, kind, message, _),) = course.json["faults"]
        assert (seat, kind, "my own mistake" in message) == (2, "crash", is_own)
        assert course.json["message"] == ""
        assert "my own mistake" not in shown(course)
    # Without its code nothing is played, and nobody else hears why.
    shutil.rmtree(folder_of(folder, version))
    refused = order(red, f"/play/try/{game.place}/course", {"seat": 1, "turn": 1, "part": 1, "answer": "idle"})
    assert refused.status == 409
    assert "a team's code is no longer stored" in refused.json["error"]


def shown(course: Answer) -> str:
    """The replay in the answer."""
    return zlib.decompress(b64decode(course.json["replay"])).decode()
