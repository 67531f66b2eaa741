"""Quarantine: a team with many faults plays no more; its later matches are forfeits.

What is later follows the schedule alone, never who finishes first: a match is a forfeit if one of its teams had its
last allowed fault in a match before it in the schedule. One that was played ahead all the same does not count.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Final

from tiltyard_engine.registry import Reference
from tiltyard_engine.results import Fault, GameResult, Termination
from tiltyard_simulator.judging import judge
from tiltyard_simulator.specs import MatchOutcome, MatchSpec

DEFAULT_FAULTS: Final = 10
HARMLESS: Final = frozenset([Termination.NORMAL, Termination.ILLEGAL_MOVE, Termination.FORFEIT, Termination.VOID])
"""What is no sign of broken code: rules that a beginner breaks, matches that were not played, the machine's failures."""


class Quarantine:
    """Takes outcomes as they come and settles them in the order of the schedule.

    Args:
        faults: how many matches with a fault of its own a team may have; 0: any number.
    """

    def __init__(self, faults: int = DEFAULT_FAULTS) -> None:
        self._most = faults
        self._waiting: dict[int, tuple[MatchSpec, MatchOutcome]] = {}
        self._faults: dict[Reference, int] = {}
        self.settled: list[MatchOutcome] = []
        """Outcomes that nothing changes any more, from the first match on."""

    def add(self, place: int, spec: MatchSpec, outcome: MatchOutcome) -> None:
        """Take the outcome of a match, in any order."""
        self._waiting[place] = (spec, outcome)
        while len(self.settled) in self._waiting:
            self._settle(*self._waiting.pop(len(self.settled)))

    def forfeit(self, spec: MatchSpec) -> MatchOutcome | None:
        """The outcome of a match that need not be played; None if it has to be, as far as is known yet."""
        if not self._most or not self._faults:
            return None
        out = [seat for seat, team in enumerate(spec.algorithms, start=1) if self._faults.get(team, 0) >= self._most]
        if not out:
            return None
        message = f"quarantined after {self._most} matches with faults: not played"
        faults = tuple(Fault(seat, Termination.FORFEIT, message, 0) for seat in out)
        claim = GameResult(
            0, "FORFEIT", 0, (), message=f"Not played: {', '.join(spec.names[seat - 1] for seat in out)} quarantined"
        )
        winner, ranks = judge(claim, faults, len(spec.algorithms))
        return MatchOutcome(claim, winner, ranks, faults)

    def _settle(self, spec: MatchSpec, outcome: MatchOutcome) -> None:
        outcome = self.forfeit(spec) or outcome
        self.settled.append(outcome)
        at_fault = {spec.algorithms[fault.seat - 1] for fault in outcome.faults if fault.seat and fault.termination not in HARMLESS}
        for team in at_fault:
            self._faults[team] = self._faults.get(team, 0) + 1


def settle(games: Iterable[tuple[MatchSpec, MatchOutcome]], faults: int = DEFAULT_FAULTS) -> list[MatchOutcome]:
    """What games in the order of the schedule come to; those that are missing among them are passed over."""
    quarantine = Quarantine(faults)
    for place, (spec, outcome) in enumerate(games):
        quarantine.add(place, spec, outcome)
    return quarantine.settled


def forfeits_by_team(games: Sequence[tuple[MatchSpec, MatchOutcome]]) -> dict[str, int]:
    """How many matches each team forfeited; teams without any are left out."""
    found: dict[str, int] = {}
    for spec, outcome in games:
        for fault in outcome.faults:
            if fault.seat and fault.termination is Termination.FORFEIT:
                found[spec.names[fault.seat - 1]] = found.get(spec.names[fault.seat - 1], 0) + 1
    return found
