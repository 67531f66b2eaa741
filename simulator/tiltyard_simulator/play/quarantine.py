"""Quarantine: a team with many faults does not play any more, and all its matches count as forfeits.

When that begins depends only on the schedule, never on which match ends first: a match is not played if one of its teams had its
last allowed fault in an earlier match of the schedule. If it was played already, its result does not count. Earlier matches were
played, and formats have drawn others by what came of them; but in the end they count as forfeits too. Otherwise, of two equal
teams, the one that met this team later would stand before the other.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import replace
from typing import Final

from tiltyard_engine.claims import judge
from tiltyard_engine.match_record import NO_CLAIM, MatchRecord
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
        """What was known of each match when its turn came in the schedule, from the first match on."""

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

    def counted(self, matches: Sequence[MatchSpec], records: Sequence[MatchRecord]) -> list[MatchRecord]:
        """What counts of matches now that it is known who is in quarantine; the records in the order of the matches."""
        out = {team.label for team, faults in self._faults.items() if self._most and faults >= self._most}
        if not out:
            return list(records)
        # What the machine spoilt needs no other end any more.
        ended = [(record.is_void and self.forfeit(spec)) or record for spec, record in zip(matches, records, strict=True)]
        return counted_as_forfeits(ended, out)

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


def counted_as_forfeits(records: Sequence[MatchRecord], out: Collection[str]) -> list[MatchRecord]:
    """The records, those of teams in quarantine as what they count as: their forfeits, whatever came of them."""
    return [_counted(record, [seat for seat, name in enumerate(record.teams, start=1) if name in out]) for record in records]


def _counted(record: MatchRecord, seats: Sequence[int]) -> MatchRecord:
    more = tuple(seat for seat in seats if seat not in record.forfeits)
    if not more:
        return record
    absent = [Fault(seat, Termination.FORFEIT, "", 0) for seat in (*more, *record.forfeits)]
    winner, ranks = judge(NO_CLAIM, absent, len(record.teams))
    return replace(record, winner=winner, ranks=ranks, forfeited=more)


def faults_in_quarantine(records: Iterable[MatchRecord]) -> dict[str, tuple[int, int]]:
    """Of each team in quarantine, in how many matches it failed, and how many count as its forfeits."""
    found: dict[str, tuple[int, int]] = {}
    for record in records:
        absent = record.forfeits if record.reason == QUARANTINE else record.forfeited
        at_fault = {record.blamed(fault.seat) for fault in record.faults if fault.seat and fault.termination not in HARMLESS}
        for name in {record.teams[seat - 1] for seat in absent}:
            faults, forfeits = found.get(name, (0, 0))
            found[name] = faults + (name in at_fault), forfeits + 1
    return found
