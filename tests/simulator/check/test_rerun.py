from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import pytest
from tests.conftest import DUEL, map_text

from tiltyard_engine.errors import UserError
from tiltyard_engine.registry import Reference, Trust
from tiltyard_simulator.check.rerun import check_trust, play_again
from tiltyard_simulator.guard.confinement import Confinement, Level
from tiltyard_simulator.match.isolation import Isolation
from tiltyard_simulator.match.spec import MapSource, MatchSpec
from tiltyard_simulator.play import isolation_policy
from tiltyard_simulator.play.isolation_policy import IsolationPolicy

SOURCE = MapSource("duel", map_text(DUEL, 20, 5).encode())
INLINE, PROCESS, SANDBOX = Isolation.INLINE, Isolation.PROCESS, Isolation.SANDBOX


@pytest.fixture
def spec(tanks: Reference, reference_manager: Reference, teams: Mapping[str, Reference]) -> MatchSpec:
    return MatchSpec(
        game=tanks,
        manager=reference_manager,
        map=SOURCE,
        algorithms=(teams["crasher"], teams["idler"]),
        isolations=(PROCESS, PROCESS),
    )


def test_the_same_match(spec: MatchSpec) -> None:
    outcome = play_again(spec, IsolationPolicy())
    assert [(fault.seat, fault.round) for fault in outcome.faults] == [(1, 3)]
    assert outcome.held == ("process", "process")


@pytest.mark.parametrize("isolations", [(INLINE, PROCESS), ()])
def test_a_folder_cannot_have_a_strangers_code_run_here(spec: MatchSpec, isolations: tuple[Isolation, ...]) -> None:
    doctored = replace(spec, isolations=isolations)
    path = spec.algorithms[0].source.value
    with pytest.raises(UserError, match=f"the algorithm 'crasher' ran in-process .* use --trust {path}"):
        play_again(doctored, IsolationPolicy())
    check_trust(replace(doctored, algorithms=(spec.algorithms[0],)), IsolationPolicy(trust=Trust.of([path])))
    check_trust(doctored, IsolationPolicy(INLINE))


def test_nor_a_strangers_manager(spec: MatchSpec, managers: Mapping[str, Reference]) -> None:
    doctored = replace(spec, manager=managers["late-crash"])
    path = doctored.manager.source.value
    with pytest.raises(UserError, match=f"the game manager 'late-crash' ran in-process .* use --trust {path}"):
        play_again(doctored, IsolationPolicy())
    check_trust(doctored, IsolationPolicy(trust=Trust.of([path])))
    check_trust(replace(doctored, manager_isolation=PROCESS), IsolationPolicy())


def test_nor_a_strangers_game(spec: MatchSpec, nim: Mapping[str, Reference]) -> None:
    with pytest.raises(UserError, match="the game 'nim' ran in-process"):
        check_trust(replace(spec, game=nim["nim"]), IsolationPolicy())


def test_a_machine_that_cannot_confine(spec: MatchSpec, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(isolation_policy, "probe_confinement", lambda: Confinement(Level.C, (), ("get a kernel",)))
    sandboxed = replace(spec, isolations=(SANDBOX, SANDBOX))
    with pytest.raises(UserError, match="this machine can't confine code from outside"):
        check_trust(sandboxed, IsolationPolicy())
    check_trust(sandboxed, IsolationPolicy(unconfined=True))
    with pytest.raises(UserError, match="this machine can't confine code from outside"):
        check_trust(replace(spec, manager_isolation=SANDBOX), IsolationPolicy())
    check_trust(spec, IsolationPolicy())
