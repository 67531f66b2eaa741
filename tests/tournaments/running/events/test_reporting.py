"""Those who watch a run hear of everything in order, and soon, also where the disk is waited for in the background."""

from __future__ import annotations

import signal
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.end_to_end.background import wait_until
from tests.tournaments.running.made_runs import Heard, ShuffledExecutor, by_chance, ended, tournament_of

from tiltyard_engine.errors import UserError
from tiltyard_engine.lifecycle import Event, Notice
from tiltyard_engine.registry import Registry
from tiltyard_tournaments.running.events.event_log import EventLog
from tiltyard_tournaments.running.events.reporting import Reporter
from tiltyard_tournaments.running.run import run_tournament
from tiltyard_tournaments.store import Store

PLAYED = ended(1).outcome
NOTICES = [Notice(str(number)) for number in range(5)]


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    with Store(tmp_path) as opened:
        yield opened


@pytest.mark.parametrize("in_background", [False, True])
def test_a_run_is_told_as_without_it(registry: Registry, store: Store, tmp_path: Path, in_background: bool) -> None:
    plain, heard = Heard(), Heard()
    log = EventLog(tmp_path / "log.jsonl")
    with Reporter(store, heard, log, in_background=in_background) as report:

        def tell(event: Event) -> None:
            plain(event)
            report(event)

        run_tournament(tournament_of(registry), store, ShuffledExecutor(by_chance(1, 20), seed=3), tell)
    log.close()
    assert heard.events == plain.events
    assert (tmp_path / "log.jsonl").read_bytes().count(b"\n") == len(plain.events)
    # From now on, whatever is written is waited for at once again.
    assert store._connection.execute("PRAGMA synchronous").fetchone() == (2,)


def test_nobody_waits_for_the_next_event(store: Store) -> None:
    heard = Heard()
    before = threading.active_count()
    with Reporter(store, heard, in_background=True) as report:
        report(NOTICES[0])
        # Workers are started at about this time, which are forks of a process that has one thread.
        assert threading.active_count() == before
        events: list[Event] = [PLAYED, *NOTICES]
        for number, event in enumerate(events, start=2):
            report(event)
            wait_until(lambda: len(heard.events) == number)  # noqa: B023 -- called at once
    assert heard.events == [NOTICES[0], *events]


def test_an_interrupt_while_the_thread_starts_loses_nothing(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    start = threading.Thread.start

    def interrupted(thread: threading.Thread) -> None:
        signal.raise_signal(signal.SIGINT)
        start(thread)

    monkeypatch.setattr(threading.Thread, "start", interrupted)
    heard = Heard()

    def stopped() -> None:
        with Reporter(store, heard, in_background=True) as report:
            report(PLAYED)

    with pytest.raises(KeyboardInterrupt):
        stopped()
    assert heard.events == [PLAYED]


def test_without_a_thread_all_is_told_at_once(store: Store) -> None:
    threads: list[threading.Thread] = []
    with Reporter(store, lambda event: threads.append(threading.current_thread())) as report:
        report(NOTICES[0])
        assert threads == [threading.current_thread()]


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs a device that is always full")
def test_a_log_that_cannot_be_written_ends_the_run_and_nobody_is_told_more(store: Store) -> None:
    heard = Heard()
    log = EventLog(Path("/dev/full"))
    report = Reporter(store, heard, log, in_background=True)
    report(PLAYED)
    wait_until(lambda: report._failure)
    with pytest.raises(UserError, match="/dev/full: cannot be written"):
        report(NOTICES[0])
    with pytest.raises(UserError, match="/dev/full: cannot be written"):
        report.close()
    log.close()
    assert heard.events == []


def test_what_ended_the_run_is_told_and_not_that_nobody_heard_of_it(store: Store) -> None:
    def fail(event: Event) -> None:
        raise UserError("nobody listens")

    def stopped() -> None:
        with Reporter(store, fail, in_background=True) as report:
            report(PLAYED)
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        stopped()
