from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import pytest
from tests.conftest import DUEL, map_text

from tiltyard_engine.errors import UserError
from tiltyard_engine.registry import Reference
from tiltyard_simulator.running import available_cores, run_matches
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


def test_a_worker_that_dies_is_named_with_its_match(specs: list[MatchSpec], teams: Teams) -> None:
    deadly = replace(specs[0], algorithms=(teams["idler"], teams["dier"]))
    with pytest.raises(UserError, match=r"a worker process died.*idler against dier on duel5"):
        run_matches([*specs[:3], deadly, *specs[3:]], 2)


def test_the_last_match_is_named_too_if_it_kills_its_worker(specs: list[MatchSpec], teams: Teams) -> None:
    deadly = replace(specs[0], algorithms=(teams["dier"], teams["idler"]))
    with pytest.raises(UserError, match=r"dier against idler on duel5$"):
        run_matches([specs[0], specs[1], deadly], 2)


def test_at_most_as_many_matches_are_blamed_as_were_being_played(specs: list[MatchSpec], teams: Teams) -> None:
    deadly = replace(specs[0], algorithms=(teams["dier"], teams["idler"]))
    with pytest.raises(UserError) as caught:
        run_matches([deadly, *specs], 2)
    assert str(caught.value).count(" against ") <= 2
    assert "dier against idler" in str(caught.value)


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
