from __future__ import annotations

import os
import shutil
from collections.abc import Generator, Iterable, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import replace
from itertools import product
from pathlib import Path

import pytest
from tests.conftest import DUEL, map_text
from tests.made_records import changed
from tests.made_specs import made_spec, spec_with

from tiltyard_engine.errors import UserError
from tiltyard_engine.match_record import MatchRecord, Outcome
from tiltyard_engine.registry import Reference
from tiltyard_engine.results import Termination
from tiltyard_simulator.guard.confinement import Level, probe_confinement
from tiltyard_simulator.guard.confinement.probes import VARIABLE
from tiltyard_simulator.match.isolation import Isolation
from tiltyard_simulator.match.key import with_key
from tiltyard_simulator.match.quarantine import Quarantine
from tiltyard_simulator.match.spec import MapSource, MatchSpec
from tiltyard_simulator.play.executors import Executor, available_cores, local_executor, play_matches, play_schedule, run_matches
from tiltyard_simulator.play.refusals import OnRefusal, raise_refusal, record_refusal
from tiltyard_simulator.play.workers import WorkerExecutor, usable_cores

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


def without_places(records: list[MatchRecord]) -> list[MatchRecord]:
    return [changed(record, place=0) for record in timeless(records)]


def in_order(records: Iterable[MatchRecord]) -> list[MatchRecord]:
    return sorted(records, key=lambda record: record.outcome.place)


@pytest.mark.parametrize("workers", [2, 7])
def test_records_do_not_depend_on_the_workers(specs: list[MatchSpec], workers: int) -> None:
    seen: list[int] = []
    records = play_matches(specs, workers, lambda spec, _: seen.append(spec.place.number))
    assert sorted(seen) == list(range(len(specs)))
    assert timeless(records) == timeless(play_matches(specs, 1))


def test_replays_come_from_workers_as_they_are_kept(specs: list[MatchSpec]) -> None:
    recorded = [spec_with(spec, replay=True) for spec in specs[:3]]
    records = play_matches(recorded, 2)
    here = play_matches(recorded, 1)
    assert all(record.evidence.replay for record in records)
    assert [record.evidence.replay for record in records] == [record.evidence.replay for record in here]
    assert timeless(records) == timeless(here)


def test_one_worker_plays_in_order(specs: list[MatchSpec]) -> None:
    seen: list[int] = []
    play_matches(specs, 1, lambda spec, _: seen.append(spec.place.number))
    assert seen == list(range(len(specs)))


def test_no_matches_are_no_records() -> None:
    assert play_matches([], 4) == []


def test_a_match_that_kills_its_worker_is_void_and_costs_no_other(specs: list[MatchSpec], teams: Teams) -> None:
    deadly = spec_with(specs[0], teams=(teams["idler"], teams["dier"]))
    records = play_matches([*specs[:3], deadly, *specs[3:]], 2)
    lost = records.pop(3)
    assert lost.outcome.manager_fault is not None
    assert lost.outcome.manager_fault.termination is Termination.VOID
    assert lost.outcome.manager_fault.message == "given up after 3 attempts: its match worker died: exit status 7"
    assert lost.outcome.incidents == ("its match worker died: exit status 7",) * 3
    assert without_places(records) == without_places(play_matches(specs, 1))


@pytest.fixture
def unplayable(specs: list[MatchSpec], tmp_path: Path) -> MatchSpec:
    """A match of a team whose file is gone, in the middle of the schedule."""
    source = replace(specs[3].input.teams[0].source, value=str(tmp_path / "gone.py"))
    gone = replace(specs[3].input.teams[0], name="gone", source=source)
    return spec_with(specs[3], teams=(gone, specs[3].input.teams[1]))


@pytest.mark.parametrize("workers", [1, 2])
def test_a_match_that_cannot_be_played_is_named_and_those_that_were_begun_end(
    specs: list[MatchSpec], unplayable: MatchSpec, workers: int
) -> None:
    begun: list[int] = []

    def schedule() -> Iterator[MatchSpec]:
        for spec in [*specs[:3], unplayable, *specs[4:]]:
            begun.append(spec.place.number)
            yield spec

    ended: list[int] = []
    with local_executor(workers) as executor:
        with pytest.raises(UserError, match=r"^gone - crasher on duel5: .*gone\.py"):
            ended.extend(record.outcome.place for record in executor.play(schedule()))
        ended_places = set(begun) - {unplayable.place.number}
        # ``extend`` keeps what came before the error.
        assert set(ended) == ended_places
        assert ended_places >= {0, 1, 2}
        assert len(ended_places) < len(specs) - 1
        pids = worker_pids(executor)
        assert len(list(executor.play(specs))) == len(specs)
        assert worker_pids(executor) == pids


@pytest.mark.parametrize("workers", [1, 2])
def test_a_match_that_cannot_be_played_may_be_void_alone(specs: list[MatchSpec], unplayable: MatchSpec, workers: int) -> None:
    schedule = [*specs[:3], unplayable, *specs[4:]]
    with local_executor(workers) as executor:
        played = in_order(executor.play(schedule, record_refusal))
    assert [record.outcome.place for record in played] == [spec.place.number for spec in schedule]
    (void,) = [record for record in played if record.outcome.is_void]
    assert (void.outcome.place, void.outcome.teams, void.outcome.winner, void.outcome.ranks) == (3, ("gone", "crasher"), 0, (1, 1))
    assert void.outcome.message.startswith("no result: the GameManager failed: void: cannot be played: ")
    assert "gone.py" in void.outcome.incidents[0]
    others = [record for record in played if record.outcome.place != 3]
    assert timeless(others) == [record for record in timeless(play_matches(specs, 1)) if record.outcome.place != 3]


def worker_pids(executor: Executor) -> set[int]:
    return {worker.process.pid for worker in executor._workers.values()} if isinstance(executor, WorkerExecutor) else set()


def test_killed_workers_cost_only_attempts(specs: list[MatchSpec]) -> None:
    # Enough matches that the second worker is ready long before the first has played them all.
    specs = [spec.at(place) for place, spec in enumerate(specs * 10)]
    ended: list[MatchRecord] = []
    killed = 0
    with closing(WorkerExecutor(workers=2)) as executor, closing(executor.play(specs)) as playing:
        for record in playing:
            ended.append(record)
            busy = [worker for worker in executor._workers.values() if worker.begun is not None]
            if busy and killed < 4:
                busy[0].process.kill()
                killed += 1
    played = in_order(ended)
    assert killed
    # A worker whose record was on its way already cost nothing.
    seen = {incident for record in played for incident in record.outcome.incidents}
    assert seen <= {"its match worker died: signal SIGKILL"}
    alike = [changed(record, incidents=()) for record in timeless(played)]
    assert alike == timeless(play_matches(specs, 1))


@pytest.mark.parametrize("workers", [1, 2])
def test_a_fed_executor_has_an_outcome_for_each_match_and_a_refusal_is_one(
    specs: list[MatchSpec], unplayable: MatchSpec, workers: int
) -> None:
    waiting = [spec.at(place) for place, spec in enumerate((specs[0], unplayable, specs[1], specs[2]))]
    came: dict[int, MatchRecord | UserError] = {}
    most = 0
    with local_executor(workers) as executor:
        executor.begin()
        assert not executor.is_busy
        # On a busy machine one worker could play all before the other is ready.
        while executor.room < workers:
            assert executor.poll(0.1) == []
        while waiting or executor.is_busy:
            while waiting and executor.room:
                executor.submit(waiting.pop(0))
            most = max(most, 4 - len(waiting) - len(came))
            came |= {spec.place.number: record for spec, record in executor.poll(1.0)}
    assert most == workers
    assert isinstance(refused := came.pop(1), UserError)
    assert "gone" in str(refused)
    records = [record for _, record in sorted(came.items()) if isinstance(record, MatchRecord)]
    assert without_places(records) == without_places(play_matches(specs[:3], 1))


def test_a_fed_executor_plays_the_match_of_a_killed_worker_again(specs: list[MatchSpec]) -> None:
    with closing(WorkerExecutor(workers=1)) as executor:
        executor.begin()
        executor.submit(specs[0])
        os.kill(worker_pids(executor).pop(), 9)
        played: list[MatchRecord | UserError] = []
        while executor.is_busy:
            played += [record for _, record in executor.poll(1.0)]
        # It died before it had the match, so nothing was lost.
        assert [isinstance(record, MatchRecord) and not record.outcome.faults for record in played] == [True]
        executor.submit(specs[1])
        executor.abandon()
        assert not executor.is_busy
        assert executor.poll(0.0) == []


def test_an_executor_plays_many_schedules_with_the_same_workers(specs: list[MatchSpec]) -> None:
    with local_executor(2) as executor:
        assert isinstance(executor, WorkerExecutor)
        first = in_order(executor.play(specs[:3]))
        pids = {worker.process.pid for worker in executor._workers.values()}
        second = in_order(executor.play(specs[:3]))
        assert {worker.process.pid for worker in executor._workers.values()} == pids
        with closing(executor.play(specs)) as broken_off:
            next(broken_off)
        third = in_order(executor.play(specs[:3]))
        assert timeless(third) == timeless(first)
        assert timeless(first) == timeless(second)
    assert executor._workers == {}


@pytest.mark.parametrize("isolation", [Isolation.PROCESS, Isolation.SANDBOX])
def test_records_do_not_depend_on_how_teams_are_held(specs: list[MatchSpec], isolation: Isolation) -> None:
    held = [spec_with(spec, isolations=(isolation, isolation)) for spec in specs]
    records = play_matches(held, 2)
    assert {way.partition(",")[0] for record in records for way in record.outcome.held} == {isolation.value}
    assert [changed(record, accounts=()) for record in timeless(records)] == [
        changed(record, accounts=()) for record in timeless(play_matches(specs, 1))
    ]


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
        list(executor.play(sandboxed))


def test_a_worker_whose_probe_fails_once_tries_again(sandboxed: list[MatchSpec], tmp_path: Path) -> None:
    bwrap = shutil.which("bwrap")
    if probe_confinement().level is not Level.A or bwrap is None:
        pytest.skip("level A does not work here")
    flaky, log = tmp_path / "bwrap", tmp_path / "log"
    flaky.write_text(FLAKY.format(log=log, bwrap=bwrap))
    flaky.chmod(0o755)
    executor = WorkerExecutor(workers=1, environment={"PATH": f"{tmp_path}:{os.environ['PATH']}"})
    with closing(executor):
        records = list(executor.play(sandboxed))
    assert len(log.read_text().splitlines()) > 3
    assert [held_by(record) for record in records] == [{"sandbox, level A"}] * len(sandboxed)


def test_workers_have_the_level_that_the_executor_was_given(sandboxed: list[MatchSpec]) -> None:
    with closing(WorkerExecutor(workers=2, level=Level.C)) as executor:
        assert [held_by(record) for record in executor.play(sandboxed)] == [{"sandbox, level C"}] * len(sandboxed)


def test_there_is_a_core() -> None:
    assert available_cores() >= 1


def test_each_worker_has_a_core_of_its_own_while_there_are_enough(specs: list[MatchSpec]) -> None:
    cores = usable_cores()
    isolated = [spec_with(spec, isolations=(Isolation.PROCESS, Isolation.PROCESS)) for spec in specs[:4]]
    with local_executor(2) as executor:
        assert isinstance(executor, WorkerExecutor)
        for _ in executor.play(isolated):
            pass
        given = [worker.core for worker in executor._workers.values()]
        bound = [os.sched_getaffinity(worker.process.pid) for worker in executor._workers.values()]
    assert given == (cores[:2] if len(cores) >= 2 else [-1, -1])
    assert all(core < 0 or affinity in ({core}, set(cores)) for core, affinity in zip(given, bound, strict=True))
    assert len(cores) < 2 or {given[0]} in bound or {given[1]} in bound
    with local_executor(len(cores) + 1) as crowded:
        assert isinstance(crowded, WorkerExecutor)
        assert crowded._free_core() == -1


def test_one_worker_gives_its_cores_back(specs: list[MatchSpec]) -> None:
    before = usable_cores()
    play_matches([spec_with(specs[0], isolations=(Isolation.PROCESS, Isolation.PROCESS))], 1)
    assert usable_cores() == before


class Told:
    """What ``play_schedule`` tells, and what it leaves in the quarantine."""

    def __init__(self, most_faults: int = 0) -> None:
        self.quarantine = Quarantine(most_faults)
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
                self.quarantine,
                finished,
                stored=lambda spec: (stored or {}).get(spec.place.key),
                started=lambda spec: self.started.append(spec.place.number),
            )
        return self.quarantine.settled


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
    class Backwards:
        def play(
            self, matches: Iterable[MatchSpec], refused: OnRefusal = raise_refusal, preload: Iterable[Reference] = ()
        ) -> Generator[MatchRecord, None, None]:
            with local_executor(1) as executor:
                yield from reversed(list(executor.play(matches, refused)))

    told = Told()
    settled = told.play(specs, executor=Backwards())
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
