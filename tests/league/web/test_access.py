"""Who may see and do what: all routes, taken from the application itself."""

from __future__ import annotations

import hashlib
import json
import re
from dataclasses import replace
from itertools import chain
from pathlib import Path

import pytest
from starlette.routing import Route
from tests.league.conftest import Course
from tests.league.made_league import CRASHING, Visitor, sign_in
from tests.site.packed_replays import files_in

from tiltyard_league.database.database import Database
from tiltyard_league.database.teams import find_team
from tiltyard_league.database.tokens import hash_of, make_token
from tiltyard_league.league_file.loading import read_settings
from tiltyard_league.web.app import PAGES, make_app
from tiltyard_league.web.http import access
from tiltyard_league.web.http.access import Page
from tiltyard_league.web.pages import uploads

ALL = (*PAGES, *uploads.PAGES)
SAFE = ("GET", "HEAD")


def path_of(page: Page, course: Course, own: str = "Blue") -> str:
    """An address of a page that there is: of the team Blue where it is a team's."""
    with Database(course.folder) as database:
        team = database.row("SELECT * FROM teams WHERE name = ?", own)
        assert team is not None
        version = database.number("SELECT id FROM versions WHERE team = ?", team["id"])
        game = course.league.settings.results
        place = next(each.place for each in _games(game) if version in each.versions)
    name = {"/assets/{name}": "site.css"}.get(page.path, "theme")
    values = {
        "slug": team["slug"],
        "place": str(place),
        "name": name,
        "number": "1",
        "token": "x" * 27,
        "id": str(version if "versions" in page.path else team["id"]),
    }
    return re.sub(r"{(\w+)}", lambda match: values[match[1]], page.path)


def _games(results: Path) -> list:  # type: ignore[type-arg]
    from tiltyard_league.database.games import Games

    return Games(results).last(100)


def ids(page: Page) -> str:
    return f"{page.methods[0]} {page.path}"


def test_every_route_is_declared_with_its_access(course: Course) -> None:
    routes = [route for route in course.app.routes if isinstance(route, Route)]
    assert len(routes) == len(course.app.routes)
    served = {(route.path, method) for route in routes for method in (route.methods or set()) - {"HEAD"}}
    declared = {(page.path, method): page.audience for page in ALL for method in page.methods}
    assert served == set(declared)
    assert set(declared.values()) == {"public", "team", "staff"}
    # What changes something is a team's or the staff's, but for signing in.
    assert [path for (path, method), access in declared.items() if access == "public" and method not in SAFE] == ["/join/{token}"]


@pytest.mark.parametrize("page", [page for page in ALL if page.methods == ("GET",)], ids=ids)
def test_who_may_ask_for_a_page(course: Course, page: Page) -> None:
    path = path_of(page, course)
    # Programs have their token in a header, browsers theirs in a cookie, and neither is any use in the other's place.
    team = Visitor(course.app, token=course.blue.token) if page.is_api else Visitor(course.app, dict(course.blue.cookies))
    wrong = Visitor(course.app, dict(course.blue.cookies)) if page.is_api else Visitor(course.app, token=course.blue.token)
    answers = {"stranger": course.stranger, "wrong": wrong, "team": team, "staff": Visitor(course.app, dict(course.staff.cookies))}
    status = {name: visitor.get(path).status for name, visitor in answers.items()}
    refused = 401 if page.is_api else 403
    there = 404 if page.path.startswith("/join/") else 303 if page.path in ("/team-{slug}.html", "/matches.html", "/games") else 200
    match page.audience:
        case "public":
            assert set(status.values()) == {there}
        case "team":
            assert status == {"stranger": refused, "wrong": refused, "team": 200, "staff": refused}
        case "staff":
            assert status == {"stranger": 404, "wrong": 404, "team": 404, "staff": 200}


@pytest.mark.parametrize("page", [page for page in ALL if page.methods != ("GET",)], ids=ids)
def test_what_changes_something_is_refused_from_elsewhere_and_without_the_pages_word(course: Course, page: Page) -> None:
    path, method = path_of(page, course), page.methods[0]
    before = _everything(course.folder)
    if page.is_api:
        # A page elsewhere can't set this header, and a cookie is no use.
        assert Visitor(course.app, dict(course.blue.cookies)).ask(method, path, b"x").status == 401
        assert Visitor(course.app, token="wrong").ask(method, path, b"x").status == 401
    else:
        visitor = course.staff if page.audience == "staff" else course.blue
        form = {"Content-Type": "application/x-www-form-urlencoded"}
        body = f"what=disable&csrf={visitor.csrf()}".encode()
        elsewhere = ({"Origin": "https://evil.example"}, {"Sec-Fetch-Site": "cross-site"}, {"Sec-Fetch-Site": "same-site"})
        for headers in elsewhere:
            assert visitor.ask(method, path, body, {**form, **headers}).status == 403
        if page.has_session:
            for word in ("", "0" * 40, course.red.csrf()):
                assert visitor.ask(method, path, f"what=disable&csrf={word}".encode(), form).status == 403
            assert course.stranger.ask(method, path, body, form).status in (403, 404)
    assert _everything(course.folder) == before


def _everything(folder: Path) -> list[tuple[object, ...]]:
    with Database(folder) as database:
        tables = ("teams", "members", "versions", "requests", "overrides", "log", "facts")
        counts = [tuple(row) for table in tables for row in database.rows(f"SELECT * FROM {table}")]
        return [*counts, (database.number("SELECT count(*) FROM tokens"),)]


def test_a_team_never_sees_what_is_anothers(course: Course) -> None:
    with Database(course.folder) as database:
        own = database.number("SELECT versions.id FROM versions JOIN teams ON teams.id = team WHERE teams.name = 'Blue'")
    faulty = next(game for game in _games(course.league.settings.results) if own in game.versions and game.fault)
    page = f"/games/{faulty.place}"
    assert "my secret plan" in course.blue.get(page).text
    assert "my own mistake" in course.blue.get(page).text
    assert course.blue.get(f"{page}/kit.zip").status == 200
    for other in (course.red, course.stranger):
        text = other.get(page).text
        assert "my secret plan" not in text
        assert "my own mistake" not in text
        assert "kit.zip" not in text
    assert course.red.get(f"{page}/kit.zip").status == 404
    assert course.red.get(f"/api{page}/kit").status == 404
    for path in ("/data/matches-0.js", f"/replays/{faulty.place}.js", "/data/games.js", "/live.json"):
        public = course.stranger.get(path).text
        assert "secret" not in public
        assert "my own mistake" not in public
    # Only one's own versions have numbers here.
    for visitor, data in ((course.red, b"coyote of Red"), (course.blue, f"{CRASHING} of Blue".encode())):
        assert visitor.get("/api/versions/1").json["digest"] == hashlib.sha256(data).hexdigest()
        answer = visitor.get("/me/versions/1/file")
        assert answer.body == data
        assert answer.header("content-type") == "application/octet-stream"
        assert re.fullmatch(r'attachment; filename="[a-z-]+-v1\.py"', answer.header("content-disposition"))
        assert course.staff.get(f"/staff/versions/{own if visitor is course.blue else own - 1}/file").body == data
    for path in ("/me/versions/2", "/me/versions/2/file", f"/staff/versions/{own}/file"):
        assert course.red.get(path).status == 404


def test_names_of_people_are_for_their_team_and_the_staff(course: Course) -> None:
    names = ("Ann Ash", "Cid Cedar", ">Blue<", "0019")
    for page in [page for page in ALL if page.audience == "public" and page.methods == ("GET",)]:
        body = course.stranger.get(path_of(page, course)).body
        if page.path.startswith("/replays/"):
            body = b"".join(files_in(body.decode()).values())
            assert body
        assert not [name for name in names if name.encode() in body], page.path
    assert "Ann Ash" in course.red.get("/me").text
    assert "Cid Cedar" not in course.red.get("/me").text
    assert "0019" in course.staff.get("/staff/roster").text


def test_tokens_stand_in_no_page_and_in_no_database(course: Course) -> None:
    tokens = [course.blue.token, *course.blue.cookies.values(), *course.staff.cookies.values()]
    pages = [page for page in ALL if page.methods == ("GET",)]
    for visitor in (course.blue, course.staff):
        for page in pages:
            body = visitor.get(path_of(page, course)).body
            assert not [token for token in tokens if token.encode() in body], page.path
    content = b"".join(path.read_bytes() for path in course.folder.glob("league.sqlite*"))
    assert not [token for token in tokens if token.encode() in content]
    assert hash_of(course.blue.token).encode() in content


def test_tokens_stand_in_no_line_of_the_log(course: Course, tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    # Without its database, every page writes a line with its address.
    nowhere = make_app(replace(course.league.settings, folder=tmp_path))
    token = course.blue.token
    for method, path in (("GET", f"/join/{token}"), ("POST", f"/join/{token}?next={token}"), ("GET", f"/api/team?token={token}")):
        visitor = Visitor(nowhere, {"tiltyard_session": token}, token=token)
        assert visitor.ask(method, path, b"", {"Content-Type": "application/x-www-form-urlencoded"}).status == 503
        log = "".join(capfd.readouterr())
        assert json.loads(log)["event"] == "request failed"
        assert token not in log


def test_every_answer_has_the_headers_that_protect(course: Course) -> None:
    for method, path, status in (
        ("GET", "/", 200),
        ("GET", "/no-such-page-at-all", 404),
        ("GET", "/api/no-such-page-at-all", 404),
        ("GET", "/me", 403),
        ("POST", "/me/leave", 403),
        ("GET", "/games/999999", 404),
        ("GET", "/assets/site.css", 200),
        ("GET", "/matches.html", 303),
        ("GET", "/games", 303),
        ("DELETE", "/", 405),
        ("POST", "/api/versions", 405),
        ("GET", "/api/team", 401),
        ("PUT", "/api/versions", 401),
    ):
        answer = course.stranger.ask(method, path)
        assert answer.status == status, path
        policy = answer.header("content-security-policy")
        assert "unsafe" not in policy
        assert {"default-src 'none'", "script-src 'self'", "form-action 'self'", "frame-ancestors 'none'"} <= set(
            policy.split("; ")
        )
        assert answer.header("x-content-type-options") == "nosniff"
    for page in [page for page in ALL if page.methods == ("GET",) and not page.is_api]:
        answer = course.staff.get(path_of(page, course))
        assert answer.header("x-content-type-options") == "nosniff"
        if answer.header("content-disposition").endswith(('.zip"', '.py"')):
            # It is saved and never shown.
            continue
        assert not re.search(r"<script(?![^>]* src=)|<style|\son\w+=|\sstyle=", answer.body.decode(errors="replace")), page.path
    assert course.blue.get("/me").header("cache-control") == "private, no-store"


def test_a_session_can_be_ended_and_a_cookie_is_for_the_browser_alone(course: Course) -> None:
    visitor = sign_in(course.app, course.folder, "Dot Dogwood")
    assert visitor.get("/me").status == 200
    answer = visitor.post("/me/leave")
    assert answer.status == 303
    assert "HttpOnly" in answer.header("set-cookie")
    assert "SameSite=lax" in answer.header("set-cookie")
    old = Visitor(course.app, {"tiltyard_session": visitor.cookies["tiltyard_session"]})
    assert old.get("/me").status == 403


def test_another_name_of_this_machine_sees_nothing(course: Course, tmp_path: Path) -> None:
    assert Visitor(course.app, host="evil.example").get("/").status == 421
    (tmp_path / "league.yaml").write_text("league: {address: 'https://league.example.edu/2026'}\n")
    settings = read_settings(tmp_path)
    app = make_app(replace(course.league.settings, keys=settings.keys), local=False)
    assert Visitor(app, host="evil.example").get("/").status == 421
    for path in ("/", "/2026/"):
        answer = Visitor(app, host="league.example.edu").get(path)
        assert answer.status == 200
        assert 'href="/2026/games/"' in answer.text
    other = sign_in(course.app, course.folder, "Dot Dogwood")
    assert "Secure" in Visitor(app, dict(other.cookies), host="league.example.edu").ask(
        "POST",
        "/me/leave",
        f"csrf={other.csrf()}".encode(),
        {"Content-Type": "application/x-www-form-urlencoded", "Origin": "https://league.example.edu"},
    ).header("set-cookie")


def test_guessing_links_and_asking_too_often_is_slowed_down(course: Course, tmp_path: Path) -> None:
    (tmp_path / "league.yaml").write_text("league: {join-limit: 5}\n")
    app = make_app(replace(course.league.settings, keys=read_settings(tmp_path).keys))
    visitor = Visitor(app)
    statuses = [visitor.ask("GET", f"/join/{number}", client="10.0.0.9").status for number in range(8)]
    assert statuses == [404] * 5 + [429] * 3
    assert visitor.ask("GET", "/join/x", client="10.0.0.10").status == 404
    # Links that there are don't count: a whole lecture signs in at once, through one router.
    with Database(course.folder) as database, database.writing():
        invite = make_token(database, "invite", int(find_team(database, "Red")["id"]))
    assert {visitor.ask("GET", f"/join/{invite}", client="10.0.0.11").status for _ in range(20)} == {200}
    answer = visitor.ask("GET", "/join/x", client="10.0.0.9")
    assert int(answer.header("retry-after")) >= 1


def test_an_address_that_asks_too_often_is_slowed_down_on_all_routes(course: Course, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(access, "BUSY_MOST", 1)
    monkeypatch.setattr(access, "BUSY_SECONDS", 1e6)
    app = make_app(course.league.settings)
    for number, page in enumerate(ALL):
        answers = [Visitor(app).ask(page.methods[0], path_of(page, course), client=f"10.1.0.{number}") for _ in range(2)]
        assert answers[0].status != 429, page.path
        assert answers[1].status == 429, page.path
        assert int(answers[1].header("retry-after")) > 1
    assert [Visitor(app).ask("GET", "/no-such-page", client="10.1.1.1").status for _ in range(2)] == [404, 429]


def test_numbers_for_programs_say_nothing_of_people(course: Course) -> None:
    value = course.stranger.get("/status.json").json
    assert value["games"] == course.games
    assert "Ash" not in json.dumps(value)


def test_that_the_walk_covers_what_there_is() -> None:
    assert len(list(chain(ALL))) > 40
