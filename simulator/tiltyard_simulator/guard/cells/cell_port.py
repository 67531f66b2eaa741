"""What it takes to open a seat, and what the ports to teams in cells share, whatever the kind of seat."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import msgspec

from tiltyard_engine.data_classes import dataclass
from tiltyard_engine.registry import Reference
from tiltyard_engine.seat_kinds.seat_ports import OnFault, PortFailure, PortSeat, SeatObserver, SeatPort
from tiltyard_engine.seats import Seat
from tiltyard_simulator.guard.cells.messages import Done
from tiltyard_simulator.guard.cells.wire import CellError
from tiltyard_simulator.match.isolation import Isolation
from tiltyard_simulator.match.limits import DEFAULT_LIMITS, Limits

if TYPE_CHECKING:
    # Zygotes import this file, and start without what only hosts need.
    from tiltyard_simulator.guard.cells.cell_client import CellClient
    from tiltyard_simulator.guard.cells.team_client import TeamClient


@dataclass(frozen=True, slots=True, kw_only=True)
class SeatSpec:
    """A seat, and who sits there."""

    index: int
    """From 1."""
    team: Reference
    game: Reference | None = None
    """None: the team doesn't need the game's files."""
    setting: Any = None
    """What the kind of seat needs to know of game and map: its ``setting``."""
    on_fault: OnFault = "idle"
    """Only for kinds of seats that have an idle answer."""
    limits: Limits = DEFAULT_LIMITS
    isolation: Isolation = Isolation.INLINE
    observers: Sequence[SeatObserver] = ()


class ProcessPort(SeatPort):
    """The port to a team in a process of its own. All that goes wrong there is the team's fault."""

    def __init__(self, spec: SeatSpec, cell: CellClient) -> None:
        self.cell = cell
        self.spec = spec
        self.limits: Limits = spec.limits


class CellPort(ProcessPort):
    """The port to a team's Python code in a cell."""

    cell: TeamClient

    def __init__(self, spec: SeatSpec, cell: TeamClient) -> None:
        super().__init__(spec, cell)

    def begin(self, request: msgspec.Struct) -> None:
        """The first question: load the team."""
        self.ask_cell(request, self.limits.startup_seconds, "starting up", Done)
        self.cell.starts_in = self.cell.cpu_seconds

    def ask_cell(self, request: msgspec.Struct, seconds: float, doing: str, *expected: type[Any]) -> Any:
        """Ask the team's cell, as ``TeamClient.ask`` does."""
        try:
            return self.cell.ask(request, seconds, doing, *expected)
        except CellError as error:
            raise port_failure(error) from error


def port_failure(error: CellError, answers: Sequence[Any] = ()) -> PortFailure:
    """A cell's error as a failure of its team."""
    return PortFailure(error.termination, error.message, error.traceback, answers)


def cell_of(seat: Seat) -> CellClient | None:
    """The cell of a seat's team; None if the team is in this process."""
    port = seat.port if isinstance(seat, PortSeat) else None
    return port.cell if isinstance(port, ProcessPort) else None
