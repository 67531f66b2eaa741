"""What a team's code for a turn-based game consists of: one object that chooses."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any, Generic, TypeVar

P = TypeVar("P")
"""A game's position type: a frozen dataclass of plain values."""
A = TypeVar("A")
"""A game's answer type: a frozen dataclass of plain values, or a plain value."""


class TurnAlgorithm(ABC, Generic[P, A]):
    """One seat's brain in a turn-based game. Its factory is called with ``(seat)``, counted from 1."""

    rules: Any = None
    """The game's ``Rules``, where it states them: to look ahead with. Set before ``start``, unless the algorithm has its own."""

    def start(self, position: P) -> None:
        """See the first position, once, before anybody's first turn. Doing nothing is fine."""

    @abstractmethod
    def choose(self, position: P) -> A:
        """The answer for this turn, of the game's answer type."""
