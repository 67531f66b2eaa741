"""Quarantine: a team with many faults does not play any more, and its later matches are forfeits.

What is later depends only on the schedule, never on which match ends first: a match is a forfeit if one of its teams had its last
allowed fault in an earlier match of the schedule. If it was played already, its result does not count.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Final

from tiltyard_engine.claims import judge
from tiltyard_engine.match_record import MatchRecord
from tiltyard_engine.quantities import counted
from tiltyard_engine.registry import Reference
from tiltyard_engine.results import Fault, GameResult, Termination
from tiltyard_simulator.match.spec import MatchSpec

DEFAULT_FAULTS: Final = 10
QUARANTINE: Final = "FORFEIT"
"""The reason of a match that was not played because of it."""
HARMLESS: Final = frozenset([Termination.NORMAL, Termination.ILLEGAL_MOVE, Termination.FORFEIT, Termination.VOID])
"""No sign of broken code: illegal moves, matches that were not played, failures of the machine."""


class Quarantine:
    """Takes records in any order, and settles them in the order of the schedule.

    Args:
        faults: how many matches with a fault of its own a team may have; 0: any number.
    """

    def __init__(self, faults: int = DEFAULT_FAULTS) -> None:
        self._most = faults
        self._waiting: dict[int, tuple[MatchSpec, MatchRecord]] = {}
        self._faults: dict[Reference, int] = {}
        self.settled: list[MatchRecord] = []
        """The final records, from the first match on."""

    def add(self, spec: MatchSpec, record: MatchRecord) -> None:
        """Take the record of a match, in any order."""
        self._waiting[spec.place] = (spec, record)
        while len(self.settled) in self._waiting:
            self._settle(*self._waiting.pop(len(self.settled)))

    def forfeit(self, spec: MatchSpec) -> MatchRecord | None:
        """The record of a match that is a forfeit; None if it must be played, as far as is known."""
        if not self._most or not self._faults:
            return None
        out = [seat for seat, team in enumerate(spec.algorithms, start=1) if self._faults.get(team, 0) >= self._most]
        if not out:
            return None
        return forfeit_record(spec, out, f"quarantined after {counted(self._most, 'match', 'matches')} with faults", "quarantined")

    def _settle(self, spec: MatchSpec, record: MatchRecord) -> None:
        record = self.forfeit(spec) or record
        self.settled.append(record)
        at_fault = {spec.algorithms[fault.seat - 1] for fault in record.faults if fault.seat and fault.termination not in HARMLESS}
        for team in at_fault:
            self._faults[team] = self._faults.get(team, 0) + 1


def forfeit_record(spec: MatchSpec, seats: Sequence[int], why: str, word: str, reason: str = QUARANTINE) -> MatchRecord:
    """The record of a match that was not played because of these seats' teams; ``why`` in full and in one word."""
    faults = tuple(Fault(seat, Termination.FORFEIT, f"{why}: not played", 0) for seat in seats)
    message = f"Not played: {', '.join(spec.names[seat - 1] for seat in seats)} {word}"
    claim = GameResult(0, reason, 0, (), message=message)
    winner, ranks = judge(claim, faults, len(spec.algorithms))
    return spec.label(MatchRecord(claim=claim, winner=winner, ranks=ranks, faults=faults, played=False))


def forfeits_by_team(records: Iterable[MatchRecord]) -> dict[str, int]:
    """How many matches each team forfeited in quarantine. Teams without such forfeits are left out."""
    found: dict[str, int] = {}
    for record in records:
        for fault in record.faults if record.reason == QUARANTINE else ():
            if fault.seat and fault.termination is Termination.FORFEIT:
                found[record.teams[fault.seat - 1]] = found.get(record.teams[fault.seat - 1], 0) + 1
    return found
