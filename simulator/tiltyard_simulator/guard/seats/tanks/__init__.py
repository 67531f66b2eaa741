"""Seats with a Player and tanks: ``cells`` for teams in cells, ``broker`` for GameManagers in cells."""

from __future__ import annotations

from typing import Any, Final

from tiltyard_engine.records import Game, PlayerArguments, TankInterface, TankTeam
from tiltyard_engine.seat_kinds.seat_ports import PortSeat
from tiltyard_engine.seat_kinds.tank_seats import InlineTankPort, ObservedTankSeat, PortTankSeat, TankPort
from tiltyard_engine.tanks import ActionRequest, SatelliteView
from tiltyard_simulator.guard.cells.cell_port import SeatSpec
from tiltyard_simulator.guard.seats.kinds import SeatKind
from tiltyard_simulator.guard.seats.tanks.broker import RemoteTankSeat, TankSeatServer
from tiltyard_simulator.guard.seats.tanks.cells import CellTankPort, TankTeamInCell


class Tanks(SeatKind):
    """Seats with a Player and tanks."""

    name = "tanks"
    interface = TankInterface
    cell_port = CellTankPort
    team_in_cell = TankTeamInCell
    seat_server = TankSeatServer
    remote_seat = RemoteTankSeat

    def setting(self, game: Game[Any], board: Any) -> PlayerArguments:
        assert isinstance(game.interface, TankInterface)
        return game.interface.player_arguments(board)

    def inline_port(self, spec: SeatSpec) -> InlineTankPort:
        return InlineTankPort(spec.index, spec.team.load_as(TankTeam), spec.setting)

    def seat(self, spec: SeatSpec, port: TankPort) -> PortSeat:
        if not spec.observers:
            return PortTankSeat(spec.index, spec.team.name, port, spec.on_fault)
        seat = ObservedTankSeat(spec.index, spec.team.name, port, spec.on_fault)
        seat.observe(spec.observers)
        return seat

    def picture(self, setting: PlayerArguments, view: SatelliteView) -> str:
        return "\n".join(view.get_rows(*setting[:2]))

    def words(self, answer: ActionRequest) -> str:
        return answer.title


TANKS: Final = Tanks()
