"""Ends a schedule in which no match can succeed: a GameManager, or the machine, fails each one in the same way."""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Iterable
from itertools import chain
from typing import Final

from tiltyard_engine.errors import UserError
from tiltyard_engine.match_record import Outcome
from tiltyard_engine.results import MANAGER_SEAT, Fault, Termination
from tiltyard_engine.texts.sanitize import one_line, printable, quoted
from tiltyard_simulator.match.spec import MatchSpec

MOST_FAILURES: Final = 3
"""Matches that a GameManager fails, all of those that have ended."""
MOST_VOIDS: Final = 10
"""Likewise the machine, which may recover by itself."""
_NUMBER: Final = re.compile(r"\d+(?:\.\d+)?")


class EarlyEndError(UserError):
    """No match of a schedule has succeeded, and none can be expected to."""


class FailureWatch:
    """Looks at the first matches of a run. As soon as one has a result, all others are played whatever happens in them.

    One team, or one map, may be what a GameManager can't cope with. So after some failures, matches come first that have least in
    common with all of them, and the run ends where no match is left that has less.

    Args:
        ends_nothing: all matches are played in any case, in their order.
    """

    def __init__(self, *, ends_nothing: bool = False) -> None:
        self.is_over = ends_nothing
        """Whether a match had a result, or failed in another way."""
        self._failures = 0
        self._way: tuple[Termination, str] | None = None
        self._common: frozenset[str] = frozenset()
        """The teams and the map of all matches that have failed."""
        self._flying: dict[int, MatchSpec] = {}

    def take(self, waiting: deque[MatchSpec]) -> MatchSpec:
        """The match to play next, removed from those that wait."""
        number = 0
        if not self.is_over and self._failures >= MOST_FAILURES:
            number = min(range(len(waiting)), key=lambda each: self._shared(waiting[each]))
        spec = waiting[number]
        del waiting[number]
        if not self.is_over:
            self._flying[spec.place.number] = spec
        return spec

    def end(self, spec: MatchSpec, outcome: Outcome, waiting: Iterable[MatchSpec]) -> None:
        """A match that was taken has ended.

        Args:
            spec: the match.
            outcome: what came of it.
            waiting: the matches that were not taken yet.

        Raises:
            EarlyEndError: there is no point in playing the others.
        """
        self._flying.pop(spec.place.number, None)
        fault = self.add(spec, outcome)
        others = chain(self._flying.values(), waiting)
        if fault is None or self._failures < _most(fault) or any(self._shared(each) < len(self._common) for each in others):
            return
        if any(True for _ in chain(self._flying.values(), waiting)):
            raise EarlyEndError(self._text(outcome, fault))

    def add(self, spec: MatchSpec, outcome: Outcome) -> Fault | None:
        """Look at a match that has ended; its fault, if all matches so far have failed in this way."""
        if self.is_over:
            return None
        fault = next((each for each in outcome.faults if each.seat == MANAGER_SEAT or each.termination is Termination.VOID), None)
        if not outcome.played:
            # A failure in an earlier run may have been mended since then, without other code.
            self.is_over = fault is None and not outcome.is_forfeit
            return None
        way = None if fault is None else (fault.termination, _NUMBER.sub("", fault.message))
        if way is None or self._way not in (None, way):
            self.is_over = True
            self._flying.clear()
            return None
        self._common = self._common & _parts(spec) if self._failures else _parts(spec)
        self._way = way
        self._failures += 1
        return fault

    def is_hopeless(self, fault: Fault | None) -> bool:
        """Whether no match can be expected to succeed, where nobody knows what would be played: a league."""
        return fault is not None and self._failures >= (_most(fault) if not self._common else MOST_VOIDS)

    def _shared(self, spec: MatchSpec) -> int:
        return len(self._common & _parts(spec))

    def _text(self, outcome: Outcome, fault: Fault) -> str:
        void = fault.termination is Termination.VOID
        who = "the machine" if void else printable(outcome.blamed(MANAGER_SEAT))
        failed = f"{who} failed in all of the first {self._failures} games, always in the same way: {fault.termination.value}"
        todo = "fix the machine" if void else "fix the GameManager"
        parts = [
            f"{failed}: {one_line(fault.message)}",
            *([quoted(fault.traceback.rstrip())] if fault.traceback else []),
            f"The other games weren't played: {todo}, then start the run again. Stored results are kept.",
        ]
        return "\n".join(parts)


def _most(fault: Fault) -> int:
    return MOST_VOIDS if fault.termination is Termination.VOID else MOST_FAILURES


def _parts(spec: MatchSpec) -> frozenset[str]:
    return frozenset([f"map {spec.input.map.name}", *(f"team {name}" for name in spec.input.names)])
