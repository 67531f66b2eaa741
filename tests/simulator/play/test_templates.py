"""Matches whose cells come from templates go as matches whose cells load their teams themselves."""

from __future__ import annotations

from dataclasses import replace

import pytest
from tests.made_records import changed
from tests.made_specs import made_spec

from tiltyard_engine.match_record import MatchRecord
from tiltyard_engine.registry import Registry
from tiltyard_engine.registry.registry import ALGORITHM, MANAGER
from tiltyard_simulator.guard.cell_pool import TEMPLATES_VARIABLE
from tiltyard_simulator.guard.confinement.probes import probe_confinement
from tiltyard_simulator.guard.policy import Level
from tiltyard_simulator.match.isolation import Isolation
from tiltyard_simulator.match.spec import MatchSpec
from tiltyard_simulator.play.arena import Arena
from tiltyard_simulator.registry.finder import Finder

PAIRS = (("acorn", "bramble"), ("bramble", "coyote"), ("coyote", "coyote"))
ROUNDS = 2


def schedule(manager_too: bool) -> list[MatchSpec]:
    """Pairs of the sample teams, to be played again and again, so that nearly all cells come from templates."""
    registry = Registry.installed()
    manager = registry.find(MANAGER, "reference").reference
    game = Finder(registry).game(manager.game)
    board = Finder(registry).map("back-yard", game.name)
    sandbox = (Isolation.SANDBOX,) * 2
    return [
        made_spec(
            game=game,
            manager=manager,
            map=board,
            teams=(registry.find(ALGORITHM, one).reference, registry.find(ALGORITHM, other).reference),
            isolations=sandbox,
            manager_isolation=Isolation.SANDBOX if manager_too else Isolation.INLINE,
            replay=True,
            rounds=30,
        )
        for one, other in PAIRS
    ]


def played(specs: list[MatchSpec]) -> list[MatchRecord]:
    with Arena() as arena:
        return [timeless(arena.play(spec)) for spec in specs]


def timeless(record: MatchRecord) -> MatchRecord:
    """The record without times and memory."""
    accounts = tuple(replace(account, cpu_seconds=0, wall_seconds=0, peak_bytes=0) for account in record.evidence.accounts)
    return changed(record, seconds=0, accounts=accounts, manager_account=None)


def test_results_are_the_same_with_templates_and_without(monkeypatch: pytest.MonkeyPatch) -> None:
    if probe_confinement().level is Level.C:
        pytest.skip("there are no templates at level C")
    specs = [*schedule(manager_too=False), *schedule(manager_too=True)]
    with_templates = played(specs * ROUNDS)
    monkeypatch.setenv(TEMPLATES_VARIABLE, "off")
    assert with_templates == played(specs) * ROUNDS
    assert all(not record.outcome.faults and record.evidence.replay for record in with_templates)
