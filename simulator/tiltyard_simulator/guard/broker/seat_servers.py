"""The host's side of the seats of a GameManager in a cell: serves requests, and limits how many there may be."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any, ClassVar, Final, TypeAlias

import msgspec

from tiltyard_engine.results import Fault, Termination
from tiltyard_engine.seats import Seat
from tiltyard_simulator.guard.broker.messages import ChargeRequest, RaisedResponse
from tiltyard_simulator.guard.cells.messages import sendable

SPARE_CALLS: Final = 1000
"""How many calls that ask nothing of the team, such as charges, are allowed beyond one for each round."""


AskBack: TypeAlias = Callable[..., Any]
"""``ask_back(question, *expected)`` asks the GameManager about its current request. The answer has one of these types."""


class RequestError(Exception):
    """An invalid request: a fault of the GameManager."""

    def __init__(self, termination: Termination, message: str) -> None:
        super().__init__(message)
        self.termination = termination
        self.message = message


class SeatServer:
    """Serves a GameManager's requests to one seat.

    Args:
        seat: the seat itself.
        most: how often its team may be asked in a match.
        length: the length of the match, for messages.
    """

    def __init__(self, seat: Seat, most: int, length: str) -> None:
        self._index = seat.index
        self._charged = seat
        self._most = most
        self._length = length
        self._rare = 0
        self._last_fault: Fault | None = None

    def new_fault(self) -> Fault | None:
        """The seat's fault, but only the first time."""
        fault = self._charged.fault
        if fault is None or self._last_fault is not None:
            return None
        self._last_fault = fault
        return replace(fault, message=sendable(fault.message), traceback=sendable(fault.traceback))

    def charge(self, request: ChargeRequest) -> RaisedResponse:
        """Charge the seat with a fault that its GameManager has raised."""
        self.count_rare()
        self._charged.charge(request.termination, request.message)
        return RaisedResponse(self.new_fault())

    def count_rare(self) -> None:
        """Count a call that no GameManager needs more than once a round."""
        self._rare += 1
        if self._rare > self._most + SPARE_CALLS:
            raise self.stall(f"called player {self._index} without asking it anything", self._most + SPARE_CALLS)

    def stall(self, what: str, most: int) -> RequestError:
        """The error for a GameManager that calls a seat too often."""
        return RequestError(Termination.STALL, f"run() {what} more than {most} times {self._length}")

    handlers: ClassVar[Mapping[type[Any], Callable[[Any, Any], msgspec.Struct]]] = {ChargeRequest: charge}
    """The method for each type of request."""
    back_answers: ClassVar[tuple[type[Any], ...]] = ()
    """The GameManager's answers to ``ask_back``."""
    responses: ClassVar[tuple[type[Any], ...]] = ()
    """Responses, and questions of ``ask_back``, that this kind adds."""
