"""A run in which no match can succeed ends after a few; one in which some can goes on."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from itertools import permutations
from pathlib import Path

import pytest
from tests.conftest import DUEL, map_text
from tests.engine.making import write
from tests.made_specs import made_spec, spec_with

from tiltyard_engine.match_record import MatchRecord, Outcome
from tiltyard_engine.registry import Reference, Registry
from tiltyard_engine.registry.registry import MANAGER
from tiltyard_engine.registry.sources import Origin, Source
from tiltyard_simulator.match.spec import MapSource, MatchSpec
from tiltyard_simulator.play.executor import record_refusal
from tiltyard_simulator.play.failure_watch import MOST_FAILURES, MOST_VOIDS, EarlyEndError, FailureWatch
from tiltyard_simulator.play.local_matches import run_matches

TEAMS = ("shooter", "idler", "spinner", "liar", "crasher")
MANAGERS = """
from tiltyard_engine import GameManager, Manager, hookimpl
from tiltyard_tanks.manager import TanksGameManager

class Failing(TanksGameManager):
    def __init__(self, why):
        super().__init__()
        self.why = why

    def run(self, match):
        names = [match.map_name, *[seat.name for seat in match.seats]]
        if self.why in names or self.why == "always":
            raise ValueError(f"no rule for round {len(names[1])}")
        if self.why == "otherwise":
            raise ValueError(f"no rule for {names}")
        return super().run(match)

@hookimpl
def game_managers():
    for why in ("always", "otherwise", "shooter", "first map"):
        yield Manager(name=why, game="tanks", create=lambda why=why: Failing(why))
"""


@pytest.fixture
def managers(tmp_path: Path) -> Mapping[str, Reference]:
    found = Registry.from_paths([write(tmp_path / "managers.py", MANAGERS)])
    assert found.failures() == []
    return {entry.name: entry.reference for entry in found.all(MANAGER)}


@pytest.fixture
def specs(tanks: Reference, reference_manager: Reference, teams: Mapping[str, Reference]) -> list[MatchSpec]:
    """Map by map, and the first team's matches before all others."""
    return [
        made_spec(
            game=tanks,
            manager=reference_manager,
            map=MapSource(name, map_text(DUEL, 5, 5).encode()),
            teams=(teams[one], teams[two]),
        )
        for name in ("first map", "second map")
        for one, two in permutations(TEAMS, 2)
    ]


def play(specs: list[MatchSpec], watch: FailureWatch | None, workers: int = 1) -> tuple[list[Outcome], list[MatchRecord]]:
    """The settled outcomes, and those of matches as they ended."""
    ended: list[MatchRecord] = []
    settled = run_matches(specs, workers, lambda _, record: ended.append(record), watch=watch)
    return [replace(record, seconds=0.0) for record in settled], ended


@pytest.mark.parametrize("workers", [1, 2])
def test_a_manager_that_fails_each_match_in_the_same_way(
    specs: list[MatchSpec], managers: Mapping[str, Reference], workers: int
) -> None:
    failing = [spec_with(spec, manager=managers["always"]) for spec in specs]
    ended: list[MatchRecord] = []
    with pytest.raises(EarlyEndError) as raised:
        run_matches(failing, workers, lambda _, record: ended.append(record), watch=FailureWatch())
    # At most one for each thing that the first ones have in common.
    assert MOST_FAILURES <= len(ended) <= MOST_FAILURES + 2 + workers
    assert not set.intersection(*({record.outcome.map, *record.outcome.teams} for record in ended))
    first, *traceback, last = str(raised.value).splitlines()
    assert first == (
        f"GameManager always failed in all of the first {len(ended)} games, always in the same way: crash:"
        f" run() raised ValueError: {ended[-1].outcome.faults[0].message.partition(': ')[2]}"
    )
    assert 'managers.py", line 13' in "\n".join(traceback)
    assert last == "The other games weren't played: fix the GameManager, then start the run again. Stored results are kept."


@pytest.mark.parametrize("why", ["shooter", "first map", "otherwise", "nothing"])
def test_all_others_are_played(
    specs: list[MatchSpec], managers: Mapping[str, Reference], reference_manager: Reference, why: str
) -> None:
    """Where it can't cope with one team or one map, or fails in several ways, or not at all."""
    some = [spec_with(spec, manager=managers.get(why, reference_manager)) for spec in specs]
    watched, ended = play(some, FailureWatch())
    assert watched == play(some, None)[0]
    assert len(ended) == len(specs)
    failed = sum(outcome.manager_fault is not None for outcome in watched)
    assert failed == {"shooter": 16, "first map": 20, "otherwise": 40, "nothing": 0}[why]


def test_nothing_is_stopped_where_nothing_is_left(specs: list[MatchSpec], managers: Mapping[str, Reference]) -> None:
    failing = [spec_with(spec, manager=managers["always"]) for spec in specs[:MOST_FAILURES]]
    assert len(play(failing, FailureWatch())[0]) == MOST_FAILURES


def test_matches_of_two_teams_on_one_map(specs: list[MatchSpec], managers: Mapping[str, Reference]) -> None:
    """All have everything in common, and nothing else can be tried."""
    failing = [spec_with(spec, manager=managers["always"], seed=seed) for seed in range(9) for spec in specs[:1]]
    ended: list[MatchRecord] = []
    with pytest.raises(EarlyEndError):
        run_matches(failing, 1, lambda _, record: ended.append(record), watch=FailureWatch())
    assert len(ended) == MOST_FAILURES


def test_a_machine_that_fails_each_match(specs: list[MatchSpec], tmp_path: Path) -> None:
    gone = Source(name="gone", origin=Origin.FILE, value=str(tmp_path / "gone.py"))
    lost = [spec_with(spec, game=replace(spec.input.game, source=gone)) for spec in specs]
    ended: list[MatchRecord] = []
    with pytest.raises(EarlyEndError, match=r"^the machine failed in all of the first") as raised:
        run_matches(lost, 1, lambda _, record: ended.append(record), refused=record_refusal, watch=FailureWatch())
    assert MOST_VOIDS <= len(ended) <= MOST_VOIDS + 3
    assert str(raised.value).endswith("fix the machine, then start the run again. Stored results are kept.")


def test_a_result_of_an_earlier_run_counts_and_a_failure_does_not(
    specs: list[MatchSpec], managers: Mapping[str, Reference]
) -> None:
    (good,) = play(specs[:1], None)[0]
    (bad,) = play([spec_with(specs[0], manager=managers["always"])], None)[0]
    watch = FailureWatch()
    for _ in range(2 * MOST_FAILURES):
        watch.end(specs[0], replace(bad, played=False), specs[1:])
    assert not watch.is_over
    watch.end(specs[0], replace(good, played=False), specs[1:])
    for _ in range(2 * MOST_FAILURES):
        watch.end(specs[0], bad, specs[1:])
    assert watch.is_over
