"""Observers hear of everything, in threads of their own; whatever they do, the run is the same."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from tests.engine.making import write
from tests.tournaments.running.made_runs import Heard, ShuffledExecutor, by_chance, tournament_of

from tiltyard_engine.lifecycle import BatchStarted, Event, Observer, TournamentFinished
from tiltyard_engine.registry import Reference, Registry
from tiltyard_engine.registry.registry import OBSERVER
from tiltyard_tournaments.running.events.observers import Observers
from tiltyard_tournaments.running.run import run_tournament
from tiltyard_tournaments.running.tournament import ConfiguredPlugin
from tiltyard_tournaments.store import Store

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
