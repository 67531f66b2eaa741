from __future__ import annotations

from collections.abc import Mapping, Sequence

import pytest

from tiltyard_engine.inline import InlineTankSeat
from tiltyard_engine.records import TankTeam
from tiltyard_engine.registry import Reference
from tiltyard_engine.results import Termination
from tiltyard_engine.tanks import ActionRequest, SatelliteView
from tiltyard_simulator.loading import load
from tiltyard_simulator.tracing import TracingSeat


class Blank(SatelliteView):
    def get_object_at(self, x: int, y: int) -> str:
        return " "


def seat_of(team: Reference) -> InlineTankSeat:
    return InlineTankSeat(1, load(team, TankTeam), (4, 3, 10, 5))


@pytest.fixture
def traced(teams: Mapping[str, Reference]) -> TracingSeat:
    return TracingSeat(seat_of(teams["shooter"]), 4, 3)


def test_notes_what_is_asked_tank_by_tank_and_at_once(traced: TracingSeat) -> None:
    first, second = traced.create_tank(0), traced.create_tank(1)
    first.get_action()
    answers: Sequence[ActionRequest] = traced.get_actions([first, second])
    assert answers == [ActionRequest.SHOOT] * 2
    assert [tank.requests for tank in traced.tanks] == [["Shoot", "Shoot"], ["Shoot"]]


def test_notes_views_by_round_seat_and_tank(traced: TracingSeat) -> None:
    tank = traced.create_tank(2)
    tank.get_action()
    traced.player.update_tank_with_battle_info(tank, Blank())
    ((where, digest),) = traced.views
    assert where == (1, 1, 2)
    assert len(digest) == 64


def test_passes_everything_else_on(teams: Mapping[str, Reference]) -> None:
    inner = seat_of(teams["idler"])
    traced = TracingSeat(inner, 4, 3)
    assert (traced.index, traced.name, traced.fault) == (1, "idler", None)
    error = traced.charge(Termination.ILLEGAL_MOVE, "no")
    assert inner.fault is error.fault
    assert traced.fault is error.fault
