"""What a game says to those who train agents: its observations and actions as numbers.

All values are plain, so that a game needs no array library for it. Whoever trains or runs an agent makes arrays of them.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from typing import Generic

from tiltyard_engine.data_classes import dataclass
from tiltyard_engine.match import M
from tiltyard_engine.records import GameEncoding, PlayerArguments
from tiltyard_engine.tanks import ActionRequest
from tiltyard_engine.turns import A, P


@dataclass(frozen=True, slots=True, kw_only=True)
class Spaces:
    """The form of all observations and actions of a match, the same for every player."""

    shape: tuple[int, ...]
    """Of an observation."""
    actions: int
    """Actions are the numbers from 0 to one below this."""
    low: float = 0.0
    """No number of an observation is smaller."""
    high: float = 255.0
    """No number of an observation is larger."""
    fractions: bool = False
    """Whether observations have fractions. If not, their values are bytes."""


@dataclass(frozen=True, slots=True)
class Observation:
    """What a player knows when it has to act, as numbers."""

    shape: tuple[int, ...]
    values: bytes | Sequence[float]
    """All numbers, those of the last dimension side by side; bytes if they are whole numbers from 0 to 255."""
    actions: int
    """How many actions there are in all, legal or not."""
    legal: Sequence[int] | None = None
    """The actions that the rules allow now; None: all."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TurnEncoding(GameEncoding, Generic[M, P, A]):
    """Of a game whose teams are shown a position and answer it."""

    spaces: Callable[[M], Spaces]
    """``spaces(map)``"""
    observe: Callable[[P], Observation]
    """``observe(position)``: what its player knows. The first position is shown to those too who don't act in it."""
    answer: Callable[[P, int], A]
    """``answer(position, action)``: the answer for an action; for one that isn't legal, an answer that the rules reject."""


class TankMemory(ABC):
    """What one tank knows of a match: what its Player was shown, and what it did itself. It guesses the rest."""

    @abstractmethod
    def observe(self) -> Observation:
        """What it knows before its next action; actions are the numbers of ActionRequest."""

    @abstractmethod
    def acted(self, action: ActionRequest) -> None:
        """The tank asks for this action. Called once a round."""

    @abstractmethod
    def saw(self, rows: Sequence[str]) -> None:
        """The Player was shown this board, the tank itself as ``%``. Called after ``acted``."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TankEncoding(GameEncoding, Generic[M]):
    """Of a game whose teams have a Player and tanks."""

    spaces: Callable[[M], Spaces]
    """``spaces(map)``"""
    owners: Callable[[M], Sequence[int]]
    """``owners(map)``: the player of each tank, from 1, in the order in which a replay's frames list what they did."""
    is_lost: Callable[[str], bool]
    """``is_lost(text)``: whether a tank is dead after a round, by what the frame says that it did."""
    memory: Callable[[int, int, PlayerArguments], TankMemory]
    """``memory(player_index, tank_index, arguments)``: that of a new tank."""
