"""The process that checks: one for many versions, and another one where it ends."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from tests.league.made_league import IDLE, STUDENTS, make_league

from tiltyard_league.database.database import Database
from tiltyard_league.database.versions import add_version
from tiltyard_league.service import checks, main
from tiltyard_league.service.checks import Checks
from tiltyard_league.submissions.checker import folder_of
from tiltyard_league.submissions.upload import receive_upload
from tiltyard_simulator.play.executor import InlineExecutor

PATIENCE = 120.0


def hand_in(folder: Path, text: bytes, team: int = 1, name: str = "a.txt") -> int:
    with receive_upload(folder, 10**7, 0) as upload:
        upload.write(text)
    with Database(folder) as database, database.writing():
        add_version(database, team, upload=upload.digest, name=name, size=1, member=None, note="", late=False)
        return database.number("SELECT max(id) FROM versions")


def settle(checks: Checks) -> None:
    end = time.monotonic() + PATIENCE
    while not checks.step():
        assert time.monotonic() < end, "never settled"
        time.sleep(0.01)


def give_up(checks: Checks) -> None:
    """Until nothing is checked; the disk is full, so that nothing else is begun."""
    end = time.monotonic() + PATIENCE
    while checks.running:
        assert not checks.step(has_room=False)
        assert time.monotonic() < end, "never ended"
        time.sleep(0.01)


def test_a_process_checks_one_version_after_the_other_and_is_replaced_when_it_ends(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = make_league(tmp_path / "course", maps=1).settings.folder
    events: list[tuple[str, dict[str, Any]]] = []
    numbers = [hand_in(folder, b"nothing that plays %d" % number) for number in range(2)]
    with Database(folder) as database:
        checks_of_league = Checks(folder, database, False, lambda event, **fields: events.append((event, fields)))
        try:
            settle(checks_of_league)
            settle(checks_of_league)
            (first,) = checks_of_league._idle
            assert first.number == 2
            # What fails while the disk is full says nothing about the version.
            numbers.append(hand_in(folder, b"nothing that plays either"))
            checks_of_league.step(has_room=False)
            assert checks_of_league.running == 0
            checks_of_league.step()
            give_up(checks_of_league)
            assert database.number("SELECT count(*) FROM versions WHERE state = 'received'") == 1
            # It ends in the middle of a check, whose version is then checked from the start, in another one.
            checks_of_league.step()
            assert [running.version for running in checks_of_league._running] == [numbers[2]]
            checks_of_league._running[0].process.process.kill()
            settle(checks_of_league)
            assert first not in checks_of_league._idle
            states = [row["state"] for row in database.rows("SELECT state FROM versions WHERE upload != '' ORDER BY id")]
            assert states == ["refused"] * 3
            names = [event for event, fields in events if fields["version"] == numbers[2]]
            assert names == ["check begun", "check begun", "check ended without a result", "check begun", "check ended"]
            # What was unpacked of those that were refused is gone.
            assert [number for number in numbers if folder_of(folder, number).exists()] == []
            # Its memory is given back when nobody has handed in for a while.
            monkeypatch.setattr(checks, "IDLE_SECONDS", 0.0)
            checks_of_league.step()
            assert checks_of_league._idle == []
            # What is withdrawn during a check that then ends without a result stays so.
            withdrawn = hand_in(folder, b"withdrawn")
            checks_of_league.step()
            database.run("UPDATE versions SET state = 'withdrawn' WHERE id = ?", withdrawn)
            checks_of_league._running[0].process.process.kill()
            give_up(checks_of_league)
            checks_of_league.step()
            assert checks_of_league.running == 0
            assert database.number("SELECT count(*) FROM versions WHERE state = 'withdrawn'") == 1
        finally:
            checks_of_league.stop()


SLOW = IDLE.replace("return ActionRequest.DO_NOTHING", "SPEND; return ActionRequest.DO_NOTHING").replace(
    "SPEND", "__import__('time').sleep(2)"
)
"""Honest, and within its limits, but its check takes a long time: it waits in each turn."""


class Watched:
    """Checks in a league of four teams, and the order in which they began and ended."""

    def __init__(self, folder: Path, database: Database, lanes: int) -> None:
        self.events: list[tuple[str, int]] = []
        self.checks = Checks(folder, database, False, self._tell, lanes)
        self._folder = folder

    def _tell(self, event: str, **fields: Any) -> None:
        again = " again" if (event, fields["version"]) in self.events else ""
        self.events.append((event + again, fields["version"]))

    def hand_in(self, text: str, team: int) -> int:
        """A version that plays."""
        return hand_in(self._folder, text.encode(), team, "team.py")

    def until(self, event: str, version: int) -> None:
        """Until something has happened to a version."""
        end = time.monotonic() + PATIENCE
        while (event, version) not in self.events:
            self.checks.step()
            assert time.monotonic() < end, self.events
            time.sleep(0.05)

    def takes_long(self, version: int) -> None:
        """As if a check had had its share by now."""
        (running,) = (running for running in self.checks._running if running.version == version)
        running.began -= 650.0

    def order(self, event: str) -> list[int]:
        """To which versions something has happened, in order."""
        return [version for name, version in self.events if name == event]


@pytest.fixture
def watched(tmp_path: Path, request: pytest.FixtureRequest) -> Iterator[Watched]:
    folder = make_league(tmp_path / "course", maps=1, students=STUDENTS + "Eve Elm,0021,\n").settings.folder
    with Database(folder) as database:
        checks_to_watch = Watched(folder, database, request.param)
        try:
            yield checks_to_watch
        finally:
            checks_to_watch.checks.stop()


@pytest.mark.parametrize("watched", [1], indirect=True)
def test_with_one_lane_quick_ones_are_reported_before_slow_ones_end(watched: Watched, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(checks, "SHARE_SECONDS", 600.0)
    slow = [watched.hand_in(SLOW + f"# {team}\n", team) for team in (1, 2)]
    watched.until("check begun", slow[0])
    watched.takes_long(slow[0])
    watched.until("check begun", slow[1])
    # The first slow one goes on beside the lane, the second one is set back, and quick ones pass.
    quick = [watched.hand_in(IDLE, 3)]
    watched.takes_long(slow[1])
    watched.until("check ended", quick[0])
    assert watched.order("check ended") == quick
    assert watched.order("check goes on beside the others") == [slow[0]]
    assert watched.order("check set back") == [slow[1]]
    # What was set back begins again, and that is no attempt that failed.
    assert watched.order("check begun") == [*slow, *quick]
    watched.until("check begun again", slow[1])
    rows = watched.checks._database.rows("SELECT state, attempts FROM versions WHERE upload != '' ORDER BY id")
    assert [(row["state"], row["attempts"]) for row in rows] == [("checking", 1)] * 2 + [("accepted", 1)]


@pytest.mark.parametrize("watched", [2], indirect=True)
def test_lanes_check_at_once_and_who_has_none_comes_first(watched: Watched, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(checks, "SHARE_SECONDS", 600.0)
    slow = watched.hand_in(SLOW, 1)
    behind = watched.hand_in(IDLE, 1)
    quick = [watched.hand_in(IDLE + "# 2\n", 2)]
    watched.until("check ended", quick[0])
    # The team that has a lane already comes after the others, and needn't wait for its own slow one either.
    watched.until("check ended", behind)
    assert watched.order("check begun") == [slow, *quick, behind]
    assert set(watched.order("check ended")) == {*quick, behind}


def test_there_are_as_many_lanes_as_cores_less_one_unless_the_file_says_otherwise(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    league = make_league(tmp_path / "course", maps=1)
    by_file = replace(league, settings=replace(league.settings, keys=league.settings.keys.model_copy(update={"check_lanes": 3})))
    for cores, league_now, lanes in ((1, league, 1), (2, league, 1), (8, league, 7), (8, by_file, 3)):
        monkeypatch.setattr(main, "available_cores", lambda cores=cores: cores)
        with closing(InlineExecutor()) as executor, closing(main.Service(league_now, executor, cores)) as service:
            assert service.checks.lanes == lanes
