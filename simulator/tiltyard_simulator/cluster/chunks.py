"""Chunks: so many matches that a machine is busy for a moment, and not so many that much is lost with it.

A chunk takes 0.25 to 1 s. What a match takes is learnt as matches come back; before that each is a chunk of its own.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass, field
from math import inf
from typing import Final

from tiltyard_simulator.specs import MatchSpec

WANTED_SECONDS: Final = 0.5
"""A chunk takes no more matches once it is expected to take so long."""
MOST_SECONDS: Final = 1.0
"""Two matches are not in one chunk if it is expected to take longer than that."""
MOST_MATCHES: Final = 500
SUSPECT_LOSSES: Final = 2
"""A match that lost so many machines has its next one for itself, and then it is known whether it is to blame."""


@dataclass(slots=True)
class Begun:
    """A match that was handed out, and what was seen of earlier attempts at it."""

    place: int
    spec: MatchSpec
    incidents: list[str] = field(default_factory=list)
    lost: int = 0
    """Machines that were lost while they played it."""

    @property
    def is_suspect(self) -> bool:
        """Whether it may be what those machines died of: then no other match is played beside it."""
        return self.lost >= SUSPECT_LOSSES


@dataclass(slots=True)
class _Mean:
    count: int = 0
    seconds: float = 0.0

    def add(self, seconds: float) -> None:
        self.count += 1
        self.seconds += (seconds - self.seconds) / self.count


class MatchTimes:
    """What matches take, as far as is known."""

    def __init__(self) -> None:
        self._means: dict[tuple[object, ...], _Mean] = {}

    def learn(self, spec: MatchSpec, seconds: float) -> None:
        """A match took so long, in wall time of the machine that played it."""
        for key in _keys(spec):
            self._means.setdefault(key, _Mean()).add(seconds)

    def expected(self, spec: MatchSpec) -> float | None:
        """The mean of those of the same teams on the same map, else of the map, else of all; None while nothing is known."""
        return next((mean.seconds for key in _keys(spec) if (mean := self._means.get(key)) is not None), None)

    def typical(self) -> float:
        """The mean of all matches; infinite while nothing is known."""
        mean = self._means.get(())
        return inf if mean is None else mean.seconds


def _keys(spec: MatchSpec) -> tuple[tuple[object, ...], ...]:
    return (spec.map.name, *sorted(spec.names)), (spec.map.name,), ()


class Chunks:
    """Cuts a schedule into chunks, and takes back what was lost.

    Args:
        matches: the schedule; a match is taken out of it only for a machine that can begin it.
        times: what matches take.
    """

    def __init__(self, matches: Iterator[tuple[int, MatchSpec]], times: MatchTimes) -> None:
        self._matches = matches
        self._times = times
        self._held: deque[Begun] = deque()
        """Taken out, and too long for the chunk that was being filled."""
        self._lost: deque[Begun] = deque()
        self._suspects: deque[Begun] = deque()

    def again(self, begun: Begun) -> None:
        """To be played again, as a chunk of its own."""
        (self._suspects if begun.is_suspect else self._lost).append(begun)

    @property
    def has_suspects(self) -> bool:
        """Whether the next chunk is to be a machine's only one."""
        return bool(self._suspects)

    def has_more(self) -> bool:
        """Whether there is a next chunk; to know it a match may have to be taken out of the schedule."""
        if not (self._suspects or self._lost or self._held) and (begun := self._take()) is not None:
            self._held.append(begun)
        return bool(self._suspects or self._lost or self._held)

    def next(self) -> list[Begun]:
        """The next chunk; empty where all has been handed out."""
        for again in (self._suspects, self._lost):
            if again:
                return [again.popleft()]
        chunk: list[Begun] = []
        total = 0.0
        while total < WANTED_SECONDS and len(chunk) < MOST_MATCHES and (begun := self._take()) is not None:
            seconds = self._times.expected(begun.spec)
            if chunk and (seconds is None or total + seconds > MOST_SECONDS):
                self._held.append(begun)
                break
            chunk.append(begun)
            total += MOST_SECONDS if seconds is None else seconds
        return chunk

    def _take(self) -> Begun | None:
        if self._held:
            return self._held.popleft()
        match = next(self._matches, None)
        return None if match is None else Begun(*match)
