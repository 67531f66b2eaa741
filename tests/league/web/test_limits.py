"""Limits hold for requests that come at the same moment: exactly as many get through as may."""

from __future__ import annotations

import http.client
import threading
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from urllib.parse import urlencode, urlsplit

import pytest
from tests.league.made_league import FILE, Visitor, enter, make_league, sign_in
from tests.league.serving import served

from tiltyard_league.database import staff
from tiltyard_league.database.database import Database
from tiltyard_league.database.state import ServiceState, read_state, write_state
from tiltyard_league.database.teams import find_team
from tiltyard_league.league_file.loading import Settings
from tiltyard_league.submissions import upload as upload_module
from tiltyard_league.web.app import make_app
from tiltyard_league.web.pages.uploads import MOST_AT_ONCE

CROWD = 60
LIMIT = 10
PATIENCE = 120.0
LIMITED = FILE.replace("uploads-a-day: 500", f"uploads-a-day: {LIMIT}\n  requests-a-day: {LIMIT}").replace(
    "join-limit: 1000", f"join-limit: {LIMIT}"
)


@pytest.fixture(scope="module")
def settings(tmp_path_factory: pytest.TempPathFactory) -> Settings:
    league = make_league(tmp_path_factory.mktemp("league") / "course", maps=1, file=LIMITED)
    enter(league, "Red", "coyote")
    enter(league, "Blue", "coyote")
    write_state(league.settings.folder, ServiceState(maps=[source.name for source in league.tournament.maps]))
    return league.settings


class Asked:
    """Many requests over connections of their own, all sent at the same moment."""

    def __init__(self, address: str, method: str, path: str, bodies: list[bytes], headers: dict[str, str]) -> None:
        self.statuses: list[int] = []
        self._answered = threading.Condition()
        self._together = threading.Barrier(len(bodies))
        self._request = (method, path, headers)
        self._threads = [threading.Thread(target=self._ask, args=(address, body)) for body in bodies]
        for thread in self._threads:
            thread.start()

    def _ask(self, address: str, body: bytes) -> None:
        connection = http.client.HTTPConnection(address, timeout=PATIENCE)
        connection.connect()
        self._together.wait()
        method, path, headers = self._request
        connection.request(method, path, body, headers)
        answer = connection.getresponse()
        answer.read()
        connection.close()
        with self._answered:
            self.statuses.append(answer.status)
            self._answered.notify_all()

    def wait_for(self, number: int) -> None:
        """Until so many are answered."""
        with self._answered:
            assert self._answered.wait_for(lambda: len(self.statuses) >= number, PATIENCE)

    def end(self) -> Counter[int]:
        """How many answers had each status, when all are there."""
        for thread in self._threads:
            thread.join()
        return Counter(self.statuses)


class Crowd:
    """Many who ask a server at the same moment."""

    def __init__(self, base: str) -> None:
        self._address = urlsplit(base).netloc
        self.origin = base

    def begin(self, method: str, path: str, bodies: list[bytes], headers: dict[str, str]) -> Asked:
        """Send a request for each body."""
        return Asked(self._address, method, path, bodies, headers)

    def ask(self, method: str, path: str, bodies: list[bytes], headers: dict[str, str]) -> Counter[int]:
        """How many answers had each status."""
        return self.begin(method, path, bodies, headers).end()


@contextmanager
def crowd(settings: Settings) -> Iterator[Crowd]:
    with served(make_app(settings)) as base:
        yield Crowd(base)


def test_a_team_asks_for_as_many_games_as_it_may(settings: Settings) -> None:
    visitor = sign_in(make_app(settings), settings.folder, "Red")
    with Database(settings.folder) as database:
        own, other = (
            database.number("SELECT id FROM versions WHERE team = ?", find_team(database, team)["id"]) for team in ("Red", "Blue")
        )
        query = "SELECT count(*) FROM requests"
        form = {"version": str(own), "opponent": str(other), "map": read_state(settings.folder).maps[0], "csrf": visitor.csrf()}
        with crowd(settings) as all_at_once:
            headers = {
                "Content-Type": "application/x-www-form-urlencoded",
                "Cookie": f"tiltyard_session={visitor.cookies['tiltyard_session']}",
                "Origin": all_at_once.origin,
            }
            statuses = all_at_once.ask("POST", "/me/requests", [urlencode(form).encode()] * CROWD, headers)
        assert statuses == {303: LIMIT, 429: CROWD - LIMIT}
        assert database.number(query) == LIMIT


def test_a_team_hands_in_as_often_as_it_may(settings: Settings) -> None:
    visitor = sign_in(make_app(settings), settings.folder, "Dot Dogwood")
    bodies = [b"print(%d)" % number for number in range(CROWD)]
    statuses: Counter[int] = Counter()
    with crowd(settings) as all_at_once, Database(settings.folder) as database:
        team = find_team(database, "Dot Dogwood")["id"]
        # A few are on their way at once, the others are told to wait: they come again until the quota ends.
        while not statuses[201] >= LIMIT:
            before = statuses[201]
            statuses += all_at_once.ask("PUT", "/api/versions", bodies, {"Authorization": f"Bearer {visitor.token}"})
            assert statuses[201] > before
        assert set(statuses) == {201, 429}
        assert database.number("SELECT count(*) FROM versions WHERE team = ?", team) == LIMIT


def test_a_team_has_only_a_few_uploads_on_their_way(settings: Settings, monkeypatch: pytest.MonkeyPatch) -> None:
    visitor = sign_in(make_app(settings), settings.folder, "Blue")
    bodies = [b"print('%d')" % number for number in range(CROWD)]
    all_but_few = threading.Barrier(1 + MOST_AT_ONCE)
    write = upload_module.Upload.write

    def wait_for_the_others(upload: upload_module.Upload, data: bytes) -> None:
        if data:
            all_but_few.wait(PATIENCE)
        write(upload, data)

    monkeypatch.setattr(upload_module.Upload, "write", wait_for_the_others)
    with crowd(settings) as all_at_once:
        headers = {"Authorization": f"Bearer {visitor.token}"}
        refused = all_at_once.begin("PUT", "/api/versions", bodies, headers)
        refused.wait_for(CROWD - MOST_AT_ONCE)
        assert refused.statuses == [429] * (CROWD - MOST_AT_ONCE)
        all_but_few.wait(PATIENCE)
        assert refused.end() == {201: MOST_AT_ONCE, 429: CROWD - MOST_AT_ONCE}


def test_an_address_tries_as_many_links_as_it_may(settings: Settings) -> None:
    with crowd(settings) as all_at_once:
        assert all_at_once.ask("GET", "/join/guess", [b""] * CROWD, {}) == {404: LIMIT, 429: CROWD - LIMIT}


def test_a_member_has_one_token_however_often_it_is_asked_for(settings: Settings) -> None:
    visitor = sign_in(make_app(settings), settings.folder, "Red")
    with crowd(settings) as all_at_once, Database(settings.folder) as database:
        team = find_team(database, "Red")["id"]
        headers = {
            "Content-Type": "application/x-www-form-urlencoded",
            "Cookie": f"tiltyard_session={visitor.cookies['tiltyard_session']}",
            "Origin": all_at_once.origin,
        }
        body = urlencode({"csrf": visitor.csrf()}).encode()
        assert all_at_once.ask("POST", "/me/token", [body] * CROWD, headers) == {200: CROWD}
        assert database.number("SELECT count(*) FROM tokens WHERE kind = 'upload' AND team = ?", team) == 1


@pytest.fixture
def just_before(monkeypatch: pytest.MonkeyPatch) -> Callable[[Callable[[], object]], None]:
    """What others write just before the next transaction of whoever asks begins."""

    def arrange(work: Callable[[], object]) -> None:
        writing = Database.writing

        def after_others(database: Database, *, only_looking: bool = False) -> AbstractContextManager[None]:
            monkeypatch.setattr(Database, "writing", writing)
            work()
            return writing(database, only_looking=only_looking)

        monkeypatch.setattr(Database, "writing", after_others)

    return arrange


Arrange = Callable[[Callable[[], object]], None]


def test_a_link_that_is_ended_at_this_moment_signs_nobody_in(settings: Settings, just_before: Arrange) -> None:
    with Database(settings.folder) as database:
        token = staff.new_invite(database, None, "test")
        just_before(lambda: staff.new_invite(database, None, "test"))
        answer = Visitor(make_app(settings)).post(f"/join/{token}", csrf="")
        assert answer.status == 404
        assert database.number("SELECT count(*) FROM tokens WHERE kind = 'session' AND team IS NULL") == 0


def test_whoever_is_signed_out_at_this_moment_changes_nothing(settings: Settings, just_before: Arrange) -> None:
    app = make_app(settings)
    with Database(settings.folder) as database:
        team = find_team(database, "Red")
        versions = database.number("SELECT count(*) FROM versions")
        for hands_in in (False, True):
            visitor = sign_in(app, settings.folder, "Red")
            csrf = visitor.csrf()
            just_before(lambda: staff.sign_out(database, team, "test"))
            answer = visitor.upload(b"print()") if hands_in else visitor.post("/me/token", csrf=csrf)
            assert answer.status == 403
            assert database.number("SELECT count(*) FROM tokens WHERE team = ? AND kind != 'invite'", team["id"]) == 0
        assert database.number("SELECT count(*) FROM versions") == versions


def test_a_team_that_is_disabled_during_its_upload_has_handed_nothing_in(settings: Settings, just_before: Arrange) -> None:
    visitor = sign_in(make_app(settings), settings.folder, "Blue")
    with Database(settings.folder) as database:
        team = find_team(database, "Blue")
        versions = database.number("SELECT count(*) FROM versions")
        just_before(lambda: staff.disable_team(database, team, "see me", "test"))
        answer = visitor.upload(b"print('late')")
        staff.enable_team(database, team, "test")
        assert (answer.status, answer.json["error"]) == (403, "Your team is disabled: see me.")
        assert database.number("SELECT count(*) FROM versions") == versions


def test_a_version_that_is_disabled_at_this_moment_is_not_chosen(settings: Settings, just_before: Arrange) -> None:
    visitor = sign_in(make_app(settings), settings.folder, "Red")
    csrf = visitor.csrf()
    with Database(settings.folder) as database:
        row = database.row("SELECT versions.* FROM versions JOIN teams ON teams.id = team WHERE teams.name = 'Red'")
        assert row is not None
        just_before(lambda: staff.disable_version(database, row, "cheats", "test"))
        assert visitor.post(f"/me/versions/{row['number']}/choose", csrf=csrf).status == 409
        assert database.number("SELECT count(*) FROM versions WHERE id = ? AND state = 'disabled'", row["id"]) == 1
        staff.enable_version(database, row, "test")
