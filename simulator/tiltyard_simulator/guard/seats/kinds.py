"""What a kind of seat consists of, and the known kinds.

A kind has two files: one in the engine, with its seat, its port and the port to a team in this process, and one here, with the
messages to teams and GameManagers in cells. Nothing else in the guard knows kinds by name.
"""

from __future__ import annotations

import sys
from abc import ABC, abstractmethod
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

import msgspec

from tiltyard_engine.errors import UserError
from tiltyard_engine.records import Game, GameInterface
from tiltyard_engine.seat_kinds.seat_ports import PortSeat, SeatPort
from tiltyard_simulator.guard.broker.messages import RESPONSES, STEPS, ChargeRequest
from tiltyard_simulator.guard.broker.remote_seats import RemoteSeat
from tiltyard_simulator.guard.broker.seat_servers import SeatServer
from tiltyard_simulator.guard.cells.cell import TeamInCell
from tiltyard_simulator.guard.cells.cell_port import CellPort, SeatSpec
from tiltyard_simulator.guard.cells.messages import REPLIES, REQUESTS

if TYPE_CHECKING:
    from tiltyard_simulator.guard.programs.program_client import ProgramClient


class SeatKind(ABC):
    """A kind of seat. The tags of its messages differ from those of all other kinds."""

    name: ClassVar[str]
    """For messages."""
    interface: ClassVar[type[GameInterface]]
    """Games with this interface are played with this kind of seat."""
    cell_port: ClassVar[type[CellPort]]
    """The host's end of a team in a cell."""
    team_in_cell: ClassVar[type[TeamInCell]]
    """The cell's end."""
    seat_server: ClassVar[Any]
    """The host's end of a seat of a GameManager in a cell: a SeatServer, created with the seat, the setting and an AskBack."""
    remote_seat: ClassVar[type[RemoteSeat]]
    """The manager's end."""

    @abstractmethod
    def setting(self, game: Game[Any], board: Any) -> Any:
        """What a seat needs to know about the game and the map."""

    @abstractmethod
    def inline_port(self, spec: SeatSpec) -> SeatPort:
        """The port to a team in this process. Raises UserError if the team cannot be loaded or is of another kind."""

    def program_port(self, spec: SeatSpec, program: ProgramClient) -> SeatPort:
        """The port to an external program. Raises UserError if there is no protocol for programs."""
        raise UserError(f"'{spec.team.name}' is an external program, which cannot play with {self.name}")

    @abstractmethod
    def seat(self, spec: SeatSpec, port: Any) -> PortSeat:
        """The seat over a port."""

    @abstractmethod
    def picture(self, setting: Any, view: Any) -> str:
        """What a team is shown, as a text. Equal views have equal texts."""

    @abstractmethod
    def words(self, answer: Any) -> str:
        """An answer as a text. Equal answers have equal texts."""


_KINDS: dict[type[GameInterface], SeatKind] = {}


def add_kind(kind: SeatKind) -> None:
    """Add a kind of seat, for this process and for all zygotes that it starts from now on."""
    _KINDS[kind.interface] = kind
    requests, replies = kind.team_in_cell.messages()
    REQUESTS.add(*requests)
    REPLIES.add(*replies)
    server: type[SeatServer] = kind.seat_server
    STEPS.add(*(request for request in server.handlers if request is not ChargeRequest), *server.back_answers)
    RESPONSES.add(*server.responses)


def kinds() -> tuple[SeatKind, ...]:
    """All kinds of seats that were added, in their order."""
    return tuple(_KINDS.values())


def kind_of(game: Game[Any]) -> SeatKind:
    """The kind that a game is played with."""
    kind = _KINDS.get(type(game.interface))
    if kind is None:
        raise UserError(f"the game {game.name} has an interface of an unknown kind: {type(game.interface).__name__}")
    return kind


def team_of_message(message: msgspec.Struct) -> type[TeamInCell] | None:
    """The kind of team that a question or answer belongs to; None if it belongs to all kinds."""
    teams = (kind.team_in_cell for kind in kinds())
    return next((team for team in teams if any(type(message) in messages for messages in team.messages())), None)


def teams_in_cells() -> dict[type[Any], type[TeamInCell]]:
    """The kind of team for each first question."""
    return {kind.team_in_cell.opening: kind.team_in_cell for kind in kinds()}


def modules_of_kinds() -> dict[str, str]:
    """The modules that a zygote must import to know the kinds, with their folders."""
    modules = [type(kind).__module__ for kind in kinds()]
    return {name: str(Path(sys.modules[name].__file__ or "").parent) for name in modules}
