"""Teams ask why they didn't win: the service finds it out while nothing else is to do, and pages show it to those who may know."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest
from tests.league.made_league import FILE, IDLE, Visitor, enter, make_league, play, sign_in

from tiltyard_league.database.database import Database
from tiltyard_league.database.games import Games, LeagueGame
from tiltyard_league.league_file.loading import League, read_settings
from tiltyard_league.service.explanations import Explanations
from tiltyard_league.service.main import Service
from tiltyard_league.web.app import make_app
from tiltyard_simulator.play.executor import InlineExecutor

PATIENCE = 120.0


@pytest.fixture(scope="module")
def league(tmp_path_factory: pytest.TempPathFactory) -> League:
    """Red plays well and Blue does nothing; all have met."""
    league = make_league(tmp_path_factory.mktemp("league") / "course", maps=1)
    enter(league, "Red", "coyote")
    enter(league, "Blue", IDLE)
    play(league)
    return league


@pytest.fixture
def service(league: League) -> Iterator[Service]:
    with closing(InlineExecutor()) as executor, closing(Service(league, executor, 1)) as service:
        service.begin()
        service.explanations.quiet_seconds = 0.0
        yield service


def lost_by_blue(league: League) -> tuple[LeagueGame, int]:
    """A game that Red won against Blue, and Blue's seat."""
    with Database(league.settings.folder) as database:
        ids = {row["name"]: row["id"] for row in database.rows("SELECT versions.id, teams.name FROM versions JOIN teams ON team = teams.id")}
    for game in Games(league.settings.results).last(100):
        if set(game.versions) == {ids["Red"], ids["Blue"]} and game.winner and game.versions[game.winner - 1] == ids["Red"]:
            return game, 3 - game.winner
    raise AssertionError("Red never won")


def until_settled(explanations: Explanations, league: League, free_cores: int = 1) -> str:
    """Let the open question be answered; its state then."""
    end = time.monotonic() + PATIENCE
    while True:
        with Database(league.settings.folder) as database:
            row = database.row("SELECT * FROM questions ORDER BY id DESC LIMIT 1")
        assert row is not None
        if row["state"] not in ("open", "again"):
            return f"{row['state']} {row['reason']}".strip()
        assert time.monotonic() < end, "never answered"
        explanations.step(free_cores)
        time.sleep(0.02)


def test_a_team_asks_and_only_it_and_the_staff_see_the_answer(league: League, service: Service) -> None:
    app, folder = make_app(league.settings), league.settings.folder
    red, blue, staff, stranger = (*(sign_in(app, folder, team) for team in ("Red", "Blue", None)), Visitor(app))
    game, seat = lost_by_blue(league)
    page = f"/games/{game.place}"
    assert "lose?" in blue.get(page).text
    assert "lose?" not in stranger.get(page).text
    # Red won; nobody asks for another team.
    assert red.post(f"{page}/why", seat=str(seat)).status == 404
    assert red.post(f"{page}/why", seat=str(3 - seat)).status == 409
    assert blue.post(f"{page}/why", seat=str(seat)).status == 303
    assert "as soon as the league has nothing else to do" in blue.get(page).text
    assert until_settled(service.explanations, league) == "answered"
    for visitor, name in ((blue, "Blue v1"), (staff, "Blue (")):
        assert json_of(visitor, f"/data/matches-{game.place // 200}.js")[str(game.place)]["why"]
        (why,) = json_of(visitor, f"/data/why-{game.place}.js")["explained"]
        assert why["team"].startswith(name)
        assert why["seat"] == seat
        assert any("tried" in line for line in why["lines"])
    for visitor in (red, stranger):
        assert "why" not in json_of(visitor, f"/data/matches-{game.place // 200}.js")[str(game.place)]
        assert json_of(visitor, f"/data/why-{game.place}.js") == {"explained": []}
    assert f"#match={game.place}" in blue.get("/me/lost-games").text
    # Red's real name is nothing for Blue.
    texts = json.dumps(json_of(blue, f"/data/why-{game.place}.js")) + blue.get("/me/lost-games").text
    assert "Red" not in texts


def json_of(visitor: Visitor, path: str) -> dict:  # type: ignore[type-arg]
    text = visitor.get(path).text
    value: dict[str, object] = json.loads(text[text.index(",") + 1 : text.rindex(")")])
    return value
