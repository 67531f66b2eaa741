"""A clock that is wrong, or is set while the league runs, takes nothing away for good and shows nothing that is kept back."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing, contextmanager
from datetime import timedelta
from pathlib import Path

import pytest
from tests.league.cli.test_league import run
from tests.league.made_league import CRASHING, FILE, IDLE, Visitor, enter, make_league, sign_in

from tiltyard_league.database import clock, staff
from tiltyard_league.database.clock import Clock, as_stored, here, now
from tiltyard_league.database.clock_jumps import last_jump
from tiltyard_league.database.database import Database
from tiltyard_league.database.games import Games
from tiltyard_league.database.grades import COLUMNS, grades
from tiltyard_league.database.state import STATE, is_running
from tiltyard_league.database.teams import find_team
from tiltyard_league.database.tokens import forget_expired, holder_of, make_token
from tiltyard_league.database.versions import CheckReport, add_version, begin_check, checks_before, end_check, quota, twins
from tiltyard_league.league_file.loading import League
from tiltyard_league.rating.standing import read_standing
from tiltyard_league.service.main import Service
from tiltyard_league.web.app import make_app
from tiltyard_simulator.play.executor import InlineExecutor

YEAR, HOUR, MINUTE = timedelta(days=365), timedelta(hours=1), timedelta(minutes=1)


class Hands(Clock):
    """A clock that tests can set, and let go on."""

    def __init__(self) -> None:
        self.wrong = timedelta(0)
        self.passed = timedelta(0)

    def wall(self) -> float:
        return super().wall() + (self.wrong + self.passed).total_seconds()

    def steady(self) -> float:
        return super().steady() + self.passed.total_seconds()


@pytest.fixture
def hands(monkeypatch: pytest.MonkeyPatch) -> Hands:
    clock_hands = Hands()
    monkeypatch.setattr(clock, "CLOCK", clock_hands)
    return clock_hands


@pytest.fixture
def league(tmp_path: Path, hands: Hands) -> League:
    return make_league(tmp_path / "course", maps=1, file=FILE.replace("quarantine: 100", "quarantine: 2"))


@contextmanager
def running(league: League) -> Iterator[Service]:
    with closing(InlineExecutor()) as executor, closing(Service(league, executor, 1)) as service:
        service.begin()
        service.step(0.0)
        yield service


def jumps_in_log(capsys: pytest.CaptureFixture[str]) -> int:
    """How often a jump was told since this was last asked."""
    return capsys.readouterr().out.count('"the clock jumped')


def later(service: Service) -> None:
    """The next look for what has to be removed."""
    service.step(0.0)
    service.upkeep.look_around()


@pytest.mark.parametrize("wrong", [YEAR, 10 * YEAR, -YEAR, HOUR, -HOUR])
def test_a_clock_that_is_wrong_for_a_minute_removes_nothing(
    league: League, hands: Hands, wrong: timedelta, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = league.settings.folder
    app = make_app(league.settings)
    member, of_staff = (sign_in(app, folder, team) for team in ("Red", None))
    with Database(folder) as database, running(league) as service:
        invite = staff.new_invite(database, find_team(database, "Blue"), "test")
        number = database.number("SELECT count(*) FROM tokens")
        later(service)
        assert jumps_in_log(capsys) == 0
        assert "jumped" not in of_staff.get("/staff").text
        hands.wrong = wrong
        for _ in range(3):
            later(service)
        # What has expired by that clock is refused, and still there.
        assert member.get("/me").status == (403 if wrong >= YEAR else 200)
        assert database.number("SELECT count(*) FROM tokens") == number
        hands.wrong = timedelta(0)
        later(service)
        assert jumps_in_log(capsys) == 2
        assert database.number("SELECT count(*) FROM tokens") == number
        assert member.get("/me").status == 200
        assert holder_of(database, invite, "invite") is not None
        jump = last_jump(database)
        assert jump is not None
        assert f"jumped from {jump.before[:10]} {jump.before[11:16]} to {jump.after[:10]}" in of_staff.get("/staff").text
        assert of_staff.get("/staff/log").text.count("the clock jumped") == 2
        # For a month nothing is removed, although it expired long ago; then it is.
        database.run("UPDATE tokens SET expires_at = '2000' WHERE kind = 'invite'")
        for days, left in ((29, number), (2, number - 1)):
            hands.passed += timedelta(days=days)
            later(service)
            assert database.number("SELECT count(*) FROM tokens") == left
    assert jumps_in_log(capsys) == 0


def test_what_has_expired_is_removed_long_after(league: League, hands: Hands) -> None:
    with Database(league.settings.folder) as database:
        with database.writing():
            token = make_token(database, "session", None)
        hands.passed += timedelta(days=31)
        assert (holder_of(database, token, "session"), forget_expired(database)) == (None, 0)
        hands.passed += timedelta(days=30)
        assert forget_expired(database) == 1


def test_a_clock_that_was_set_while_the_league_was_stopped_is_seen_at_the_start(
    league: League, hands: Hands, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = league.settings.folder
    with Database(folder) as database:
        for wrong, is_told in ((timedelta(0), 0), (YEAR, 1), (YEAR + HOUR, 0), (timedelta(0), 1), (-YEAR, 1), (timedelta(0), 1)):
            hands.wrong = wrong
            database.run("INSERT OR IGNORE INTO tokens VALUES ('long ago', 'session', NULL, NULL, '1999', '2000', '')")
            with running(league) as service:
                service.upkeep.look_around()
                service.write_state()
            assert jumps_in_log(capsys) == is_told, wrong
            # Only the first start has no reason to doubt.
            assert bool(database.number("SELECT count(*) FROM tokens WHERE hash = 'long ago'")) == (last_jump(database) is not None)
        assert "jumped from" in run("league", "doctor", folder).stdout
        # Times of the future that are stored are told once, also if nothing else says when the league ran.
        database.run("UPDATE log SET at = ? WHERE id = 1", as_stored(here() + YEAR))
        for is_told in (1, 0):
            (folder / STATE).unlink()
            with running(league) as service:
                service.write_state()
            assert jumps_in_log(capsys) == is_told


@pytest.mark.parametrize(("wrong", "left"), [(YEAR, 3), (2 * HOUR, 3), (-YEAR, 3), (HOUR, 1)])
def test_uploads_of_another_time_use_no_quota_up(league: League, hands: Hands, wrong: timedelta, left: int) -> None:
    with Database(league.settings.folder) as database:
        hands.wrong = wrong
        with database.writing():
            for upload in ("a", "b"):
                add_version(database, 1, upload=upload, name="a", size=1, member=None, note="", late=False)
        assert quota(database, 1, 3).left == 1
        assert quota(database, 1, 2).left == 0
        hands.wrong = timedelta(0)
        assert quota(database, 1, 3).left == left
        # What is a little ahead counts as of now, and never for days.
        if left < 3:
            assert quota(database, 1, 2).next_at < as_stored(here() + timedelta(hours=26))


def test_requests_and_checks_of_another_time_hold_nobody_back(league: League, hands: Hands) -> None:
    folder = league.settings.folder
    with running(league) as service:
        service.write_state()
    own, other = (enter(league, team, "coyote") for team in ("Red", "Blue"))
    app = make_app(league.settings)
    hands.wrong = YEAR

    def ask(visitor: Visitor) -> int:
        return visitor.post("/me/requests", version=str(own), opponent=str(other), map=league.tournament.maps[0].name).status

    with Database(folder) as database:
        visitor = sign_in(app, folder, "Red")
        most = league.settings.keys.requests_a_day
        assert [ask(visitor) for _ in range(most + 1)] == [303] * most + [429]
        with database.writing():
            version = _hand_in(database, "Dot Dogwood", "checked")
            begin_check(database, version)
            end_check(database, version, CheckReport(accepted=False, reason="no"))
        hands.wrong = timedelta(0)
        assert ask(sign_in(app, folder, "Red")) == 303
        with database.writing():
            waiting = [_hand_in(database, team, "waits") for team in ("Red", "Dot Dogwood")]
        # Red had a check today, and the other team none that counts.
        assert [checks_before(database, each) for each in waiting] == [1, 0]


def _hand_in(database: Database, team: str, upload: str) -> int:
    number = find_team(database, team)["id"]
    add_version(database, number, upload=upload, name="a", size=1, member=None, note="", late=False)
    return database.number("SELECT max(id) FROM versions")


def test_order_goes_by_numbers_and_not_by_times(league: League, hands: Hands) -> None:
    folder = league.settings.folder
    hands.wrong = YEAR
    with Database(folder) as database:
        with database.writing():
            first = _hand_in(database, "Blue", "first")
        hands.wrong = timedelta(0)
        with database.writing():
            second, third = _hand_in(database, "Red", "second"), _hand_in(database, "Blue", "third")
        for version in (first, second, third):
            hands.wrong = YEAR if version == first else timedelta(0)
            with database.writing():
                begin_check(database, version)
                report = CheckReport(accepted=True, code="equal" if version != third else "another")
                end_check(database, version, report)
        # Who had code first, and which upload is the last one.
        assert [[row["id"] for row in same] for same in twins(database)] == [[first, second]]
        last = {row[COLUMNS.index("team")]: row[COLUMNS.index("last_upload")] for row in grades(database, read_standing(folder))}
        assert str(last["Blue"]) <= now()
        feed = Visitor(make_app(league.settings)).get("/feed.atom").text
        assert [feed.count("<entry>"), feed.index("#2") < feed.index("#1")] == [3, True]


def test_a_freeze_holds_whatever_the_clock_says(league: League, hands: Hands) -> None:
    folder = league.settings.folder
    stranger = Visitor(make_app(league.settings))
    with Database(folder) as database, running(league) as service:
        while service.games.totals()[0] < 2:
            service.step(0.0)
        staff.set_frozen(database, True, "test")
        hands.wrong = -YEAR
        enter(league, "Red", IDLE)
        enter(league, "Blue", "coyote")
        while service.games.totals()[0] < 6:
            service.step(0.0)
        service.refit()
        frozen_at = database.fact("frozen_at")
        assert Games(league.settings.results).last(100, until=frozen_at) == Games(league.settings.results).games(range(1, 3))[::-1]
        assert [stranger.get(f"/games/{place}").status for place in (1, 2, 3, 6)] == [200, 200, 404, 404]
        assert "v1" not in stranger.get("/feed.atom").text
        assert read_standing(folder).made_at > frozen_at


@pytest.mark.parametrize("wrong", [YEAR, -YEAR])
def test_a_version_that_was_enabled_fails_as_often_as_any_other(league: League, hands: Hands, wrong: timedelta) -> None:
    version = enter(league, "Red", CRASHING)
    with Database(league.settings.folder) as database, running(league) as service:

        def play_until_disabled() -> int:
            row = database.row("SELECT * FROM versions WHERE id = ?", version)
            while row is None or row["state"] != "disabled":
                service.step(0.0)
                assert service.playing.in_flight or service.playing.return_games or service.games.totals()[0] < 6
                row = database.row("SELECT * FROM versions WHERE id = ?", version)
            return service.games.faults_of(version)

        first = play_until_disabled()
        assert first >= 2
        hands.wrong = wrong
        row = database.row("SELECT * FROM versions WHERE id = ?", version)
        assert row is not None
        staff.enable_version(database, row, "test")
        # What it failed in before doesn't count, and what it fails in now does.
        service.step(0.0)
        assert database.number("SELECT count(*) FROM versions WHERE id = ? AND state = 'accepted'", version) == 1
        hands.wrong = timedelta(0)
        assert play_until_disabled() >= first + 2


def test_a_state_of_the_future_is_no_sign_of_life(league: League, hands: Hands) -> None:
    (league.settings.folder / STATE).write_text("{}")
    assert is_running(league.settings.folder)
    hands.wrong = -YEAR
    assert not is_running(league.settings.folder)


def test_links_of_the_future_are_not_taken_for_new_ones(league: League, hands: Hands) -> None:
    with Database(league.settings.folder) as database:
        hands.wrong = YEAR
        assert len(staff.new_invites(database, "test")) == 3
        hands.wrong = timedelta(0)
        assert len(staff.new_invites(database, "test", since=now())) == 3
