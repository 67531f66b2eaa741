"""The seats of a GameManager in a cell. The host forwards what they are asked to the real seats.

This code runs in the GameManager's process, and the host trusts nothing of it. The GameManager cannot tell these seats from
others: they return and raise the same as the real ones.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any, Final

import msgspec

from tiltyard_engine.errors import ContractError
from tiltyard_engine.records import Game
from tiltyard_engine.replay import NullRecorder, Recorder
from tiltyard_engine.replay.panels import Panel
from tiltyard_engine.results import Fault, SeatFault, Termination
from tiltyard_engine.seats import Seat
from tiltyard_simulator.guard.broker.messages import (
    RESPONSES,
    ChargeRequest,
    RaisedResponse,
    Recorded,
    RecordedFrame,
    RecordedStart,
    RefusedResponse,
    Step,
)
from tiltyard_simulator.guard.cells.cell import Cell
from tiltyard_simulator.guard.cells.messages import ENCODER
from tiltyard_simulator.match.panel_values import panel_values

MOST_BUFFERED_BYTES: Final = 1 << 20
"""Records are sent at once if they are larger than this. Otherwise they wait for the next request."""


class HostClient(Recorder):
    """The GameManager's connection to the host, and its recorder. Records are sent along with the next request."""

    def __init__(self, cell: Cell, active: bool) -> None:
        self.active = active
        self._checks = NullRecorder()
        self._cell = cell
        self._recorded: list[msgspec.Raw] = []
        self._recorded_bytes = 0
        self._answering = False

    def step(self, request: msgspec.Struct) -> Step[msgspec.Struct]:
        """A request with all records since the last one."""
        step = Step(request, self._recorded)
        if self._recorded:
            self._recorded = []
            self._recorded_bytes = 0
        return step

    def call(
        self,
        request: msgspec.Struct,
        question: type[Any] | None = None,
        answer: Callable[[Any], msgspec.Struct] | None = None,
    ) -> Any:
        """Make a request and wait for the response. Meanwhile the host may ask questions about it.

        Args:
            request: the request.
            question: the type of the host's questions.
            answer: answers such a question. It cannot make requests itself.
        """
        if self._answering:
            raise ContractError("a seat was called while the GameManager's own view was being read")
        response = RESPONSES.decode(self._cell.converse(self.step(request)))
        while answer is not None and type(response) is question:
            self._answering = True
            try:
                reply = answer(response)
            finally:
                self._answering = False
            response = RESPONSES.decode(self._cell.converse(self.step(reply)))
        return response

    def flush(self) -> None:
        """Send the records that have not been sent yet."""
        if self._recorded and not self._answering:
            self.call(Recorded())

    # The recorder

    def start(self, width: int = 0, height: int = 0, squares: Sequence[str] = (), panels: Sequence[Panel] = ()) -> None:
        """The start board and panels."""
        tokens = [str(token) for token in squares]
        self._checks.start(int(width), int(height), tokens, panels)
        if self.active:
            self._keep(RecordedStart(int(width), int(height), tokens, tuple(panel_values(panels))))

    def frame(
        self,
        changes: Iterable[tuple[int, str]] = (),
        actions: Sequence[str] = (),
        scores: Sequence[float] = (),
        notes: Sequence[str] = (),
        panels: Sequence[Panel] = (),
    ) -> None:
        """Send a round of the replay to the host."""
        squares = [(int(square), str(token)) for square, token in changes]
        words, numbers, lines = [str(text) for text in actions], [*map(float, scores)], [str(text) for text in notes]
        self._checks.frame(squares, words, numbers, lines, panels)
        if self.active:
            self._keep(RecordedFrame(squares, words, numbers, lines, tuple(panel_values(panels))))

    def _keep(self, record: RecordedStart | RecordedFrame) -> None:
        data = ENCODER.encode(record)
        self._recorded.append(msgspec.Raw(data))
        self._recorded_bytes += len(data)
        if self._recorded_bytes > MOST_BUFFERED_BYTES:
            self.flush()


class RemoteSeat(Seat):
    """Stands for a seat of the host. Each call is a request, even after the seat has failed."""

    def __init__(self, client: HostClient, index: int, name: str, fault: Fault | None, game: Game[Any]) -> None:
        self.index = index
        self.name = name
        self.fault = fault
        self._client = client

    def charge(self, termination: Termination, message: str) -> SeatFault:
        """Record a fault that the rules found."""
        response = self._client.call(ChargeRequest(self.index, termination, str(message)))
        if type(response) is RaisedResponse:
            return self._seat_fault(response)
        self._check(response)
        raise AssertionError("unreachable")

    def _check(self, response: Any) -> None:
        """Note a new fault, and raise what the real seat raised."""
        if type(response) is RaisedResponse:
            raise self._seat_fault(response)
        if response.fault is not None:
            self.fault = response.fault
        if type(response) is RefusedResponse:
            raise ContractError(response.message)

    def _seat_fault(self, response: RaisedResponse) -> SeatFault:
        if response.fault is not None:
            self.fault = response.fault
        assert self.fault is not None
        return SeatFault(self.fault, tuple(self._answers(response.answers)))

    def _answers(self, numbers: bytes) -> Sequence[object]:
        """The answers that the numbers stand for; for calls with several answers."""
        return numbers
