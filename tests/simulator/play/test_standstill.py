"""A runner that is stopped, as by SIGSTOP or a sleeping machine, charges nobody for it and says what it saw."""

from __future__ import annotations

import itertools
import os
import signal
import threading
import time
from collections.abc import Iterator, Mapping
from contextlib import closing
from pathlib import Path

import pytest
from tests.conftest import DUEL, map_text
from tests.engine.making import team_source, write
from tests.made_specs import made_spec, spec_with

from tiltyard_engine.match_record import MatchRecord
from tiltyard_engine.registry import Reference, Registry
from tiltyard_engine.registry.registry import ALGORITHM
from tiltyard_engine.results import Fault, Termination
from tiltyard_simulator.match.isolation import Isolation
from tiltyard_simulator.match.limits import Limits
from tiltyard_simulator.match.spec import MapSource, MatchSpec
from tiltyard_simulator.play import workers
from tiltyard_simulator.play.executor import play_all
from tiltyard_simulator.play.workers import WorkerExecutor

SLEEPER = "import pathlib, time\n" + team_source(
    "sleeper",
    action='pathlib.Path(__file__).with_suffix(".asked").touch()\ntime.sleep(0.4)\nreturn ActionRequest.DO_NOTHING',
)
STOPS = 3
STOP_SECONDS = 1.5
"""Longer than the wall time that the limits below leave for a call."""


@pytest.fixture
def spec(tmp_path: Path, tanks: Reference, reference_manager: Reference) -> MatchSpec:
    """A match of some seconds, nearly all of which the worker waits for answers."""
    registry = Registry.from_paths([write(tmp_path / "sleeper.py", SLEEPER)])
    sleeper = registry.find(ALGORITHM, "sleeper").reference
    source = MapSource("duel", map_text(DUEL, 3, 5).encode())
    limits = Limits(move_seconds=0.2)
    seats = (Isolation.PROCESS, Isolation.PROCESS)
    return made_spec(
        game=tanks, manager=reference_manager, map=source, teams=(sleeper, sleeper), isolations=seats, limits=(limits, limits)
    )


def play(spec: MatchSpec, disturb: bool) -> MatchRecord:
    """What came of the match; disturbed, its worker stands still again and again."""
    executor = WorkerExecutor(workers=1)
    ended = threading.Event()
    asked = Path(spec.input.teams[0].source.value).with_suffix(".asked")
    asked.unlink(missing_ok=True)

    def stop_and_go() -> None:
        # While the match is set up, nobody's time is measured.
        while not asked.exists() and not ended.wait(0.01):
            pass
        stops = 0
        while stops < STOPS and not ended.wait(0.3):
            for worker in [worker for worker in list(executor._workers.values()) if worker.running is not None]:
                os.kill(worker.process.pid, signal.SIGSTOP)
                time.sleep(STOP_SECONDS)
                os.kill(worker.process.pid, signal.SIGCONT)
                stops += 1

    disturber = threading.Thread(target=stop_and_go)
    if disturb:
        disturber.start()
    try:
        (record,) = play_all([spec], executor)
    finally:
        executor.close()
        ended.set()
        if disturb:
            disturber.join()
    return record


def test_a_runner_that_stands_still_costs_nobody_a_game(spec: MatchSpec) -> None:
    record = play(spec, disturb=True)
    assert record.outcome.faults == ()
    assert any(incident.startswith("the runner was suspended for ") for incident in record.outcome.incidents), (
        record.outcome.incidents
    )
    # A busy machine suspends it now and then, too.
    calm = next((again for _ in range(5) if not (again := play(spec, disturb=False)).outcome.incidents), None)
    assert calm is not None
    assert record.evidence.claim == calm.evidence.claim


def test_a_stall_that_a_disturbed_runner_saw_is_played_again(spec: MatchSpec) -> None:
    late = spec_with(spec, limits=(Limits(move_seconds=0.01), Limits(move_seconds=0.2)))
    (fault,) = play(late, disturb=False).outcome.faults
    assert (fault.seat, fault.termination) == (1, Termination.STALL)
    record = play(late, disturb=True)
    assert [Fault(found.seat, found.termination, "") for found in record.outcome.faults] == [Fault(1, Termination.STALL, "")]


def test_a_worker_that_stays_stopped_is_given_up(spec: MatchSpec, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(workers, "LOOK_SECONDS", 0.1)
    executor = WorkerExecutor(workers=1)
    stopped: list[int] = []

    def stop_first() -> None:
        while not stopped:
            time.sleep(0.05)
            for worker in [worker for worker in list(executor._workers.values()) if worker.running is not None]:
                os.kill(worker.process.pid, signal.SIGSTOP)
                stopped.append(worker.process.pid)

    stopper = threading.Thread(target=stop_first)
    stopper.start()
    (record,) = play_all([spec], executor)
    executor.close()
    stopper.join()
    assert record.outcome.faults == ()
    assert record.outcome.incidents[0] == "its match worker was stopped (SIGSTOP), so it was killed"


def test_a_stopped_worker_is_given_up_while_others_play(
    tanks: Reference, reference_manager: Reference, teams: Mapping[str, Reference], monkeypatch: pytest.MonkeyPatch
) -> None:
    """They send something all the time; its core is not to stay idle until they have played everything."""
    monkeypatch.setattr(workers, "LOOK_SECONDS", 0.02)
    duel = MapSource("duel", map_text(DUEL, 3, 5).encode())
    match = made_spec(game=tanks, manager=reference_manager, map=duel, teams=(teams["idler"], teams["idler"]))
    executor = WorkerExecutor(workers=2)
    stopped: list[int] = []
    patience = time.monotonic() + 60

    def until_it_is_replaced() -> Iterator[MatchSpec]:
        for place in itertools.count():
            there = [worker.process.pid for worker in executor._workers.values()]
            if (stopped and stopped[0] not in there) or time.monotonic() > patience:
                return
            yield match.at(place)

    with closing(executor):
        incidents: list[str] = []
        for number, record in enumerate(play_all(until_it_is_replaced(), executor)):
            incidents += record.outcome.incidents
            busy = [worker.process.pid for worker in executor._workers.values() if worker.running is not None]
            if number >= 3 and busy and not stopped:
                stopped.append(busy[0])
                os.kill(stopped[0], signal.SIGSTOP)
    assert incidents == ["its match worker was stopped (SIGSTOP), so it was killed"]
    assert time.monotonic() < patience
