"""A seat: how a GameManager reaches a player. The GameManager cannot tell how the team's code is isolated."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import Generic

from tiltyard_engine.results import Fault, SeatFault, Termination
from tiltyard_engine.tanks import ActionRequest, Player, TankAlgorithm
from tiltyard_engine.turns import A, P


class Seat(ABC):
    """One player's place in a match."""

    index: int
    """From 1, the number of the player on the board."""
    name: str
    """The name under which the team's algorithm is registered."""
    fault: Fault | None
    """The seat's first fault, if it has failed. The seat itself counts the rounds."""

    @abstractmethod
    def charge(self, termination: Termination, message: str) -> SeatFault:
        """Record a fault that the rules found in this seat's answer, and return what the manager may raise."""


class TankSeat(Seat):
    """A seat with a Player and tanks."""

    player: Player

    @abstractmethod
    def create_tank(self, tank_index: int) -> TankAlgorithm:
        """A tank that can be asked; give it back to this seat's ``player`` and ``get_actions`` as it is."""

    @abstractmethod
    def get_actions(self, tanks: Sequence[TankAlgorithm]) -> Sequence[ActionRequest]:
        """Ask several of the own tanks in this order: the same as ``get_action`` on each, in one message."""


class TurnSeat(Seat, Generic[P, A]):
    """A seat that is asked for one answer a turn."""

    @abstractmethod
    def start(self, position: P) -> None:
        """Tell the seat that play begins."""

    @abstractmethod
    def choose(self, position: P) -> A:
        """The seat's answer to ``position``, already of the game's answer type."""
