from __future__ import annotations

from collections.abc import Mapping, Sequence

import pytest

from tiltyard_engine.records import TankTeam
from tiltyard_engine.registry import Reference
from tiltyard_engine.results import SeatFault, Termination
from tiltyard_engine.seat_kinds.seat_ports import OnFault
from tiltyard_engine.seat_kinds.tank_seats import InlineTankPort, ObservedTankSeat
from tiltyard_engine.tanks import ActionRequest, SatelliteView
from tiltyard_simulator.guard.seats import TANKS
from tiltyard_simulator.play.trace import Trace

BOARD = (4, 3, 10, 5)
Traced = tuple[ObservedTankSeat, Trace]


class Blank(SatelliteView):
    def get_object_at(self, x: int, y: int) -> str:
        return " "


def seat_of(team: Reference, on_fault: OnFault = "idle") -> Traced:
    trace = Trace(TANKS, BOARD)
    port = InlineTankPort(1, team.load_as(TankTeam), BOARD)
    seat = ObservedTankSeat(1, team.name, port, on_fault)
    seat.observe([trace])
    return seat, trace


@pytest.fixture
def traced(teams: Mapping[str, Reference]) -> Traced:
    return seat_of(teams["shooter"])


def test_keeps_what_is_asked_tank_by_tank_and_at_once(traced: Traced) -> None:
    seat, trace = traced
    first, second = seat.create_tank(0), seat.create_tank(1)
    assert list(trace.requests()) == [(1, 0, ()), (1, 1, ())]
    first.get_action()
    answers: Sequence[ActionRequest] = seat.get_actions([first, second])
    assert answers == [ActionRequest.SHOOT] * 2
    assert list(trace.requests()) == [(1, 0, ("Shoot", "Shoot")), (1, 1, ("Shoot",))]


def test_keeps_views_by_round_seat_and_tank(traced: Traced) -> None:
    seat, trace = traced
    tank = seat.create_tank(2)
    tank.get_action()
    seat.player.update_tank_with_battle_info(tank, Blank())
    ((where, digest),) = trace.views
    assert where == (1, 1, 2)
    assert len(digest) == 64


def test_a_seat_that_has_failed_is_traced_as_it_idles(traced: Traced) -> None:
    seat, trace = traced
    tank = seat.create_tank(0)
    seat.charge(Termination.ILLEGAL_MOVE, "no")
    assert tank.get_action() is ActionRequest.DO_NOTHING
    seat.get_actions([tank])
    seat.player.update_tank_with_battle_info(tank, Blank())
    assert list(trace.requests()) == [(1, 0, ("DoNothing", "DoNothing"))]
    assert [where for where, _ in trace.views] == [(2, 1, 0)]


def test_a_fault_that_is_raised_is_no_answer(teams: Mapping[str, Reference]) -> None:
    seat, trace = seat_of(teams["idler"], "raise")
    tank = seat.create_tank(0)
    fault = seat.charge(Termination.ILLEGAL_MOVE, "no")
    with pytest.raises(SeatFault) as raised:
        tank.get_action()
    assert raised.value.fault is fault.fault is seat.fault
    assert list(trace.requests()) == [(1, 0, ())]
