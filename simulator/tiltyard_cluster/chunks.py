"""Chunks: enough matches to keep a machine busy for a moment, and few enough that little is lost with it.

A chunk takes 0.25 to 1 s, and more on a large cluster, where Dask could not carry so many messages. How long matches take is learnt
as they come back; before that, each is a chunk of its own.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable
from dataclasses import dataclass, field
from math import inf
from typing import Final

from tiltyard_simulator.match.spec import MatchInput, MatchSpec

WANTED_SECONDS: Final = 0.5
"""A chunk takes no more matches once it is expected to take so long."""
MOST_SECONDS: Final = 1.0
"""Two matches are not in one chunk if it is expected to take longer than that, or than twice what is wanted on a large cluster."""
MESSAGE_SECONDS: Final = 0.005
"""Chunks are so long that one is handed out no more often than this: Dask's scheduler needs about half of it for each."""
MOST_MATCHES: Final = 500
SUSPECT_LOSSES: Final = 2
"""A match that lost so many machines has its next one for itself, and then it is known whether it is to blame."""
OVERDUE_SECONDS: Final = 30.0
"""A chunk that takes less is never overdue."""
OVERDUE_FACTOR: Final = 10.0
"""One that takes so many times what its matches take on average is, unless"""
OVERDUE_LONGEST: Final = 2.0
"""that is less than so many times the longest such matches so far: some teams think as long as they may."""
OVERDUE_UNKNOWN_SECONDS: Final = 600.0
"""After so long one is overdue that has a match on a map of which nothing is known yet."""


@dataclass(slots=True, eq=False)
class PendingMatch:
    """A match that was handed out, and what was seen of earlier attempts at it."""

    spec: MatchSpec
    incidents: list[str] = field(default_factory=list)
    lost: int = 0
    """Machines that were lost while they played it."""
    out: int = 0
    """Machines that have it and have not answered."""
    late: int = 0
    """Those of them that are overdue with it."""
    settled_by: str = ""
    """The machine whose result counts, once there is one."""
    fingerprint: bytes = b""
    """Of that result, where another machine's is still to come."""

    @property
    def is_suspect(self) -> bool:
        """Whether it may be what those machines died of: then no other match is played beside it."""
        return self.lost >= SUSPECT_LOSSES


def wanted_seconds(threads: int) -> float:
    """How long a chunk should take where so many matches are played at once."""
    return max(WANTED_SECONDS, threads * MESSAGE_SECONDS)


class MatchTimes:
    """What matches take, as far as is known."""

    def __init__(self) -> None:
        self._totals: dict[tuple[object, ...], tuple[int, float, float]] = {}
        """How many matches, the sum of their seconds, and the most seconds of one."""

    def learn(self, match: MatchInput, seconds: float) -> None:
        """A match took so long, in wall time of the machine that played it."""
        for key in _keys(match):
            count, total, longest = self._totals.get(key, (0, 0.0, 0.0))
            self._totals[key] = (count + 1, total + seconds, max(longest, seconds))

    def expected(self, match: MatchInput) -> float | None:
        """The mean of those of the same teams on the same map, else of the map, else of all; None while nothing is known."""
        key = next((key for key in _keys(match) if key in self._totals), None)
        return None if key is None else self._mean(key)

    def typical(self) -> float:
        """The mean of all matches; infinite while nothing is known."""
        return self._mean(()) if self._totals else inf

    def most(self, matches: Iterable[MatchInput]) -> float:
        """How long these may take, one after the other, until something may be wrong with their machine."""
        total = 0.0
        for match in matches:
            # What other maps take tells nothing about this one.
            key = next((key for key in _keys(match) if key and key in self._totals), None)
            if key is None:
                return max(OVERDUE_SECONDS, OVERDUE_UNKNOWN_SECONDS)
            total += max(OVERDUE_FACTOR * self._mean(key), OVERDUE_LONGEST * self._totals[key][2])
        return max(OVERDUE_SECONDS, total)

    def _mean(self, key: tuple[object, ...]) -> float:
        count, total, _ = self._totals[key]
        return total / count


def _keys(match: MatchInput) -> tuple[tuple[object, ...], ...]:
    return (match.map.name, *sorted(match.names)), (match.map.name,), ()


class Chunks:
    """Matches that wait for a machine. They are cut into chunks as they come, and lost ones come back.

    Args:
        times: what matches take.
    """

    def __init__(self, times: MatchTimes) -> None:
        self.seconds = WANTED_SECONDS
        """How long a chunk should take, if there are enough matches; 0: each match is a chunk."""
        self._times = times
        self._filling: list[PendingMatch] = []
        """The chunk that further matches are added to,"""
        self._expected = 0.0
        """and how long that is expected to take."""
        self._whole: deque[list[PendingMatch]] = deque()
        self._lost: deque[PendingMatch] = deque()
        self._suspects: deque[PendingMatch] = deque()

    def add(self, pending: PendingMatch) -> None:
        """Add a match to the last chunk, or begin another one if that would take too long."""
        most = self.seconds * MOST_SECONDS / WANTED_SECONDS
        seconds = self._times.expected(pending.spec.input)
        if self._filling and (seconds is None or self._expected + seconds > most):
            self.end_chunk()
        self._filling.append(pending)
        self._expected += most if seconds is None else seconds
        if self._expected >= self.seconds or len(self._filling) >= MOST_MATCHES:
            self.end_chunk()

    def end_chunk(self) -> None:
        """Have nothing added to the last chunk any more, whether it is long enough or not."""
        if self._filling:
            self._whole.append(self._filling)
            self._filling, self._expected = [], 0.0

    def put_back(self, pending: PendingMatch) -> None:
        """Play it again, as a chunk of its own, unless it was settled or another machine still has it."""
        if pending.settled_by or pending.out:
            return
        (self._suspects if pending.is_suspect else self._lost).append(pending)

    def put_back_whole(self, chunks: Iterable[list[PendingMatch]]) -> None:
        """Take back, in their order, what ``next`` gave and nobody can play yet: it comes before what came later."""
        self._whole.extendleft(reversed(list(chunks)))

    def clear(self) -> None:
        """Forget all of them."""
        self._filling, self._expected = [], 0.0
        for waiting in (self._whole, self._lost, self._suspects):
            waiting.clear()

    @property
    def has_suspects(self) -> bool:
        """Whether the next chunk is to be a machine's only one."""
        return bool(self._suspects)

    def __len__(self) -> int:
        """How many chunks wait for a machine; without one that matches are still added to."""
        return len(self._suspects) + len(self._lost) + len(self._whole)

    def next(self) -> list[PendingMatch]:
        """The next chunk; there must be one."""
        for again in (self._suspects, self._lost):
            if again:
                return [again.popleft()]
        return self._whole.popleft()
