"""The same kind as the guard would have it: teams and GameManagers in cells."""

from __future__ import annotations

from typing import Any

import msgspec
from tests.programs.seat_kinds.sealed_seats import Hand, InlineSealedPort, PortSealedSeat, SealedInterface, SealedPort, SealedSeat

from tiltyard_engine.records import Game, TurnTeam
from tiltyard_engine.registry import Reference
from tiltyard_engine.results import Fault
from tiltyard_engine.seat_kinds.seat_ports import PortSeat
from tiltyard_simulator.guard.broker.remote_seats import RemoteSeat
from tiltyard_simulator.guard.broker.seat_servers import AskBack, SeatServer
from tiltyard_simulator.guard.cells.cell import DONE, TeamInCell, failure_of, load_plugin
from tiltyard_simulator.guard.cells.cell_port import CellPort, SeatSpec
from tiltyard_simulator.guard.cells.messages import Failed
from tiltyard_simulator.guard.seats.kinds import SeatKind, add_kind


class OpenSealed(msgspec.Struct, frozen=True, array_like=True, tag=30):
    algorithm: Reference
    seat: int


class AskBid(msgspec.Struct, frozen=True, array_like=True, tag=31):
    hand: Hand


class Bid(msgspec.Struct, frozen=True, array_like=True, tag=30):
    bid: int


class BidRequest(msgspec.Struct, frozen=True, array_like=True, tag=30):
    seat: int
    hand: Hand


class BidResponse(msgspec.Struct, frozen=True, array_like=True, tag=30):
    bid: int
    fault: Fault | None = None


class CellSealedPort(CellPort, SealedPort):
    def open(self) -> None:
        self.begin(OpenSealed(self.spec.team, self.spec.index))

    def bid(self, hand: Hand) -> int:
        reply: Bid = self.ask_cell(AskBid(hand), self.limits.move_seconds, "bid", Bid)
        return reply.bid


class SealedTeamInCell(TeamInCell):
    _seat: PortSealedSeat

    def open(self, request: OpenSealed) -> msgspec.Struct:
        team = load_plugin(request.algorithm)
        assert isinstance(team, TurnTeam)
        port = InlineSealedPort(request.seat, team, self.cell.on_crash)
        self._seat = PortSealedSeat(request.seat, team.name, port, "raise")
        return DONE if self._seat.fault is None else Failed(failure_of(self._seat.fault))

    def _bid(self, request: AskBid) -> msgspec.Struct:
        return Bid(self._seat.bid(request.hand))

    opening = OpenSealed
    beginning = OpenSealed
    handlers = {AskBid: ("bid", _bid)}  # noqa: RUF012
    replies = (Bid,)

    @classmethod
    def doing(cls, request: Any) -> str:
        return "bid" if isinstance(request, AskBid) else "loading"

    @classmethod
    def in_words(cls, reply: Bid) -> str:
        return str(reply.bid)


class RemoteSealedSeat(RemoteSeat, SealedSeat):
    def bid(self, hand: Hand) -> int:
        response = self._client.call(BidRequest(self.index, hand))
        self._check(response)
        bid: int = response.bid
        return bid


class SealedSeatServer(SeatServer):
    def __init__(self, seat: SealedSeat, setting: None, ask_back: AskBack) -> None:
        super().__init__(seat, 100, "in a match")
        self._seat = seat

    def bid(self, request: BidRequest) -> msgspec.Struct:
        self.count_rare()
        return BidResponse(self._seat.bid(request.hand), self.new_fault())

    handlers = {**SeatServer.handlers, BidRequest: bid}  # noqa: RUF012
    responses = (BidResponse,)


class Sealed(SeatKind):
    name = "sealed"
    interface = SealedInterface
    cell_port = CellSealedPort
    team_in_cell = SealedTeamInCell
    seat_server = SealedSeatServer
    remote_seat = RemoteSealedSeat

    def setting(self, game: Game[Any], board: Any) -> None:
        return None

    def inline_port(self, spec: SeatSpec) -> InlineSealedPort:
        return InlineSealedPort(spec.index, spec.team.load_as(TurnTeam))

    def seat(self, spec: SeatSpec, port: SealedPort) -> PortSeat:
        seat = PortSealedSeat(spec.index, spec.team.name, port, spec.on_fault)
        seat.observe(spec.observers)
        return seat

    def picture(self, setting: None, view: Hand) -> str:
        return str(view)

    def words(self, answer: int) -> str:
        return str(answer)


add_kind(Sealed())
