"""Requests that no page of the league makes: each is refused in a sentence, and none is an error of the server."""

from __future__ import annotations

from urllib.parse import quote

import pytest
from tests.league.conftest import Course
from tests.league.made_league import Visitor
from tests.league.web.test_access import ALL, ids

from tiltyard_league.database.database import Database
from tiltyard_league.database.teams import find_team
from tiltyard_league.database.tokens import make_token
from tiltyard_league.web.http.access import Page

ODD = ("0", "-1", "1.5", "1e3", "\u0663", "²", "9" * 30, "9" * 5000, "\0", "a" * 3000, "..", "'", "%", "\N{ZERO WIDTH SPACE}")
FAILED = '"event": "request failed"'


def visitor_of(course: Course, page: Page) -> Visitor:
    if page.audience == "staff":
        return Visitor(course.app, dict(course.staff.cookies))
    return Visitor(course.app, token=course.blue.token) if page.is_api else Visitor(course.app, dict(course.blue.cookies))


@pytest.mark.parametrize("page", [page for page in ALL if "{" in page.path], ids=ids)
def test_odd_addresses(course: Course, page: Page, capfd: pytest.CaptureFixture[str]) -> None:
    visitor = visitor_of(course, page)
    for odd in ODD:
        path = page.path.partition("{")[0] + odd + page.path.partition("}")[2]
        status = visitor.get(path).status if page.methods == ("GET",) else visitor.post(path, what="disable").status
        assert status in (303, 400, 404), (odd, status)
    assert FAILED not in capfd.readouterr().out


@pytest.mark.parametrize("path", ["/games/", "/me/games", "/api/versions/1"])
def test_odd_questions(course: Course, path: str, capfd: pytest.CaptureFixture[str]) -> None:
    visitor = Visitor(course.app, dict(course.blue.cookies), token=course.blue.token)
    for odd in map(quote, ODD):
        status = visitor.get(f"{path}?before={odd}&version={odd}&against={odd}&fault={odd}&wait={odd[:3]}").status
        assert status in (200, 404), (odd, status)
    assert FAILED not in capfd.readouterr().out


def test_odd_forms(course: Course, capfd: pytest.CaptureFixture[str]) -> None:
    with Database(course.folder) as database, database.writing():
        invite = make_token(database, "invite", int(find_team(database, "Red")["id"]))
        team = int(find_team(database, "Blue")["id"])
        version = database.number("SELECT id FROM versions WHERE team = ?", team)
    for odd in ODD:
        assert Visitor(course.app).post(f"/join/{invite}", csrf="", member=odd).status == 400
        assert course.blue.post("/me/requests", version=odd, opponent=odd, map=odd).status == 400
        assert course.staff.post("/staff/season", what=odd).status == 400
        assert course.staff.post(f"/staff/teams/{team}", what="merge", into=odd).status == 404
        assert course.staff.post(f"/staff/versions/{version}", what=odd).status == 400
        assert course.staff.post("/staff/roster", roster=odd).status == 200
    assert FAILED not in capfd.readouterr().out


@pytest.mark.parametrize("host", ["", "[", "[::1", "[x]", "a b", "localhost:x", "localhost:99999999", "\xff"])
def test_odd_hosts(course: Course, host: str, capfd: pytest.CaptureFixture[str]) -> None:
    assert Visitor(course.app, host=host).get("/").status in (200, 421)
    assert FAILED not in capfd.readouterr().out


def test_wrong_methods_and_addresses_without_their_slash(course: Course) -> None:
    for method, path, status in (
        ("PUT", "/", 405),
        ("DELETE", "/api/team", 405),
        ("POST", "/no-such-page", 404),
        ("GET", "/me/", 404),
    ):
        answer = Visitor(course.app, dict(course.blue.cookies), token=course.blue.token).ask(method, path, b"x=1")
        assert answer.status == status, path
        assert "default-src 'none'" in answer.header("content-security-policy")
        assert (status == 405) == bool(answer.header("allow"))
    assert course.stranger.get("/games", Host="evil.example").status == 421
    refusal = course.stranger.get("/api/team", Host="evil.example")
    assert (refusal.status, refusal.text) == (421, '{"error":"This league can only be opened on this machine."}')
    assert "default-src 'none'" in refusal.header("content-security-policy")
    assert course.stranger.get("/games").header("location") == "/games/"


@pytest.mark.parametrize("charset", ["idna", "utf-7", "nothing-of-this-name", "zlib"])
def test_odd_bodies(course: Course, charset: str, capfd: pytest.CaptureFixture[str]) -> None:
    part = f'--b\r\nContent-Disposition: form-data; name="csrf"\r\n\r\n{course.blue.csrf()}\r\n'
    body = f'{part}--b\r\nContent-Disposition: form-data; name="what"; filename="\u00e4"\r\n\r\n\udcff..\r\n--b--\r\n'
    for path in ("/me/requests", "/me/versions"):
        for length in (len(body), len(body) // 2):
            data = body.encode("utf-8", "surrogateescape")[:length]
            answer = course.blue.ask("POST", path, data, {"Content-Type": f"multipart/form-data; boundary=b; charset={charset}"})
            assert answer.status in (400, 403), (path, answer.text)
    assert FAILED not in capfd.readouterr().out
