"""Handing in over HTTP: what comes is stored as it is, and counted, and nothing of it is opened."""

from __future__ import annotations

import asyncio
import hashlib
import re
import tracemalloc
from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from tests.intake.trees.test_hostile_archives import HOSTILE
from tests.league.conftest import Course
from tests.league.made_league import FILE, Visitor, make_folder, sign_in
from tests.own_loop import in_own_thread

from tiltyard_league.database import staff
from tiltyard_league.database.database import Database, make_database
from tiltyard_league.database.teams import add_team, find_team
from tiltyard_league.database.tokens import make_token
from tiltyard_league.league_file.loading import Settings, read_settings
from tiltyard_league.submissions import upload as upload_module
from tiltyard_league.web.app import make_app
from tiltyard_league.web.http import limits
from tiltyard_league.web.pages import public, uploads
from tiltyard_league.web.pages import staff as staff_pages


@pytest.fixture(scope="module")
def settings(tmp_path_factory: pytest.TempPathFactory) -> Settings:
    """A league without games: handing in needs none."""
    folder = make_folder(tmp_path_factory.mktemp("league") / "course", file=FILE.replace("500", "60"))
    make_database(folder)
    return read_settings(folder)


@pytest.fixture
def visitor(settings: Settings, request: pytest.FixtureRequest) -> Visitor:
    """A team of its own for each test."""
    with Database(settings.folder) as database, database.writing():
        add_team(database, request.node.name)
    return sign_in(make_app(settings), settings.folder, request.node.name)


def versions(settings: Settings) -> int:
    with Database(settings.folder) as database:
        return database.number("SELECT count(*) FROM versions")


def test_what_is_acknowledged_is_there_as_it_was_sent(settings: Settings, visitor: Visitor) -> None:
    data = bytes(range(256)) * 1000
    answer = visitor.upload(
        data, "../../thunder v2.tar.gz", X_Digest=hashlib.sha256(data).hexdigest(), X_Note="shoots <b>earlier</b>"
    )
    assert (answer.status, answer.json) == (201, {"number": 1, "digest": hashlib.sha256(data).hexdigest()})
    assert (settings.folder / "uploads" / answer.json["digest"]).read_bytes() == data
    # The same once more is the same version; other bytes are the next one.
    assert visitor.upload(data).json["number"] == 1
    assert visitor.upload(data + b"!").json["number"] == 2
    version = visitor.get("/api/versions/1").json
    assert (version["state"], version["reason"], version["late"]) == ("received", "", False)
    page = visitor.get("/me").text
    assert "thunder v2.tar.gz" in page
    assert "../" not in page.replace('href="../', "")
    assert "shoots &lt;b&gt;earlier&lt;/b&gt;" in page


def test_a_browsers_form_does_the_same(settings: Settings, visitor: Visitor) -> None:
    def form(csrf: str, *parts: tuple[str, str, bytes]) -> tuple[bytes, dict[str, str]]:
        body = b"".join(
            b'--edge\r\nContent-Disposition: form-data; name="%s"%s\r\n\r\n%s\r\n'
            % (name.encode(), f'; filename="{file}"'.encode() if file else b"", value)
            for name, file, value in (("csrf", "", csrf.encode()), *parts)
        )
        headers = {
            "Content-Type": "multipart/form-data; boundary=edge",
            "Origin": "http://localhost",
            "Sec-Fetch-Site": "same-origin",
        }
        return body + b"--edge--\r\n", headers

    csrf = visitor.csrf()
    answer = visitor.ask("POST", "/me/versions", *form(csrf, ("file", "a.py", b"print()"), ("note", "", b"first")))
    assert (answer.status, answer.header("location")) == (303, "/me/versions/1")
    assert "waits for its check" in visitor.get("/me/versions/1").text
    before = versions(settings)
    two_files = form(csrf, ("file", "a.py", b"1"), ("other", "b.py", b"2"))
    for body, headers in (form(csrf), form(csrf, ("file", "", b"text")), two_files, form("0" * 40, ("file", "a.py", b"x"))):
        assert visitor.ask("POST", "/me/versions", body, headers).status in (400, 403)
    assert versions(settings) == before
    # Loaded again after the deadline, the page that was sent in time still leads to its version.
    keys = settings.keys.model_copy(update={"deadline": datetime.now(UTC) - timedelta(hours=1)})
    visitor.app = make_app(replace(settings, keys=keys))
    for content, expected in ((b"print()", (303, "/me/versions/1")), (b"exit(1)", (403, ""))):
        body, headers = form(csrf, ("file", "a.py", content), ("note", "", b"first"))
        answer = visitor.ask("POST", "/me/versions", body, {**headers, "Content-Length": str(len(body))})
        assert (answer.status, answer.header("location")) == expected


def test_too_much_is_refused_while_it_comes(settings: Settings, visitor: Visitor) -> None:
    most = settings.keys.largest_upload
    piece = bytes(most // 5)
    answer = visitor.ask("PUT", "/api/versions", [piece] * 5 + [b"x"] * 3, {"X-Name": "a.zip"})
    assert answer.status == 413
    assert (
        visitor.ask("PUT", "/api/versions", [piece] * 5 + [b"x"], {"X-Name": "a.zip", "Content-Length": "99999999"}).status == 413
    )
    assert visitor.upload(b"").status == 400
    assert visitor.upload(b"abc", X_Digest="0" * 64).status == 400
    assert [path.name for path in (settings.folder / "uploads").glob(f"{upload_module.NEW}*")] == []


def test_hostile_archives_are_bytes_to_the_door(settings: Settings, visitor: Visitor) -> None:
    places = set(settings.folder.rglob("*"))
    digests = set()
    for hostile in HOSTILE:
        data = hostile.make()
        if not data or len(data) > settings.keys.largest_upload:
            continue
        answer = visitor.upload(data, hostile.name)
        assert answer.status in (201, 429), hostile.what
        if answer.status == 201:
            digests.add(answer.json["digest"])
    assert len(digests) >= 30
    new = {path for path in set(settings.folder.rglob("*")) - places if path.is_file() and "sqlite" not in path.name}
    assert {path.name for path in new} | {path.name for path in places} >= digests
    assert {path.parent.name for path in new} == {"uploads"}


def test_bytes_pass_through_and_are_not_kept_in_memory(settings: Settings, visitor: Visitor) -> None:
    # benchmarks/league_checks.py measures the whole process. This is loose: what the web process has at once of what it is sent.
    most = settings.keys.largest_upload
    pieces = [bytes([number % 251]) * 65_536 for number in range(most // 65_536)]
    archives = [data for hostile in HOSTILE[:8] if 0 < len(data := hostile.make()) <= most]
    visitor.upload(b"warm")
    tracemalloc.start()
    try:
        before = tracemalloc.get_traced_memory()[0]
        answer = visitor.ask("PUT", "/api/versions", pieces, {"X-Name": "large.zip"})
        for data in archives:
            visitor.upload(data, "a.zip")
        peak = tracemalloc.get_traced_memory()[1] - before
    finally:
        tracemalloc.stop()
    assert answer.status == 201
    assert (settings.folder / "uploads" / answer.json["digest"]).stat().st_size > 4_000_000
    assert peak < 4_000_000


def test_a_body_that_dawdles_is_given_up(settings: Settings, visitor: Visitor, monkeypatch: pytest.MonkeyPatch) -> None:
    async def never() -> limits.Message:
        await asyncio.Event().wait()
        raise AssertionError

    async def slow() -> None:
        with pytest.raises(limits.BodyTooSlowError):
            await limits.bounded(never, 10, 0.0)()

    in_own_thread(lambda: asyncio.run(slow()))
    monkeypatch.setattr(uploads, "BODY_SECONDS", -1000.0)
    assert visitor.upload(b"print()").status == 408
    assert versions(settings) >= 0


def test_a_disk_that_is_nearly_full_takes_nothing_more(
    settings: Settings, visitor: Visitor, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(upload_module, "free_bytes", lambda folder: settings.keys.least_free)
    answer = visitor.upload(b"print()")
    assert answer.status == 507
    assert "disk" in answer.json["error"]
    staff_member = sign_in(visitor.app, settings.folder, None)
    for free, text, has_room in ((0, "The disk is full", False), (settings.keys.least_free, "The disk is nearly full", True)):
        for pages in (public, staff_pages):
            monkeypatch.setattr(pages, "free_bytes", lambda folder, free=free: free)
        assert text in staff_member.get("/staff").text
        assert staff_member.get("/status.json").json["has_room"] is has_room


def test_a_team_can_hand_in_so_often_a_day(settings: Settings, visitor: Visitor) -> None:
    few = make_app(replace(settings, keys=settings.keys.model_copy(update={"uploads_a_day": 2})))
    visitor.app = few
    assert [visitor.upload(str(number).encode()).status for number in range(3)] == [201, 201, 429]
    text = visitor.upload(b"more").json["error"]
    assert re.fullmatch(r"Your team has handed in 2 times within 24 hours\. It can hand in again at [\d-]+ [\d:]+ UTC\.", text)
    assert visitor.get("/api/team").json["closed"] == text
    # The page says the same in place of the form, and what is there already can be sent again, with its digest or without.
    page = visitor.get("/me").text
    assert text in page
    assert 'type="file"' not in page
    assert visitor.upload(b"1", Content_Length="1").json["number"] == 2
    assert visitor.upload(b"1", X_Digest=hashlib.sha256(b"1").hexdigest()).json["number"] == 2
    # As long as something else, which is seen once it came.
    assert visitor.upload(b"2", Content_Length="1").status == 429


def test_of_uploads_that_come_at_once_none_is_more_than_allowed(
    settings: Settings, visitor: Visitor, monkeypatch: pytest.MonkeyPatch
) -> None:
    visitor.app = make_app(replace(settings, keys=settings.keys.model_copy(update={"uploads_a_day": 2})))
    write, answers = upload_module.Upload.write, []

    def while_others_come(upload: upload_module.Upload, data: bytes) -> None:
        """Each of the first comes while those before are on their way."""
        if data and (number := int(data)) < 101 + uploads.MOST_AT_ONCE:
            answers.append(visitor.upload(b"%d" % (number + 1)))
        write(upload, data)

    monkeypatch.setattr(upload_module.Upload, "write", while_others_come)
    answers.append(visitor.upload(b"101"))
    # The last one to come is one too many at once; the others were let in, and end in reverse order.
    assert [answer.status for answer in answers] == [429, 201, 201, 429]
    assert "Wait until one has arrived" in answers[0].json["error"]
    assert "2 times within 24 hours" in answers[-1].json["error"]
    names = {path.name for path in (settings.folder / "uploads").iterdir()}
    numbers = [number for number in range(101, 105) if hashlib.sha256(b"%d" % number).hexdigest() in names]
    assert numbers == [102, 103]
    assert not [name for name in names if name.startswith(upload_module.NEW)]


def test_a_disk_that_fills_up_meanwhile_takes_nothing_more(
    settings: Settings, visitor: Visitor, monkeypatch: pytest.MonkeyPatch
) -> None:
    free = iter([10**12, settings.keys.least_free, settings.keys.least_free - 1])
    monkeypatch.setattr(upload_module, "free_bytes", lambda folder: next(free))
    assert visitor.ask("PUT", "/api/versions", [b"some", b"more"], {"X-Name": "a.zip"}).status == 507


@pytest.fixture
def closed(settings: Settings) -> Iterator[None]:
    with Database(settings.folder) as database:
        staff.set_frozen(database, True, "test")
        staff.set_closed(database, True, "test")
    yield
    with Database(settings.folder) as database:
        staff.set_frozen(database, False, "test")
        staff.set_closed(database, False, "test")


@pytest.mark.usefixtures("closed")
def test_nothing_is_taken_when_the_league_is_closed_but_while_it_is_frozen(visitor: Visitor, settings: Settings) -> None:
    answer = visitor.upload(b"print()")
    assert (answer.status, answer.json["error"]) == (403, "The league is over; teams can't hand in now.")
    with Database(settings.folder) as database:
        staff.set_closed(database, False, "test")
    assert visitor.upload(b"print()").status == 201


def test_a_new_token_ends_that_of_the_same_member_alone(settings: Settings, visitor: Visitor) -> None:
    with Database(settings.folder) as database, database.writing():
        team = database.number("SELECT max(id) FROM teams")
        for number in (1, 2):
            database.run(
                "INSERT INTO members (id, team, roster_id, name, state) VALUES (?, ?, ?, ?, 'active')",
                *(number, team, str(number), ("Ann Ash", "Bob Birch")[number - 1]),
            )
        of_ann, of_bob = (Visitor(visitor.app, token=make_token(database, "upload", team, number)) for number in (1, 2))
        visitor.cookies["tiltyard_session"] = make_token(database, "session", team, 1)
    new = re.search(r"<pre[^>]*>([\w-]+)</pre>", visitor.post("/me/token").text)
    assert new is not None
    assert [one.get("/api/team").status for one in (of_ann, of_bob, Visitor(visitor.app, token=new[1]))] == [401, 200, 200]
    of_bob.upload(b"print()")
    assert "by <bdi>Bob Birch</bdi>" in visitor.get("/me/versions/1").text


def test_what_is_late_is_marked_and_then_refused(settings: Settings, visitor: Visitor, request: pytest.FixtureRequest) -> None:
    hour_ago = datetime.now(UTC).replace(tzinfo=None) - timedelta(hours=1)
    for grace, status in ((2.0, 201), (0.0, 403)):
        keys = settings.keys.model_copy(update={"deadline": hour_ago.replace(tzinfo=UTC), "grace": grace})
        visitor.app = make_app(replace(settings, keys=keys))
        assert visitor.upload(str(grace).encode()).status == status
        page = visitor.get("/me").text
        assert ("you can still hand in, but the version is marked as late" in page, 'type="file"' in page) == (grace > 0, grace > 0)
        assert ("Handing in ended at" in page) == (not grace)
    assert visitor.get("/api/versions/1").json["late"] is True
    # An upload whose answer was lost is sent again after the deadline.
    assert visitor.upload(b"2.0", X_Digest=hashlib.sha256(b"2.0").hexdigest()).json["number"] == 1
    with Database(settings.folder) as database:
        staff.disable_team(database, find_team(database, request.node.name), "see me", "test")
    visitor.app = make_app(settings)
    assert visitor.upload(b"more").json["error"] == "Your team is disabled: see me."


def test_forms_have_a_limit_too(course: Course) -> None:
    headers = {"Content-Type": "application/x-www-form-urlencoded"}
    answer = course.red.ask("POST", "/me/requests", b"x=" + b"y" * limits.LONGEST_FORM, headers)
    assert answer.status == 413


def test_what_no_version_is_of_is_swept_away(tmp_path: Path) -> None:
    with upload_module.receive_upload(tmp_path, 100, 0) as upload:
        upload.write(b"kept")
    digest = upload.digest
    with upload_module.receive_upload(tmp_path, 100, 0) as upload:
        upload.write(b"its row was never written")
    with pytest.raises(upload_module.TooLargeError), upload_module.receive_upload(tmp_path, 100, 0) as upload:
        upload.write(bytes(101))
    (tmp_path / "uploads" / f"{upload_module.NEW}killed").write_bytes(b"half")
    assert upload_module.sweep(tmp_path, {digest}) == 2
    assert [path.name for path in (tmp_path / "uploads").iterdir()] == [digest]


@pytest.mark.parametrize(
    ("name", "page_name", "ending"),
    [
        ("../../a.tar.gz", "a.tar.gz", ".tar.gz"),
        ("C:\\work\\Team.ZIP", "Team.ZIP", ".zip"),
        ("\u202egnp.exe", "gnp.exe", ".exe"),
        ("", "upload", ""),
        ("a/b/", "upload", ""),
        ("x" * 300 + ".py", "x" * 80, ".py"),
        ("a.b;rm -rf", "a.b;rm -rf", ""),
    ],
)
def test_names_are_made_harmless(name: str, page_name: str, ending: str) -> None:
    assert (upload_module.shown_name(name), upload_module.ending_of(name)) == (page_name, ending)
