"""What a run tells, when, and to whom: the log of events, the observers of plugins, and whoever watches."""

from __future__ import annotations

import json
import signal
import sys
import threading
from collections.abc import Callable, Iterator
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest
from tests.end_to_end.background import wait_until
from tests.engine.making import write
from tests.tournaments.running.made_runs import Heard, ShuffledExecutor, by_chance, ended, tournament_of

from tiltyard_engine.errors import UserError
from tiltyard_engine.lifecycle import BatchStarted, Event, Notice, Observer, TournamentFinished
from tiltyard_engine.registry import Reference, Registry
from tiltyard_engine.registry.registry import OBSERVER
from tiltyard_engine.results import Fault, Termination
from tiltyard_tournaments.running.events import EventLog, Observers, Reporter, event_line
from tiltyard_tournaments.running.run import match_faults, match_started, run_tournament, tournament_started
from tiltyard_tournaments.running.schedule import Schedule
from tiltyard_tournaments.running.tournament import ConfiguredPlugin
from tiltyard_tournaments.store import Store


@pytest.fixture
def events(registry: Registry) -> list[Event]:
    tournament = tournament_of(registry)
    spec = Schedule(tournament=tournament).next_batch()[0]
    record = spec.label(ended(2, Fault(1, Termination.CRASH, 'it "broke"\n\x1b[2J', 2, "Traceback")).outcome)
    return [
        tournament_started(tournament, 0),
        BatchStarted(1, 12, 3),
        match_started(spec),
        *match_faults(record),
        record,
        Notice("lab-3 is lost"),
        TournamentFinished(12, True, 1.5),
    ]


def test_each_event_is_a_line(events: list[Event]) -> None:
    lines = [event_line(event) for event in events]
    assert all(line.count(b"\n") == 1 and line.endswith(b"\n") and b"\x1b" not in line for line in lines)
    found = [json.loads(line) for line in lines]
    assert [line["event"] for line in found] == [
        "tournament started",
        "batch started",
        "match started",
        "fault",
        "match finished",
        "notice",
        "tournament finished",
    ]
    for line in found:
        assert datetime.fromisoformat(line.pop("at")).utcoffset() is not None
    assert found[0] == {
        "event": "tournament started",
        "title": "Cup",
        "teams": ["ann", "bob", "cat", "dan"],
        "stored": 0,
        "expected": [12, 12],
        "game": "tanks",
        "manager": "reference",
        "format": "round-robin",
        "maps": ["m0"],
        "folder": "cup",
    }
    assert found[1] == {"event": "batch started", "number": 1, "matches": 12, "stored": 3}
    start, fault, match = found[2:5]
    names = start["teams"]
    assert fault == {
        "event": "fault",
        "place": 0,
        "key": match["key"],
        "teams": names,
        "map": "m0",
        "who": names[0],
        "seat": 1,
        "kind": "crash",
        "message": 'it "broke"\n\x1b[2J',
        "round": 2,
    }
    assert {name: match[name] for name in start if name != "event"} == {name: start[name] for name in start if name != "event"}
    assert (match["teams"], match["map"], match["winner"], match["ranks"]) == (names, "m0", 2, [2, 1])
    assert match["faults"] == [{"seat": 1, "kind": "crash", "message": 'it "broke"\n\x1b[2J', "round": 2}]
    assert (match["message"], match["reason"], match["manager"]) == (
        'over (player 1: crash: it "broke" \x1b[2J)',
        "ALL_TANKS_DEAD",
        "reference",
    )
    assert not {"claim", "accounts", "replay"} & set(match)
    assert (match["played"], match["counts"], match["held"], match["rounds"]) == (True, True, ["inline", "inline"], 3)


def test_a_log_is_appended_to_at_once(events: list[Event], tmp_path: Path) -> None:
    path = tmp_path / "log.jsonl"
    for number in (1, 2):
        log = EventLog(path)
        for place, event in enumerate(events, start=1):
            log.write([event])
            assert path.read_bytes().count(b"\n") == place + (number - 1) * len(events)
        log.close()


def test_a_log_that_cannot_be_opened(tmp_path: Path) -> None:
    with pytest.raises(UserError, match=r"none/log\.jsonl: cannot be written: No such file"):
        EventLog(tmp_path / "none" / "log.jsonl")


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs a device that is always full")
def test_a_disk_that_is_full(events: list[Event]) -> None:
    log = EventLog(Path("/dev/full"))
    with pytest.raises(UserError, match="/dev/full: cannot be written: No space left"):
        log.write(events[:1])
    log.close()


PLUGIN = """
import threading
from dataclasses import dataclass
from tiltyard_engine import Observer, TournamentObserver, hookimpl

HEARD = []
GO = threading.Event()

@dataclass(frozen=True)
class Options:
    word: str = "heard"

class Notes(TournamentObserver):
    def __init__(self, options):
        self.options = options
    def batch_started(self, event):
        HEARD.append((self.options.word, threading.current_thread().name, event))
    match_started = match_fault = match_finished = tournament_started = tournament_finished = batch_started

class Raises(TournamentObserver):
    def __init__(self, options):
        pass
    def match_started(self, event):
        raise SystemExit("I go\\nhome \\x1b[2J")
    def match_finished(self, event):
        1 / 0

class Waits(TournamentObserver):
    def __init__(self, options):
        pass
    def tournament_started(self, event):
        GO.wait()
    def tournament_finished(self, event):
        HEARD.append("at last")

def broken(options):
    raise ValueError("no network")

@hookimpl
def observers():
    yield Observer("notes", Notes, Options)
    yield Observer("raises", Raises)
    yield Observer("waits", Waits)
    yield Observer("broken", broken)
    yield Observer("nothing", lambda options: None)
"""


@pytest.fixture
def found(tmp_path: Path) -> Registry:
    """The observers, in a file of their own for each test, so that nothing is shared."""
    return Registry.from_paths([write(tmp_path / "watching.py", PLUGIN)])


def chosen(found: Registry, *names: str) -> list[ConfiguredPlugin]:
    references = [found.find(OBSERVER, name).reference for name in names]
    return [ConfiguredPlugin(reference, reference.load_as(Observer).options()) for reference in references]


def module_of(reference: Reference) -> dict[str, Any]:
    """What the observer's file holds."""
    return vars(sys.modules[reference.load_as(Observer).create.__module__])


def run(registry: Registry, folder: Path, *tells: Callable[[Event], None]) -> list[object]:
    def tell(event: Event) -> None:
        for each in tells:
            each(event)

    with Store(folder) as store:
        return list(run_tournament(tournament_of(registry), store, ShuffledExecutor(by_chance(1, 20), seed=3), tell).records)


def test_everything_is_heard_in_order_in_another_thread(registry: Registry, found: Registry, tmp_path: Path) -> None:
    (notes,) = chosen(found, "notes")
    heard, said = Heard(), list[str]()
    with Observers([notes], said.append) as observers:
        run(registry, tmp_path, heard, observers)
    told = module_of(notes.reference)["HEARD"]
    assert told == [("heard", "observer notes", event) for event in heard.events]
    assert said == []


def test_one_that_raises_is_told_once_and_changes_nothing(registry: Registry, found: Registry, tmp_path: Path) -> None:
    said: list[str] = []
    (tmp_path / "one").mkdir()
    (tmp_path / "other").mkdir()
    alone = run(registry, tmp_path / "one")
    with Observers(chosen(found, "raises", "notes"), said.append) as observers:
        watched = run(registry, tmp_path / "other", observers)
    assert watched == alone
    assert said[0].startswith(f"observer raises ({tmp_path}/watching.py): raised SystemExit: I go home ")
    assert said[0].endswith("(watching.py, line 24); the run continues")
    assert said[0].isprintable()
    assert said[1:] == ["observer raises failed 24 times"]


def test_one_that_cannot_be_made_is_told(found: Registry) -> None:
    said: list[str] = []
    with Observers(chosen(found, "broken", "nothing"), said.append) as observers:
        observers(BatchStarted(1, 1, 0))
    assert [line.replace(str(found.rows[0].file), "FILE") for line in said] == [
        "observer broken (FILE): raised ValueError: no network (watching.py, line 37); it gets no events of this run",
        "observer nothing: create() returned a NoneType, expected a TournamentObserver",
    ]


def test_a_run_does_not_wait_for_a_slow_one(registry: Registry, found: Registry, tmp_path: Path) -> None:
    """It hears nothing until the tournament is over, and then everything."""
    (waits,) = chosen(found, "waits")
    heard, said = Heard(), list[str]()
    observers = Observers([waits], said.append)
    run(registry, tmp_path, heard, observers)
    assert isinstance(heard.events[-1], TournamentFinished)
    assert module_of(waits.reference)["HEARD"] == []
    module_of(waits.reference)["GO"].set()
    observers.close()
    assert module_of(waits.reference)["HEARD"] == ["at last"]
    assert said == []


def test_one_that_hangs_is_left_behind(registry: Registry, found: Registry, tmp_path: Path) -> None:
    (waits,) = chosen(found, "waits")
    said: list[str] = []
    heard = Heard()
    with Observers([waits], said.append, seconds=0.05) as observers:
        run(registry, tmp_path, heard, observers)
    assert said == [f"observer waits is still busy; {len(heard.events) - 1} events were not delivered to it"]
    module_of(waits.reference)["GO"].set()


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
