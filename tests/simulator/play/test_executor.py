from __future__ import annotations

import os
import shutil
import time
from collections import deque
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import replace
from importlib.util import find_spec
from itertools import product
from pathlib import Path

import pytest
from tests.cluster.conftest import forgotten_connections  # noqa: F401 -- a fixture of all tests here
from tests.cluster.dask_cluster import DaskCluster, dask_cluster
from tests.conftest import DUEL, map_text
from tests.made_records import changed
from tests.made_specs import made_spec, spec_with

from tiltyard_engine.errors import UserError
from tiltyard_engine.match_record import MatchRecord, Outcome
from tiltyard_engine.registry import Reference
from tiltyard_engine.results import Termination
from tiltyard_simulator.guard.confinement.probes import VARIABLE, probe_confinement
from tiltyard_simulator.guard.policy import Level
from tiltyard_simulator.match.eligibility import Eligibility
from tiltyard_simulator.match.isolation import Isolation
from tiltyard_simulator.match.key import with_key
from tiltyard_simulator.match.spec import MapSource, MatchSpec
from tiltyard_simulator.play.executor import (
    Ended,
    Executor,
    InlineExecutor,
    available_cores,
    play_all,
    play_schedule,
    record_refusal,
    usable_cores,
)
from tiltyard_simulator.play.local_matches import local_executor, play_matches, run_matches
from tiltyard_simulator.play.workers import WorkerExecutor

Teams = Mapping[str, Reference]


@pytest.fixture
def specs(tanks: Reference, reference_manager: Reference, teams: Teams) -> list[MatchSpec]:
    names = ("shooter", "idler", "spinner", "crasher")
    return [
        made_spec(
            game=tanks,
            manager=reference_manager,
            map=MapSource(f"duel{steps}", map_text(DUEL, steps, 5).encode()),
            teams=(teams[one], teams[two]),
            number=place,
        )
        for place, (steps, one, two) in enumerate(product((5, 50), names, names))
    ]


def timeless(records: list[MatchRecord]) -> list[MatchRecord]:
    return [changed(record, seconds=0.0) for record in records]


def in_order(records: Iterable[MatchRecord]) -> list[MatchRecord]:
    return sorted(records, key=lambda record: record.outcome.place)


def worker_pids(executor: Executor) -> set[int]:
    return {worker.process.pid for worker in executor._workers.values()} if isinstance(executor, WorkerExecutor) else set()


# What holds for each kind of executor


@pytest.fixture(scope="module")
def cluster(tmp_path_factory: pytest.TempPathFactory) -> Iterator[DaskCluster]:
    """A scheduler and two workers; that of a nanny is a daemon in the eyes of multiprocessing."""
    if find_spec("distributed") is None:
        pytest.skip("Dask's distributed is not installed")
    with dask_cluster(tmp_path_factory.mktemp("cluster"), workers=1) as dask:
        dask.start_worker(nanny=True)
        yield dask


@pytest.fixture(scope="module", params=["in this process", "two workers", "a cluster", "a cluster for a service"])
def kind_of_executor(request: pytest.FixtureRequest) -> str:
    """Each kind in turn."""
    return str(request.param)


@pytest.fixture(scope="module")
def lasting_executor(
    request: pytest.FixtureRequest, kind_of_executor: str, tanks: Reference, reference_manager: Reference, teams: Teams
) -> Iterator[Executor]:
    """One for all tests: it starts its workers, or looks at its machines, once. That of a service knows no teams at the start."""
    if kind_of_executor == "two workers":
        with local_executor(2) as local:
            yield local
        assert worker_pids(local) == set()
        return
    from tiltyard_cluster import executor
    from tiltyard_cluster.connection import Tls

    dask: DaskCluster = request.getfixturevalue("cluster")
    is_service = "service" in kind_of_executor
    references = [tanks, reference_manager, *([] if is_service else teams.values())]
    machines = dask.address, Tls(), executor.machine_requirements(references, probe_confinement().level, {}), print
    with closing(executor.service_executor(*machines)) if is_service else executor.cluster_executor(*machines) as remote:
        yield remote


@pytest.fixture
def executor(request: pytest.FixtureRequest, kind_of_executor: str) -> Iterator[Executor]:
    """One of each kind."""
    if kind_of_executor != "in this process":
        yield request.getfixturevalue("lasting_executor")
        return
    with local_executor(1) as local:
        yield local


def comparable(records: Iterable[MatchRecord]) -> list[tuple[MatchRecord, tuple[str, ...], tuple[bytes, ...]]]:
    """In the order of the schedule; without places, times, memory and what a busy machine did, which differ from run to run."""
    return [
        (
            changed(record, place=0, seconds=0.0, accounts=(), incidents=()),
            record.outcome.held,
            tuple(account.output for account in record.evidence.accounts),
        )
        for record in in_order(records)
    ]


def polled(executor: Executor, schedule: list[MatchSpec]) -> dict[int, MatchRecord | UserError]:
    """What comes of matches that are handed in one by one."""
    waiting = deque(schedule)
    results: dict[int, MatchRecord | UserError] = {}
    executor.begin()
    patience = time.monotonic() + 120
    while waiting or executor.is_busy:
        assert time.monotonic() < patience
        while waiting and executor.room:
            executor.submit(waiting.popleft())
            assert executor.is_busy
        for spec, result in executor.poll(0.5):
            assert spec.place.number not in results
            results[spec.place.number] = result
    return results


@pytest.fixture(scope="module")
def played_here() -> dict[Isolation, list[MatchRecord]]:
    """What the schedule comes to in this process, by how its teams are held: what all executors are compared with."""
    return {}


def test_results_are_the_same_whoever_plays(
    executor: Executor, kind_of_executor: str, specs: list[MatchSpec], played_here: dict[Isolation, list[MatchRecord]]
) -> None:
    # Workers, and machines, are told besides the matches only how they must confine teams; of both clusters the same machines are.
    apart = {"in this process": [Isolation.PROCESS], "a cluster for a service": []}
    for isolation in (Isolation.INLINE, *apart.get(kind_of_executor, [Isolation.SANDBOX])):
        # In cells each team plays in both seats and on both maps, but not against all others.
        some = specs if isolation is Isolation.INLINE else specs[::5]
        schedule = [spec_with(spec, isolations=(isolation,) * 2, replay=True) for spec in some]
        if isolation not in played_here:
            played_here[isolation] = play_matches(schedule, 1)
        records = list(play_all(schedule, executor))
        assert sorted(record.outcome.place for record in records) == [spec.place.number for spec in schedule]
        assert {way.partition(",")[0] for record in records for way in record.outcome.held} == {isolation.value}
        assert all(record.evidence.replay for record in records)
        assert comparable(records) == comparable(played_here[isolation])
    # Again, and after one that was broken off.
    with closing(play_all(schedule, executor)) as broken_off:
        next(broken_off)
    assert not executor.is_busy
    assert comparable(play_all(schedule[:3], executor)) == comparable(records)[:3]


def test_a_match_that_cannot_be_played_is_named_or_void_alone(executor: Executor, specs: list[MatchSpec]) -> None:
    schedule = [*specs[:3], spec_with(specs[3], map=MapSource("bad", b"no map")), *specs[4:]]
    taken: list[int] = []
    ended: list[MatchRecord] = []

    def each() -> Iterator[MatchSpec]:
        for spec in schedule:
            taken.append(spec.place.number)
            yield spec

    with pytest.raises(UserError, match=r"^shooter - crasher on bad: .*bad, line 2: "):
        # ``extend`` keeps what came before the error.
        ended.extend(play_all(each(), executor))
    # All that were begun have ended.
    assert {record.outcome.place for record in ended} == set(taken) - {3}
    assert not executor.is_busy
    pids = worker_pids(executor)
    played = in_order(play_all(schedule, executor, record_refusal))
    assert worker_pids(executor) == pids
    assert [record.outcome.place for record in played] == [spec.place.number for spec in schedule]
    lost = played.pop(3).outcome
    assert (lost.is_void, lost.teams, lost.winner, lost.ranks) == (True, ("shooter", "crasher"), 0, (1, 1))
    assert lost.message.startswith("no result: the GameManager failed: void: cannot be played: ")
    assert "bad, line 2: " in lost.incidents[0]
    assert comparable(played) == comparable(play_matches([*specs[:3], *specs[4:]], 1))


def test_a_match_that_kills_its_process_costs_no_other(
    executor: Executor, kind_of_executor: str, specs: list[MatchSpec], teams: Teams
) -> None:
    if isinstance(executor, InlineExecutor):
        pytest.skip("it would kill this process")
    if "service" in kind_of_executor:
        pytest.skip("the machines are those of a cluster")
    deadly = spec_with(specs[3], teams=(teams["idler"], teams["dier"]))
    records = in_order(play_all([*specs[:3], deadly, *specs[4:]], executor))
    lost = records.pop(3).outcome
    assert lost.manager_fault is not None
    assert lost.manager_fault.termination is Termination.VOID
    assert lost.manager_fault.message == "given up after 3 attempts: its match worker died: exit status 7"
    assert lost.incidents == ("its match worker died: exit status 7",) * 3
    assert comparable(records) == comparable(play_matches([*specs[:3], *specs[4:]], 1))


def test_each_match_that_is_handed_in_has_a_result_and_a_refusal_is_one(executor: Executor, specs: list[MatchSpec]) -> None:
    schedule = [specs[0], spec_with(specs[1], map=MapSource("bad", b"no map")), *specs[2:5]]
    assert not executor.is_busy
    results = polled(executor, schedule)
    refusal = results.pop(1)
    assert isinstance(refusal, UserError)
    assert "bad, line 2: " in str(refusal)
    records = [record for record in results.values() if isinstance(record, MatchRecord)]
    assert comparable(records) == comparable(play_matches([schedule[0], *schedule[2:]], 1))


def test_what_was_abandoned_does_not_come_back(executor: Executor, specs: list[MatchSpec]) -> None:
    executor.begin()
    executor.submit(specs[0])
    assert executor.is_busy
    executor.abandon()
    assert not executor.is_busy
    assert executor.poll(0.0) == []
    assert set(polled(executor, specs[1:3])) == {1, 2}


def test_a_schedule_is_taken_no_faster_than_it_is_played(executor: Executor, specs: list[MatchSpec]) -> None:
    taken = 0

    def each() -> Iterator[MatchSpec]:
        nonlocal taken
        for taken, spec in enumerate(spec.at(place) for place, spec in enumerate(specs * 40)):  # noqa: B007
            yield spec

    with closing(play_all(each(), executor)) as playing:
        next(playing)
    assert taken < 20 * len(specs)


# Of some kinds alone


def test_one_worker_plays_in_order(specs: list[MatchSpec]) -> None:
    seen: list[int] = []
    play_matches(specs, 1, lambda spec, _: seen.append(spec.place.number))
    assert seen == list(range(len(specs)))


def test_no_matches_are_no_records() -> None:
    assert play_matches([], 4) == []


def test_killed_workers_cost_only_attempts(specs: list[MatchSpec]) -> None:
    ended: list[MatchRecord] = []
    handed: list[MatchSpec] = []
    killed: list[int] = []

    def until_some_are_killed() -> Iterator[MatchSpec]:
        """How soon both workers play at once is the machine's affair."""
        while len(handed) < 2 * len(specs) or (not killed and len(handed) < 5000):
            handed.append(specs[len(handed) % len(specs)].at(len(handed)))
            yield handed[-1]

    with closing(WorkerExecutor(workers=2)) as executor, closing(play_all(until_some_are_killed(), executor)) as playing:
        for record in playing:
            ended.append(record)
            busy = [worker.process for worker in executor._workers.values() if worker.running is not None]
            if busy and len(killed) < 4:
                busy[0].kill()
                killed.append(busy[0].pid)
    played = in_order(ended)
    assert killed
    # A worker whose record was on its way already cost nothing.
    seen = {incident for record in played for incident in record.outcome.incidents}
    assert seen <= {"its match worker died: signal SIGKILL"}
    alike = [changed(record, incidents=()) for record in timeless(played)]
    assert alike == timeless(play_matches(handed, 1))


@pytest.mark.parametrize("isolation", [Isolation.PROCESS, Isolation.SANDBOX])
def test_a_team_that_ends_its_process_is_charged_for_it(specs: list[MatchSpec], teams: Teams, isolation: Isolation) -> None:
    deadly = spec_with(specs[0], teams=(teams["idler"], teams["dier"]), isolations=(isolation, isolation))
    (record,) = play_matches([deadly], 1)
    (fault,) = record.outcome.faults
    assert (record.outcome.winner, fault.seat, fault.termination) == (1, 2, Termination.CRASH)


def test_results_of_managers_own_types_travel(specs: list[MatchSpec], managers: Mapping[str, Reference]) -> None:
    odd = [spec_with(spec, manager=managers["local-text"]) for spec in specs[:2]]
    assert [record.evidence.claim.reason for record in play_matches(odd, 2)] == ["local", "local"]


@pytest.mark.parametrize("workers", [1, 2])
def test_what_the_listener_raises_stops_the_run(specs: list[MatchSpec], workers: int) -> None:
    def refuse(spec: MatchSpec, record: MatchRecord) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        play_matches(specs, workers, refuse)


# All workers confine alike

FLAKY = """#!/bin/sh
# Fails twice, as a loaded machine may make it.
echo x >> {log}
[ $(wc -l < {log}) -gt 2 ] || exit 1
exec {bwrap} "$@"
"""


def held_by(record: MatchRecord) -> set[str]:
    return {account.held for account in record.evidence.accounts}


@pytest.fixture
def sandboxed(specs: list[MatchSpec]) -> list[MatchSpec]:
    return [spec_with(spec, isolations=(Isolation.SANDBOX,) * 2) for spec in specs[:4]]


def test_a_worker_that_cannot_confine_as_the_run_does_stops_it(sandboxed: list[MatchSpec]) -> None:
    best = probe_confinement().level
    less = min(level for level in Level if level > best) if best is not Level.C else pytest.skip("nothing is less than level C")
    # What a limit of the worker's own does to its probe, or somebody who kills its processes.
    executor = WorkerExecutor(workers=2, environment={VARIABLE: less})
    words = f"a match worker cannot confine teams at level {best}, as the run does: .*The run stops here"
    with closing(executor), pytest.raises(UserError, match=words):
        list(play_all(sandboxed, executor))


def test_a_worker_whose_probe_fails_once_tries_again(sandboxed: list[MatchSpec], tmp_path: Path) -> None:
    bwrap = shutil.which("bwrap")
    if probe_confinement().level is not Level.A or bwrap is None:
        pytest.skip("level A does not work here")
    flaky, log = tmp_path / "bwrap", tmp_path / "log"
    flaky.write_text(FLAKY.format(log=log, bwrap=bwrap))
    flaky.chmod(0o755)
    executor = WorkerExecutor(workers=1, environment={"PATH": f"{tmp_path}:{os.environ['PATH']}"})
    with closing(executor):
        records = list(play_all(sandboxed, executor))
    assert len(log.read_text().splitlines()) > 3
    assert [held_by(record) for record in records] == [{"sandbox, level A"}] * len(sandboxed)


def test_workers_have_the_level_that_the_executor_was_given(sandboxed: list[MatchSpec]) -> None:
    with closing(WorkerExecutor(workers=1, level=Level.C)) as executor:
        assert [held_by(record) for record in play_all(sandboxed, executor)] == [{"sandbox, level C"}] * len(sandboxed)


def test_there_is_a_core() -> None:
    assert available_cores() >= 1


def test_workers_are_spread_over_the_cores(specs: list[MatchSpec]) -> None:
    cores = usable_cores()
    isolated = [spec_with(spec, isolations=(Isolation.PROCESS, Isolation.PROCESS)) for spec in specs[:4]]
    with local_executor(2) as executor:
        assert isinstance(executor, WorkerExecutor)
        for _ in play_all(isolated, executor):
            pass
        given = [worker.core for worker in executor._workers.values()]
        bound = [os.sched_getaffinity(worker.process.pid) for worker in executor._workers.values()]
    assert given == (cores[:2] if len(cores) >= 2 else cores * 2)
    assert all(core < 0 or affinity in ({core}, set(cores)) for core, affinity in zip(given, bound, strict=True))
    assert len(cores) < 2 or {given[0]} in bound or {given[1]} in bound
    with closing(WorkerExecutor(workers=2 * len(cores))) as crowded:
        crowded.begin()
        assert sorted(worker.core for worker in crowded._workers.values()) == sorted(cores * 2)


def test_one_worker_gives_its_cores_back(specs: list[MatchSpec]) -> None:
    before = usable_cores()
    play_matches([spec_with(specs[0], isolations=(Isolation.PROCESS, Isolation.PROCESS))], 1)
    assert usable_cores() == before


class Told:
    """What ``play_schedule`` tells, and who may play afterwards."""

    def __init__(self, most_faults: int = 0) -> None:
        self.eligibility = Eligibility(most_faults)
        self.started: list[int] = []
        self.finished: list[MatchRecord] = []

    def play(
        self, specs: Sequence[MatchSpec], stored: Mapping[str, Outcome] | None = None, executor: Executor | None = None
    ) -> list[Outcome]:
        """All that is settled afterwards."""

        def finished(spec: MatchSpec, record: MatchRecord) -> None:
            assert (record.outcome.place, record.outcome.key, record.outcome.teams) == (
                spec.place.number,
                spec.place.key,
                spec.input.names,
            )
            self.finished.append(record)

        with local_executor(1) as here:
            play_schedule(
                specs,
                executor or here,
                self.eligibility,
                finished,
                stored=lambda spec: (stored or {}).get(spec.place.key),
                started=lambda spec: self.started.append(spec.place.number),
            )
        return self.eligibility.settled


def test_what_is_stored_is_told_of_and_not_played_again(specs: list[MatchSpec]) -> None:
    keyed = [with_key(spec) for spec in specs[:6]]
    whole = Told().play(keyed)
    # As another run has stored them, in which they had other places and the teams other names.
    stored = {outcome.key: replace(outcome, place=90 + outcome.place, teams=("x", "y")) for outcome in whole[1:4]}
    told = Told()
    settled = told.play(keyed, stored)
    assert told.started == [0, 4, 5]
    assert {record.outcome.place: record.outcome.played for record in told.finished} == {
        0: True,
        1: False,
        2: False,
        3: False,
        4: True,
        5: True,
    }
    assert [replace(outcome, played=True, seconds=0.0) for outcome in settled] == [
        replace(outcome, seconds=0.0) for outcome in whole
    ]


def test_where_all_is_stored_nothing_is_played(specs: list[MatchSpec]) -> None:
    keyed = [with_key(spec) for spec in specs[:3]]
    stored = {outcome.key: outcome for outcome in Told().play(keyed)}
    told = Told()
    assert len(told.play(keyed, stored)) == 3
    assert told.started == []
    assert Told().play([]) == []


def test_what_has_no_key_is_in_no_store(specs: list[MatchSpec]) -> None:
    told = Told()
    told.play(specs[:2], {"other": Outcome(key="other")})
    assert told.started == [0, 1]


def test_matches_after_a_quarantine_are_forfeits_in_later_parts_too(specs: list[MatchSpec], teams: Teams) -> None:
    pairs = [("crasher", "idler"), ("idler", "shooter"), ("shooter", "crasher"), ("crasher", "spinner"), ("idler", "idler")]
    schedule = [
        with_key(spec_with(specs[0], teams=(teams[one], teams[two]), number=place)) for place, (one, two) in enumerate(pairs)
    ]
    told = Told(most_faults=1)
    told.play(schedule[:3])
    settled = told.play(schedule[3:])
    assert [record.place for record in settled] == [0, 1, 2, 3, 4]
    forfeited = [record.place for record in settled if any(fault.termination is Termination.FORFEIT for fault in record.faults)]
    assert forfeited == [2, 3]
    assert told.started == [0, 1, 4]
    assert [record.outcome.place for record in told.finished if not record.outcome.played] == [2, 3]
    assert [settled[place].winner_name for place in (2, 3)] == ["shooter", "spinner"]


def test_a_forfeit_counts_before_what_is_stored(specs: list[MatchSpec], teams: Teams) -> None:
    schedule = [
        with_key(spec_with(specs[0], teams=(teams["crasher"], teams["idler"]), number=place, seed=place)) for place in range(3)
    ]
    stored = {outcome.key: outcome for outcome in Told().play(schedule)}
    told = Told(most_faults=1)
    settled = told.play(schedule, stored)
    assert [record.faults[0].termination for record in settled] == [Termination.CRASH, Termination.FORFEIT, Termination.FORFEIT]
    assert told.started == []


def test_what_is_settled_is_in_the_order_of_the_schedule_whoever_finishes_first(specs: list[MatchSpec]) -> None:
    class Backwards(InlineExecutor):
        """Has room for all matches, and tells what came of them in the other direction."""

        room = len(specs)

        def poll(self, timeout: float) -> list[Ended]:
            return super().poll(timeout)[::-1]

    told = Told()
    with closing(Backwards()) as backwards:
        settled = told.play(specs, executor=backwards)
    assert [record.outcome.place for record in told.finished] == list(reversed(range(len(specs))))
    here = run_matches(specs, 1)
    assert [replace(outcome, seconds=0.0) for outcome in settled] == [replace(outcome, seconds=0.0) for outcome in here]


def test_what_is_settled_are_outcomes_alone(specs: list[MatchSpec], teams: Teams) -> None:
    apart = (Isolation.PROCESS, Isolation.PROCESS)
    told = Told()
    (settled,) = told.play([spec_with(specs[0], teams=(teams["crasher"], teams["idler"]), isolations=apart)])
    (finished,) = told.finished
    assert finished.evidence.accounts[0].conversation
    assert finished.outcome is settled
