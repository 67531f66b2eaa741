"""What the package shows to the world, and the example in its docstring."""

from __future__ import annotations

import dataclasses
import textwrap
from pathlib import Path

import pytest
from tests.engine.making import load_text, reasons

import tiltyard_engine
from tiltyard_engine.records import Command, Game, Manager, MapFile, TankTeam, TurnTeam
from tiltyard_engine.seat_kinds.inline import InlineTankSeat
from tiltyard_engine.tanks import ActionRequest


@pytest.mark.parametrize("record", [Game, Manager, TankTeam, TurnTeam, MapFile, Command])
def test_records_are_frozen_and_public(record: type[object]) -> None:
    assert dataclasses.is_dataclass(record)
    assert record.__dataclass_params__.frozen  # type: ignore[attr-defined]
    assert getattr(tiltyard_engine, record.__name__) is record


def test_everything_that_is_public_is_there() -> None:
    assert sorted(tiltyard_engine.__all__, key=str.lower) == sorted(set(tiltyard_engine.__all__), key=str.lower)
    for name in tiltyard_engine.__all__:
        assert hasattr(tiltyard_engine, name)


def test_the_whole_team_in_the_docstring_plays(tmp_path: Path) -> None:
    assert tiltyard_engine.__doc__ is not None
    example = textwrap.dedent(tiltyard_engine.__doc__.split("::\n", 1)[1].split("\nRegister the module", 1)[0])
    plugin = load_text(tmp_path, example)
    assert reasons(plugin) == []
    (team,) = plugin.records
    assert isinstance(team, TankTeam)
    seat = InlineTankSeat(1, team, (5, 5, 10, 3))
    tank = seat.create_tank(0)
    assert [tank.get_action() for _ in range(5)][3:] == [ActionRequest.ROTATE_LEFT_45, ActionRequest.SHOOT]
    assert seat.fault is None
