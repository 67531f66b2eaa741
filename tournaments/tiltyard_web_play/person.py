"""The ports to a seat in which a person sits: each question goes to the table, and waits there until it is answered."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Final

from tiltyard_engine.results import Termination
from tiltyard_engine.seat_kinds.seat_ports import PortFailure, SeatPort
from tiltyard_engine.seat_kinds.tank_seats import TankPort
from tiltyard_engine.seat_kinds.turn_seats import TurnPort
from tiltyard_engine.tanks import ActionRequest, BattleInfo, SatelliteView

ACTIONS: Final = {action.name.lower().replace("_", " "): action for action in ActionRequest}
"""What a tank can do, in the words of a page."""
USEFUL_ACTIONS: Final = tuple(text for text, action in ACTIONS.items() if action is not ActionRequest.GET_BATTLE_INFO)
"""Without the question for what a person sees anyway."""
Ask = Callable[[Any], Any]
"""Gets a view, or the indexes of tanks that act now; returns the answer, or raises PortFailure."""


class PersonTurnPort(TurnPort[Any, Any]):
    """A person in a game by turns."""

    def __init__(self, ask: Ask) -> None:
        self._ask = ask

    def start(self, position: Any) -> None:
        """A person sees the first position when it is asked about it."""

    def choose(self, position: Any) -> Any:
        return self._ask(position)


class PersonTankPort(TankPort):
    """A person who commands all tanks of a seat."""

    asks_at_once = True

    def __init__(self, ask: Ask) -> None:
        self._ask = ask

    def create(self, tank_index: int) -> Any:
        return self

    def get_action(self) -> ActionRequest:
        raise PortFailure(Termination.PROTOCOL, "tanks of a person are asked together")

    def ask(self, tanks: list[int]) -> list[ActionRequest]:
        answers: Sequence[ActionRequest] = self._ask(tanks)
        return list(answers)

    def inform(self, tank: Any, info: BattleInfo) -> None:
        """A person sees the board."""

    def brief(self, tank: Any, view: SatelliteView) -> None:
        """A person sees the board."""


def person_port(has_tanks: bool, ask: Ask) -> SeatPort:
    """The port that fits a game."""
    return PersonTankPort(ask) if has_tanks else PersonTurnPort(ask)
