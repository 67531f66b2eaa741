"""What a GameManager in a cell requests of the host, and how the host responds.

The host's first question is to run the match. From then on, each answer of the cell is a request, and the host's next question is
the response. The last request is the GameManager's result. Records of the match are sent along with requests. Each kind of seat
adds its own requests.
"""

from __future__ import annotations

from typing import Any, Final, Generic, Literal, TypeVar, Union

import msgspec

from tiltyard_engine.results import Fault, GameResult, Termination
from tiltyard_simulator.guard.cells.messages import Done, Failed, UnionDecoder
from tiltyard_simulator.match.panel_values import PanelValue

R = TypeVar("R")


class Opened(msgspec.Struct, frozen=True, array_like=True, tag=10):
    """The GameManager is loaded, and this is how its seats are to behave after a fault."""

    on_fault: Literal["idle", "raise"]


# Requests. ``seat`` counts from 1.


class ChargeRequest(msgspec.Struct, frozen=True, array_like=True, tag=6):
    """Charge the seat with a fault that the rules found."""

    seat: int
    termination: Termination
    message: str


class Recorded(msgspec.Struct, frozen=True, array_like=True, tag=9):
    """Nothing but the records that are sent along."""


class Claimed(msgspec.Struct, frozen=True, array_like=True, tag=12):
    """The result that a GameManager in a cell claims. The loader of a compiled one reads it from bytes."""

    claim: GameResult | bytes


class Step(msgspec.Struct, Generic[R], frozen=True, array_like=True, tag=11):
    """A request of the GameManager, and what it has recorded since the last one."""

    request: R
    recorded: list[msgspec.Raw]
    """Each a ``RecordedStart`` or a ``RecordedFrame``."""


class RecordedStart(msgspec.Struct, frozen=True, array_like=True, tag=1):
    """A call of ``Recorder.start`` in the manager's cell."""

    width: int
    height: int
    squares: list[str]
    panels: tuple[PanelValue, ...] = ()


class RecordedFrame(msgspec.Struct, frozen=True, array_like=True, tag=2):
    """A call of ``Recorder.frame`` in the manager's cell."""

    changes: list[tuple[int, str]]
    actions: list[str]
    scores: list[float]
    notes: list[str]
    panels: tuple[PanelValue, ...] = ()


# Responses. ``fault`` is the seat's first fault, which is sent only once.


class DoneResponse(msgspec.Struct, frozen=True, array_like=True, tag=1):
    """The answer to a request that returns nothing."""

    fault: Fault | None = None


class RaisedResponse(msgspec.Struct, frozen=True, array_like=True, tag=5):
    """The seat raised SeatFault after these answers, one byte each. Also what ``charge`` returns."""

    fault: Fault | None
    answers: bytes = b""


class RefusedResponse(msgspec.Struct, frozen=True, array_like=True, tag=6):
    """The call raised ContractError with this message."""

    message: str
    fault: Fault | None = None


def _step(request: Any) -> Any:
    return Union[Step[request], Failed]  # noqa: UP007 -- not of types that are known here


OPENINGS: Final = msgspec.msgpack.Decoder(Opened | Failed | Done)
STEPS: Final = UnionDecoder(ChargeRequest, Recorded, Claimed, whole=_step)
RESPONSES: Final = UnionDecoder(DoneResponse, RaisedResponse, RefusedResponse)
RECORDS: Final = msgspec.msgpack.Decoder(RecordedStart | RecordedFrame)
