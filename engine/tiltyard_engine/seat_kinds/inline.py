"""Seats whose code runs in the GameManager's own process: for trusted teams, and the fastest.

Module state is shared between seats and matches here; the same results as in separate processes are
promised only for teams that keep none.
"""

from __future__ import annotations

from typing import Any

from tiltyard_engine.records import PlayerArguments, TankTeam, TurnTeam
from tiltyard_engine.seat_kinds.seat_ports import OnFault
from tiltyard_engine.seat_kinds.tank_seats import InlineTankPort, PortTankSeat
from tiltyard_engine.seat_kinds.turn_seats import InlineTurnPort, PortTurnSeat
from tiltyard_engine.turns import A, P


class InlineTankSeat(PortTankSeat):
    """A tank seat in this process."""

    def __init__(self, index: int, team: TankTeam, arguments: PlayerArguments, on_fault: OnFault = "idle") -> None:
        super().__init__(index, team.name, InlineTankPort(index, team, arguments), on_fault)


class InlineTurnSeat(PortTurnSeat[P, A]):
    """A turn seat in this process."""

    def __init__(self, index: int, team: TurnTeam, answer_type: type[Any]) -> None:
        super().__init__(index, team.name, InlineTurnPort(index, team, answer_type))
