"""A match as its GameManager sees it, and the GameManager itself; the options of maps, formats and such that have none."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import Generic, TypeVar

from tiltyard_engine.data_classes import dataclass, field
from tiltyard_engine.replay import NullRecorder, Recorder
from tiltyard_engine.results import GameResult
from tiltyard_engine.seats import Seat

M = TypeVar("M")
"""A game's map type."""
S = TypeVar("S", bound=Seat)


@dataclass(frozen=True, slots=True)
class NoOptions:
    """The options of what has none."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Match(Generic[M, S]):
    """Everything that a GameManager needs for one match."""

    map: M
    map_name: str
    seats: Sequence[S]
    """Seat 1 first."""
    seed: int = 0
    """For managers with chance in their rules: the only source of randomness they may use."""
    recorder: Recorder = field(default_factory=NullRecorder)
    verbose: bool = False
    """Whether the result's ``log`` is wanted."""


class GameManager(ABC, Generic[M, S]):
    """The referee: plays one match to its result. A new one is created for each match, without arguments."""

    @abstractmethod
    def run(self, match: Match[M, S]) -> GameResult:
        """Play ``match`` by this manager's rules."""
