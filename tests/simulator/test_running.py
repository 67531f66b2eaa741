from __future__ import annotations

import os
from collections.abc import Mapping
from contextlib import closing
from dataclasses import replace

import pytest
from tests.conftest import DUEL, map_text

from tiltyard_engine.registry import Reference
from tiltyard_engine.results import Termination
from tiltyard_simulator.guard.isolation import Isolation
from tiltyard_simulator.guard.workers import WorkerExecutor, usable_cores
from tiltyard_simulator.running import available_cores, local_executor, run_matches
from tiltyard_simulator.specs import MapSource, MatchOutcome, MatchSpec

Teams = Mapping[str, Reference]


@pytest.fixture
def specs(tanks: Reference, reference_manager: Reference, teams: Teams) -> list[MatchSpec]:
    names = ("shooter", "idler", "spinner", "crasher")
    return [
        MatchSpec(tanks, reference_manager, MapSource(f"duel{steps}", map_text(DUEL, steps, 5).encode()), (teams[one], teams[two]))
        for steps in (5, 50)
        for one in names
        for two in names
    ]


def timeless(outcomes: list[MatchOutcome]) -> list[MatchOutcome]:
    return [replace(outcome, seconds=0.0) for outcome in outcomes]


@pytest.mark.parametrize("workers", [2, 7])
def test_outcomes_do_not_depend_on_the_workers(specs: list[MatchSpec], workers: int) -> None:
    seen: list[int] = []
    outcomes = run_matches(specs, workers, lambda place, spec, outcome: seen.append(place))
    assert sorted(seen) == list(range(len(specs)))
    assert timeless(outcomes) == timeless(run_matches(specs, 1))


def test_one_worker_plays_in_order(specs: list[MatchSpec]) -> None:
    seen: list[int] = []
    run_matches(specs, 1, lambda place, spec, outcome: seen.append(place))
    assert seen == list(range(len(specs)))


def test_no_matches_are_no_outcomes() -> None:
    assert run_matches([], 4) == []


def test_a_match_that_kills_its_worker_is_void_and_costs_no_other(specs: list[MatchSpec], teams: Teams) -> None:
    deadly = replace(specs[0], algorithms=(teams["idler"], teams["dier"]))
    outcomes = run_matches([*specs[:3], deadly, *specs[3:]], 2)
    lost = outcomes.pop(3)
    assert lost.manager_fault is not None
    assert lost.manager_fault.termination is Termination.VOID
    assert lost.manager_fault.message == "given up after 3 attempts: its match worker died: exit status 7"
    assert lost.incidents == ("its match worker died: exit status 7",) * 3
    assert timeless(outcomes) == timeless(run_matches(specs, 1))


def test_killed_workers_cost_only_attempts(specs: list[MatchSpec]) -> None:
    # Enough matches that the second worker is ready long before the first has played them all.
    specs = specs * 10
    outcomes: dict[int, MatchOutcome] = {}
    killed = 0
    with closing(WorkerExecutor(2)) as executor, closing(executor.play(enumerate(specs))) as playing:
        for place, outcome in playing:
            outcomes[place] = outcome
            busy = [worker for worker in executor._workers.values() if worker.begun is not None]
            if busy and killed < 4:
                busy[0].process.kill()
                killed += 1
    played = [outcomes[place] for place in range(len(specs))]
    assert killed
    # A worker whose outcome was on its way already cost nothing.
    seen = {incident for outcome in played for incident in outcome.incidents}
    assert seen <= {"its match worker died: signal SIGKILL"}
    alike = [replace(outcome, incidents=()) for outcome in timeless(played)]
    assert alike == timeless(run_matches(specs, 1))


def test_an_executor_plays_many_schedules_with_the_same_workers(specs: list[MatchSpec]) -> None:
    with local_executor(2) as executor:
        assert isinstance(executor, WorkerExecutor)
        first = sorted(executor.play(enumerate(specs[:3])))
        pids = {worker.process.pid for worker in executor._workers.values()}
        second = sorted(executor.play(enumerate(specs[:3])))
        assert {worker.process.pid for worker in executor._workers.values()} == pids
        with closing(executor.play(enumerate(specs))) as broken_off:
            next(broken_off)
        third = sorted(executor.play(enumerate(specs[:3])))
        assert timeless([outcome for _, outcome in third]) == timeless([outcome for _, outcome in first])
        assert timeless([outcome for _, outcome in first]) == timeless([outcome for _, outcome in second])
    assert executor._workers == {}


@pytest.mark.parametrize("isolation", [Isolation.PROCESS, Isolation.SANDBOX])
def test_outcomes_do_not_depend_on_how_teams_are_held(specs: list[MatchSpec], isolation: Isolation) -> None:
    held = [replace(spec, isolations=(isolation, isolation)) for spec in specs]
    outcomes = run_matches(held, 2)
    assert {way.partition(",")[0] for outcome in outcomes for way in outcome.held} == {isolation.value}
    assert [replace(outcome, accounts=()) for outcome in timeless(outcomes)] == [
        replace(outcome, accounts=()) for outcome in timeless(run_matches(specs, 1))
    ]


@pytest.mark.parametrize("isolation", [Isolation.PROCESS, Isolation.SANDBOX])
def test_a_team_that_ends_its_process_is_charged_for_it(specs: list[MatchSpec], teams: Teams, isolation: Isolation) -> None:
    deadly = replace(specs[0], algorithms=(teams["idler"], teams["dier"]), isolations=(isolation, isolation))
    (outcome,) = run_matches([deadly], 1)
    (fault,) = outcome.faults
    assert (outcome.winner, fault.seat, fault.termination) == (1, 2, Termination.CRASH)


def test_results_of_managers_own_types_travel(specs: list[MatchSpec], managers: Mapping[str, Reference]) -> None:
    odd = [replace(spec, manager=managers["local-text"]) for spec in specs[:2]]
    assert [outcome.claim.reason for outcome in run_matches(odd, 2)] == ["local", "local"]


@pytest.mark.parametrize("workers", [1, 2])
def test_what_the_listener_raises_stops_the_run(specs: list[MatchSpec], workers: int) -> None:
    def refuse(place: int, spec: MatchSpec, outcome: MatchOutcome) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        run_matches(specs, workers, refuse)


def test_there_is_a_core() -> None:
    assert available_cores() >= 1


def test_each_worker_has_a_core_of_its_own_while_there_are_enough(specs: list[MatchSpec]) -> None:
    cores = usable_cores()
    isolated = [replace(spec, isolations=(Isolation.PROCESS, Isolation.PROCESS)) for spec in specs[:4]]
    with local_executor(2) as executor:
        assert isinstance(executor, WorkerExecutor)
        for _ in executor.play(enumerate(isolated)):
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
    run_matches([replace(specs[0], isolations=(Isolation.PROCESS, Isolation.PROCESS))], 1)
    assert usable_cores() == before
