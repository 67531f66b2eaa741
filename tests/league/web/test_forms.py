"""What the forms of teams and staff do, and what their pages show afterwards."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import pytest
from tests.league.made_league import IDLE, Visitor, enter, make_league, play, sign_in

from tiltyard_league.database import staff
from tiltyard_league.database.database import Database
from tiltyard_league.database.games import Games, Seats
from tiltyard_league.database.state import ServiceState, write_state
from tiltyard_league.database.teams import find_team
from tiltyard_league.database.tokens import make_token
from tiltyard_league.league_file.loading import League
from tiltyard_league.rating.standing import FROZEN
from tiltyard_league.service.game_writing import game_writer, open_games
from tiltyard_league.web.app import make_app
from tiltyard_league.web.pages.log import LINES
from tiltyard_simulator.play.arena import void
from tiltyard_tournaments.store import Store


def test_a_game_that_the_machine_spoilt_has_a_page_as_well(league: League, visit: Callable[[str | None], Visitor]) -> None:
    enter(league, "Red", "coyote")
    play(league, 1)
    (game,) = Games(league.settings.results).last(1)
    with open_games(league.settings.results) as store:
        match = store.match(game.key)
        assert match is not None
        record = void(match.spec, 1, "the machine broke")
        store.remove(game.key)
        store.add_void(game.key, record, game_writer(Seats(versions=game.versions, map=game.map), game.key, record.outcome))
    (void_game,) = Games(league.settings.results).last(1)
    page = visit(None).get(f"/games/{void_game.place}")
    assert page.status == 200
    assert "no result" in page.text
    assert "Play this game again" in page.text


@pytest.fixture
def league(tmp_path: Path) -> League:
    return make_league(tmp_path / "course", maps=1)


@pytest.fixture
def visit(league: League) -> Callable[[str | None], Visitor]:
    app = make_app(league.settings)
    return lambda team: sign_in(app, league.settings.folder, team)


def test_a_stranger_comes_in_by_the_teams_link(league: League) -> None:
    folder = league.settings.folder
    with Database(folder) as database, database.writing():
        token = make_token(database, "invite", 1)
    visitor = Visitor(make_app(league.settings))
    # Programs that look at links change nothing.
    assert "Ann Ash" in visitor.get(f"/join/{token}").text
    assert visitor.cookies == {}
    assert visitor.post(f"/join/{token}", csrf="").status == 400
    member = re.findall(r'name="member" value="(\d+)"', visitor.get(f"/join/{token}").text)[1]
    assert visitor.post(f"/join/{token}", csrf="", member=member, headers={"Origin": "https://evil.example"}).status == 403
    assert visitor.post(f"/join/{token}", csrf="", member=member).header("location") == "/me"
    page = visitor.post("/me/token").text
    upload_token = re.findall(r"<pre[^>]*>([\w-]{27})</pre>", page)[0]
    program = Visitor(visitor.app, token=upload_token)
    assert program.upload(b"x").status == 201
    with Database(folder) as database:
        assert database.number("SELECT member FROM versions") == int(member)
    # A new token ends the one before.
    visitor.post("/me/token")
    assert program.upload(b"y").status == 401


def test_versions_can_be_withdrawn_and_brought_back(league: League, visit: Callable[[str | None], Visitor]) -> None:
    first, second = enter(league, "Red", "coyote"), enter(league, "Red", IDLE)
    red = visit("Red")

    def playing() -> set[int]:
        play(league, 2)
        with Database(league.settings.folder) as database:
            return {row["id"] for row in database.rows("SELECT id FROM versions WHERE state = 'accepted'")}

    assert "and it plays for your team" in red.get("/me/versions/2").text
    assert red.post("/me/versions/2/withdraw").status == 303
    assert second not in playing()
    assert "and it plays for your team" in red.get("/me/versions/1").text
    assert red.post("/me/versions/2/choose").status == 303
    assert {first, second} <= playing()
    assert red.post("/me/versions/9/choose").status == 404
    assert visit("Blue").post("/me/versions/1/withdraw").status == 404
    # The same code again is the version that it was before: it plays once, and has one page to change that on.
    enter(league, "Red", "coyote")
    again = red.get("/me/versions/3").text
    assert 'href="/me/versions/1"' in again
    assert "Withdraw" not in again
    for action in ("withdraw", "choose"):
        refused = red.post(f"/me/versions/3/{action}")
        assert (refused.status, "Version 3 is version 1 again" in refused.text) == (409, True)
    with Database(league.settings.folder) as database:
        staff.set_frozen(database, True, "test")
        assert red.post("/me/versions/1/choose").status == 303
        staff.set_closed(database, True, "test")
    assert red.post("/me/versions/2/choose").status == 403
    assert red.post("/me/versions/1/withdraw").status == 403
    assert {first, second} <= playing()


def test_what_changed_since_the_version_before_is_shown_side_by_side(
    league: League, visit: Callable[[str | None], Visitor]
) -> None:
    old = enter(league, "Red", IDLE)
    play(league)
    new = enter(league, "Red", "coyote")
    play(league)
    games = Games(league.settings.results)
    results = {
        version: {
            (game.versions.index(version), game.versions[1 - game.versions.index(version)]): game
            for game in games.of_version(version)
        }
        for version in (old, new)
    }
    expected = [seat for seat, game in results[new].items() if game.points_of(new) != results[old][seat].points_of(old)]
    assert expected
    text = visit("Red").get("/me/versions/2").text
    assert text.count("side by side") == len(expected)
    assert re.search(r'match\.html#match=\d+&amp;with=\d+"', text)


def test_while_it_is_frozen_only_staff_and_the_own_team_see_what_is_new(
    league: League, visit: Callable[[str | None], Visitor]
) -> None:
    play(league)
    with Database(league.settings.folder) as database:
        staff.set_frozen(database, True, "test")
    version = enter(league, "Red", "coyote")
    games = play(league)
    red, blue, of_staff = visit("Red"), visit("Blue"), visit(None)
    # Its own team sees what becomes of its version, but neither place nor rating; others don't hear of it.
    with Database(league.settings.folder) as database:
        page = find_team(database, "Red")["slug"]
    own, of_others = red.get("/me").text, blue.get(f"/teams/{page}").text
    assert f"/games/{games}" in own
    assert f"/games/?version={version}&" in own.replace("&amp;", "&")
    assert "<dt>place</dt>" not in own
    assert "<dt>version</dt>" in own
    assert "<dt>version</dt>" not in of_others
    assert f"/games/{games}" in red.get(f"/games/?version={version}").text
    enter(league, "Blue", IDLE)
    assert blue.get("/me/requests").text.count(" v1</option>") == 0
    assert [blue.post("/me/requests", version="4", opponent=each, map="duel0").status for each in (str(version), "1")] == [400, 303]
    assert games == 6
    newest = f"/games/{games}"
    assert [visitor.get(newest).status for visitor in (red, blue, of_staff)] == [200, 404, 200]
    assert [visitor.get(f"/replays/{games}.js").status for visitor in (red, blue)] == [200, 404]
    for path in ("/", "/games/", "/live.json", "/data/games.js", "/data/matches-0.js", "/feed.atom", "/status.json"):
        text = blue.get(path).text
        assert not re.search(rf"(games/|\"id\":|\[|match=){games}\b(?! )", text) or path == "/status.json", path
    assert blue.get("/status.json").json["games"] == 2
    assert blue.get("/").text.count('class="number place"') == 2
    assert of_staff.get("/").text.count('class="number place"') == 3
    assert "The standings have been frozen since" in blue.get("/").text
    # Before the service has kept it again, there is none rather than a newer one.
    (league.settings.folder / FROZEN).unlink()
    assert blue.get("/").text.count('class="number place"') == 0
    play(league)
    assert blue.get("/").text.count('class="number place"') == 2


def test_what_staff_do_on_their_pages(league: League, visit: Callable[[str | None], Visitor]) -> None:
    version = enter(league, "Red", "coyote")
    play(league)
    of_staff = visit(None)
    folder = league.settings.folder
    csv = "name,id,group\nAnn Ash,0017,Red\nEve Elm,0099,Green\n"
    text = of_staff.post("/staff/roster", roster=csv).text
    assert "new team: <bdi>Green</bdi>" in text
    with Database(folder) as database:
        assert database.number("SELECT count(*) FROM teams WHERE name = 'Green'") == 0
        assert of_staff.post("/staff/roster", roster=csv, apply="yes").status == 303
        assert database.number("SELECT count(*) FROM teams WHERE name = 'Green'") == 1
    assert "no column has a usual name" in of_staff.post("/staff/roster", roster="what\nis\nthis\n").text
    assert "/join/" in of_staff.post("/staff/teams/1", what="invite").text
    check_links(of_staff)
    for what, state in (("disable", "disabled"), ("enable", "active")):
        assert of_staff.post("/staff/teams/1", what=what).status == 303
        assert f"The team is {state}" in of_staff.get("/staff/teams/1").text
    assert of_staff.post("/staff/teams/1", what="rename", name="Green").status == 409
    assert of_staff.post("/staff/teams/1", what="nonsense").status == 400
    assert of_staff.post(f"/staff/versions/{version}", what="disable", reason="see me").status == 303
    assert "see me" in of_staff.get(f"/staff/versions/{version}").text
    assert of_staff.post(f"/staff/versions/{version}", what="enable").status == 303
    assert "There is no replay" not in of_staff.get("/games/1").text
    with Store(league.settings.results) as store:
        store.remove_replay(Games(league.settings.results).games(range(1, 2))[0].key)
    assert "of the last 50 games of each version" in of_staff.get("/games/1").text
    assert of_staff.post("/staff/games/1", what="void", why="a mistake").status == 303
    play(league)
    for visitor, may_see in ((of_staff, True), (visit("Red"), True), (visit("Blue"), False), (Visitor(of_staff.app), False)):
        text = visitor.get("/games/1").text
        assert "<strong>void</strong>" in text
        assert "Player 1 won" not in text
        assert "Player 2 won" not in text
        assert ("a mistake" in text) is may_see
    with Database(folder) as database:
        green, acorn = (find_team(database, name)["id"] for name in ("Green", "acorn"))
    before = of_staff.get(f"/staff/teams/{green}").text
    assert of_staff.post(f"/staff/teams/{green}", what="merge", into="1").header("location") == "/staff/teams/1"
    assert 'merged into <a href="/staff/teams/1"><bdi>Red</bdi>' in of_staff.get(f"/staff/teams/{green}").text
    refused = of_staff.post(f"/staff/teams/{green}", what="invite")
    assert (refused.status, "&#39;Green&#39; needs no link: it is gone." in refused.text) == (409, True)
    for page in (of_staff.get(f"/staff/teams/{acorn}").text, of_staff.get(f"/staff/teams/{green}").text):
        assert not [what for what in ("sign-out", "invite", "merge", "rename") if f'value="{what}"' in page]
    assert of_staff.post(f"/staff/teams/{green}", what="enable").status == 303
    assert of_staff.get(f"/staff/teams/{green}").text == before
    for what in ("freeze", "unfreeze", "close"):
        assert of_staff.post("/staff/season", what=what).status == 303
    refused = of_staff.post("/staff/games/1", what="rerun")
    assert (refused.status, "open it first" in refused.text) == (409, True)
    assert of_staff.post("/staff/season", what="open").status == 303
    text = of_staff.get("/staff/log").text
    for part in ('game: <a href="/games/1">', f'version: <a href="/staff/versions/{version}"><bdi>Red (', "members: Eve Elm"):
        assert part in text
    assert not [
        what
        for what in ("roster", "new invite", "team disabled", "version disabled", "game void", "frozen", "closed")
        if what not in text
    ]
    grades = of_staff.get("/staff/grades.csv")
    assert grades.body.startswith(b"\xef\xbb\xbfid,name")
    assert "0017,Ann Ash,Red" in grades.text
    assert of_staff.get("/staff/grades.ods").body.startswith(b"PK")


def check_links(of_staff: Visitor) -> None:
    """That a page shows links once, to be printed, and ends none of them when it is loaded again."""

    def new_links(what: str) -> dict[str, str]:
        page = of_staff.post("/staff/links", what=what, opened_at=opened_at)
        return dict(re.findall(r"<h2><bdi>(.*?)</bdi></h2>.*?/join/(.*?)</code>", page.text))

    def lets_in(tokens: dict[str, str]) -> set[int]:
        return {Visitor(of_staff.app).get(f"/join/{token}").status for token in tokens.values()}

    roster = of_staff.get("/staff/roster").text
    opened_at = re.findall(r'name="opened_at" value="(.*?)"', roster)[0]
    # Red has the one that was made a moment ago, and of other teams nobody is left.
    assert "1 team has no valid link" in roster
    missing = new_links("missing")
    assert (list(missing), new_links("missing"), lets_in(missing)) == (["Green"], {}, {200})
    opened_at = re.findall(r'name="opened_at" value="(.*?)"', of_staff.get("/staff/roster").text)[0]
    every = new_links("all")
    assert (list(every), new_links("all"), lets_in(every), lets_in(missing)) == (["Green", "Red"], {}, {200}, {404})


def test_a_log_has_pages(league: League, visit: Callable[[str | None], Visitor]) -> None:
    with Database(league.settings.folder) as database, database.writing():
        for number in range(LINES):
            database.log("team 1", "tried", number=number)
    of_staff = visit(None)
    newest = of_staff.get("/staff/log").text
    assert newest.count("<td><bdi>Red</bdi></td>") == LINES
    older = re.findall(r'href="(/staff/log\?before=\d+)">Older', newest)[0]
    text = of_staff.get(older).text
    assert "new: Red; Blue; Dot Dogwood" in text
    assert "Older" not in text
    assert of_staff.get("/staff/log?before=x").text == newest


def test_equal_code_of_teams_is_shown_with_whoever_had_it_first(league: League, visit: Callable[[str | None], Visitor]) -> None:
    of_staff = visit(None)
    assert "Same code" not in of_staff.get("/staff").text
    for team in ("Blue", "Red"):
        enter(league, team, "coyote")
    text = of_staff.get("/staff").text.partition("Same code")[2].partition("</ul>")[0]
    assert re.findall(r"<bdi>(.*?)</bdi>", text) == ["Blue", "Red"]
    assert re.findall(r'href="/staff/versions/(\d+)"', text) == ["1", "2"]
    assert "The steward isn't running" in of_staff.get("/staff").text
    write_state(league.settings.folder, ServiceState(at="2026-11-23T10:00"))
    assert "The steward" not in of_staff.get("/staff").text


def test_a_team_asks_for_games_it_may_have(league: League, visit: Callable[[str | None], Visitor]) -> None:
    version = enter(league, "Red", "coyote")
    play(league)
    red = visit("Red")
    opponent = re.findall(r'<select name="opponent"><option value="(\d+)"', red.get("/me/requests").text)[0]
    for _ in range(league.settings.keys.requests_a_day):
        assert red.post("/me/requests", version=str(version), opponent=opponent, map="duel0").status == 303
    assert red.post("/me/requests", version=str(version), opponent=opponent, map="duel0").status == 429
    blue = visit("Blue")
    for wrong in ({"version": str(version)}, {"map": "no map"}, {"opponent": "999"}):
        fields = {"version": str(version), "opponent": opponent, "map": "duel0", **wrong}
        assert blue.post("/me/requests", **fields).status == 400
    play(league)
    assert "played</a>" in red.get("/me/requests").text
    with Database(league.settings.folder) as database:
        staff.set_closed(database, True, "test")
    assert "The league is over" in red.get("/me/requests").text
    assert red.post("/me/requests", version=str(version), opponent=opponent, map="duel0").status == 403
