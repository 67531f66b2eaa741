"""Teams ask why they didn't win: the service finds it out while nothing else is to do, and pages show it to those who may know."""

from __future__ import annotations

import json
import shutil
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from tests.league.conftest import Course
from tests.league.made_league import FILE, Visitor, enter, sign_in

from tiltyard_league.database.database import Database
from tiltyard_league.database.games import Games, LeagueGame
from tiltyard_league.database.questions import MOST_OPEN, ask_why, charge, settle
from tiltyard_league.database.teams import find_team
from tiltyard_league.league_file.loading import League, load_league, read_settings
from tiltyard_league.service.explanations import Explanations
from tiltyard_league.service.main import Service
from tiltyard_league.web.app import make_app
from tiltyard_simulator.play.executor import InlineExecutor
from tiltyard_site.explained.explained import Explained, ExplainedMoment, find_explained
from tiltyard_whatif.explained_files import write_explained

PATIENCE = 120.0


@pytest.fixture
def copied(course: Course, tmp_path: Path) -> League:
    """The league of the course, to write into; a look at a game takes as few seconds as it may."""
    folder = tmp_path / "course"
    shutil.copytree(course.folder, folder)
    (folder / "league.yaml").write_text(FILE.replace("cpu_seconds: 60", "cpu_seconds: 1"))
    return load_league(folder)


@contextmanager
def running(league: League) -> Iterator[Service]:
    with closing(InlineExecutor()) as executor, closing(Service(league, executor, 1)) as service:
        service.begin()
        service.explanations.quiet_seconds = 0.0
        yield service


def game_of(league: League, own: str, other: str) -> tuple[LeagueGame, int]:
    """A game of two teams that the first one didn't win, and its seat."""
    with Database(league.settings.folder) as database:
        rows = database.rows("SELECT versions.id, teams.name FROM versions JOIN teams ON team = teams.id")
    names = {row["id"]: row["name"] for row in rows}
    games = Games(league.settings.results).last(100)
    game = next(game for game in games if {names[version] for version in game.versions} == {own, other})
    return game, [names[version] for version in game.versions].index(own) + 1


def question(league: League) -> tuple[str, float]:
    """The newest question's state with its reason, and what it has cost."""
    with Database(league.settings.folder) as database:
        row = database.row("SELECT * FROM questions ORDER BY id DESC LIMIT 1")
    assert row is not None
    return f"{row['state']} {row['reason']}".strip(), row["cpu_seconds"]


def ask(league: League, game: LeagueGame, seat: int, *, team: str = "Red", answer: Explained | None = None) -> None:
    """Ask as a team; with an answer it is there at once."""
    with Database(league.settings.folder) as database, database.writing():
        ask_why(database, game, seat, find_team(database, team)["id"], by_staff=False)
        if answer is not None:
            settle(database, database.number("SELECT max(id) FROM questions"))
            write_explained(league.settings.results, answer)


def json_of(visitor: Visitor, path: str) -> dict[str, Any]:
    text = visitor.get(path).text
    value: dict[str, Any] = json.loads(text[text.index(",") + 1 : text.rindex(")")])
    return value


def test_a_team_asks_and_only_it_and_the_staff_see_the_answer(copied: League) -> None:
    app, folder = make_app(copied.settings), copied.settings.folder
    red, blue, staff, stranger = (*(sign_in(app, folder, team) for team in ("Red", "Blue", None)), Visitor(app))
    game, seat = game_of(copied, "Red", "acorn")
    page = f"/games/{game.place}"
    assert "not win?" in red.get(page).text
    assert "not win?" not in stranger.get(page).text
    # Nobody asks for another team, nor why it won, nor why it failed.
    assert blue.post(f"{page}/why", seat=str(seat)).status == 404
    with_blue, seat_of_red = game_of(copied, "Red", "Blue")
    assert red.post(f"/games/{with_blue.place}/why", seat=str(seat_of_red)).status == 409
    assert blue.post(f"/games/{with_blue.place}/why", seat=str(3 - seat_of_red)).status == 409
    assert red.post(f"{page}/why", seat=str(seat)).status == 303
    assert "as soon as it is idle" in red.get(page).text
    enter(copied, "Red", "bramble")
    with running(copied) as service:
        explanations = service.explanations
        # While games have all cores, nothing is begun, and what was begun makes way; that is paid for.
        explanations.step(free_cores=0)
        assert not explanations.is_busy
        until(lambda: explanations.is_busy, explanations)
        explanations.step(free_cores=0)
        assert not explanations.is_busy
        state, cost = question(copied)
        assert state == "open"
        assert cost > 0
        until(lambda: question(copied)[0] != "open", explanations)
    assert question(copied)[0] == "answered"
    for visitor, name in ((red, "Red v1"), (staff, "Red (")):
        assert json_of(visitor, f"/data/matches-{game.place // 200}.js")[str(game.place)]["why"]
        (why,) = json_of(visitor, f"/data/why-{game.place}.js")["explained"]
        assert why["team"].startswith(name)
        assert why["seat"] == seat
        assert any("tried" in line for line in why["lines"])
        assert any(line.startswith("version 2 answers") for line in why["lines"])
    for visitor in (blue, stranger):
        assert "why" not in json_of(visitor, f"/data/matches-{game.place // 200}.js")[str(game.place)]
        assert json_of(visitor, f"/data/why-{game.place}.js") == {"explained": []}
    assert f"#match={game.place}" in red.get("/me/lost-games").text
    assert f"#match={game.place}" not in blue.get("/me/lost-games").text


def until(is_so: Callable[[], bool], explanations: Explanations) -> None:
    end = time.monotonic() + PATIENCE
    while not is_so():
        assert time.monotonic() < end
        explanations.step(free_cores=1)
        time.sleep(0.02)


def made_up(game: LeagueGame, seat: int, names: Sequence[str]) -> Explained:
    """An explanation in which the other team failed after a better answer."""
    fault = (3 - seat, "crash", "KeyError: 'my secret plan'", 4)
    text = f"turn 3: {names[seat - 1]} answered 'idle'. With 'shoot', it would have won: {fault[2]}"
    moment = ExplainedMoment(
        turn=3, part=1, answer="idle", better="shoot", cost=1.0, text=text, winner=seat, rounds=4, message=fault[2], faults=(fault,)
    )
    lines = (f"Turn 3 of {names[seat - 1]} decided it against {names[2 - seat]}:",)
    return Explained(
        key=game.key,
        number=1,
        seat=seat,
        team=names[seat - 1],
        opponents=names[2 - seat],
        map=game.map,
        kind="mistake",
        lines=lines,
        moments=(moment,),
        has_faults=True,
    )


def test_names_are_those_that_the_visitor_may_see_and_an_opponents_failure_is_its_own_matter(copied: League) -> None:
    game, seat = game_of(copied, "Blue", "Red")
    with Database(copied.settings.folder) as database:
        pseudonyms = {row["name"]: row["pseudonym"] for row in database.rows("SELECT * FROM teams")}
    names = [f"{pseudonyms['Blue' if number == seat else 'Red']} v1" for number in (1, 2)]
    ask(copied, game, seat, team="Blue", answer=made_up(game, seat, names))
    app = make_app(copied.settings)
    for team, own, other in (
        ("Blue", "Blue v1", names[2 - seat]),
        (None, f"Blue ({pseudonyms['Blue']}) v1", f"Red ({pseudonyms['Red']}) v1"),
    ):
        (why,) = json_of(sign_in(app, copied.settings.folder, team), f"/data/why-{game.place}.js")["explained"]
        assert why["lines"] == [f"Turn 3 of {own} decided it against {other}:"]
        assert (
            why["moments"][0]["text"]
            == f"turn 3: {own} answered 'idle'. With 'shoot', {other} would have failed in round 4: crash."
        )
        assert "secret" not in json.dumps(why)


def test_a_team_asks_as_much_as_it_may_and_the_staff_more(copied: League) -> None:
    app, folder = make_app(copied.settings), copied.settings.folder
    red, staff = sign_in(app, folder, "Red"), sign_in(app, folder, None)
    game, seat = game_of(copied, "Red", "acorn")
    ask(copied, game, seat)
    with Database(folder) as database, database.writing():
        charge(database, 1, 1.0)
        settle(database, 1, "it is broken")
    assert "it is broken" in red.get(f"/games/{game.place}").text
    refused = red.post(f"/games/{game.place}/why", seat=str(seat))
    assert (refused.status, "has used all its CPU time" in refused.text) == (429, True)
    assert red.post("/me/lost-games").status == 303
    assert question(copied)[0] == "failed it is broken"
    assert staff.post(f"/staff/games/{game.place}/why", seat=str(seat)).status == 303
    assert question(copied) == ("open", 1.0)
    # Others that wait are no reason for the staff not to ask, but many of their own are.
    with Database(folder) as database, database.writing():
        for place in range(1000, 1000 + MOST_OPEN):
            ask_why(database, replace(game, place=place), seat, 1, by_staff=True)
        assert database.number("SELECT count(*) FROM questions WHERE state = 'open'") > MOST_OPEN
        settle(database, 1, "it is broken")
    assert staff.post(f"/staff/games/{game.place}/why", seat=str(seat)).status == 429


def test_a_game_that_is_played_again_or_has_no_replay_any_more_is_not_explained_by_what_was_found_before(copied: League) -> None:
    game, seat = game_of(copied, "Red", "acorn")
    folder = copied.settings.results
    ask(copied, replace(game, place=9999), seat, answer=made_up(game, seat, ("a", "b")))
    ask(copied, game, seat)
    red = sign_in(make_app(copied.settings), copied.settings.folder, "Red")
    assert json_of(red, f"/data/why-{game.place}.js") == {"explained": []}
    with running(copied) as service:
        service.store.remove_replay(game.key)
        until(lambda: question(copied)[0] != "open", service.explanations)
        assert question(copied)[0] == "failed its replay is no longer stored"
        assert not find_explained(folder, game.key, seat)
        # What is told of a game is told beside its replay.
        write_explained(folder, made_up(game, seat, ("a", "b")))
        service.upkeep.remove_old_replays()
    assert "not win?" not in red.get(f"/games/{game.place}").text
    assert red.post(f"/games/{game.place}/why", seat=str(seat)).status == 409


def test_nothing_is_explained_where_the_file_does_not_say_so(copied: League) -> None:
    app = make_app(replace(copied.settings, analysis_seconds=0.0))
    red = sign_in(app, copied.settings.folder, "Red")
    game, seat = game_of(copied, "Red", "acorn")
    assert "not win?" not in red.get(f"/games/{game.place}").text
    assert "lost-games" not in red.get("/me").text
    assert red.get("/me/lost-games").status == 404
    assert red.post(f"/games/{game.place}/why", seat=str(seat)).status == 404
    (copied.settings.folder / "league.yaml").write_text(FILE.replace("analysis: {cpu_seconds: 60}\n", ""))
    assert read_settings(copied.settings.folder).analysis_seconds == 0
