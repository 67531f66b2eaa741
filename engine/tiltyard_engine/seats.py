"""A seat: how a GameManager reaches a player. The GameManager cannot tell how the team's code is isolated.

Where all players decide at once, ``start_all`` and ``choose_all`` ask them: nobody hears of an answer before everybody gave theirs.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from numbers import Integral
from typing import Any, Generic, TypeVar, overload

from tiltyard_engine.errors import ContractError, show
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


B = TypeVar("B")


def start_all(positions: Mapping[TurnSeat[P, A], P]) -> None:
    """Show each seat its first position. A seat that fails here has its ``fault`` set, and the others start all the same."""
    for seat, position in positions.items():
        try:
            seat.start(position)
        except SeatFault:
            continue


class Answers(dict[Any, A]):
    """Answers by the numbers of the seats that gave them, which can be looked up by the seat itself as well.

    So a referee may write ``answers[seat]`` or ``answers[seat.index]``. An iteration gives the numbers, in the order of the
    questions. The keys are typed ``Any``, because mypy allows ``seat in answers`` only then.
    """

    def __getitem__(self, seat: int | Seat) -> A:
        return super().__getitem__(_number(seat))

    def __setitem__(self, seat: int | Seat, answer: A) -> None:
        super().__setitem__(_number(seat), answer)

    def __delitem__(self, seat: int | Seat) -> None:
        super().__delitem__(_number(seat))

    def __contains__(self, seat: object) -> bool:
        return super().__contains__(_number(seat))

    @overload
    def get(self, seat: int | Seat, default: None = None, /) -> A | None: ...
    @overload
    def get(self, seat: int | Seat, default: A, /) -> A: ...
    @overload
    def get(self, seat: int | Seat, default: B, /) -> A | B: ...
    def get(self, seat: int | Seat, default: Any = None, /) -> Any:
        """The answer of a seat; ``default`` if it gave none."""
        return super().get(_number(seat), default)

    @overload
    def pop(self, seat: int | Seat, /) -> A: ...
    @overload
    def pop(self, seat: int | Seat, default: A, /) -> A: ...
    @overload
    def pop(self, seat: int | Seat, default: B, /) -> A | B: ...
    def pop(self, seat: int | Seat, /, *default: Any) -> Any:
        """The answer of a seat, which is then no longer among them; ``default`` if it gave none."""
        return super().pop(_number(seat), *default)

    def setdefault(self, seat: int | Seat, default: A, /) -> A:
        """The answer of a seat; if it gave none, ``default`` from now on."""
        return super().setdefault(_number(seat), default)


def _number(seat: object) -> Any:
    if isinstance(seat, Seat):
        return seat.index
    if not isinstance(seat, Integral):
        raise ContractError(f"an answer was looked up by {show(seat)}: look it up by the seat, or by its number, seat.index")
    return seat


def choose_all(positions: Mapping[TurnSeat[P, A], P]) -> Answers[A]:
    """Ask each seat for its answer to its own position.

    Whether the seats are asked one after the other is not promised; no position can depend on another seat's answer.

    Args:
        positions: what each seat is shown, by the seat.

    Returns:
        The answers, by the seat or by its number. A seat that has failed, now or before, is missing, and its ``fault`` says why.
    """
    answers: Answers[A] = Answers()
    for seat, position in positions.items():
        try:
            answers[seat] = seat.choose(position)
        except SeatFault:
            continue
    return answers
