"""Records that a program gives instead of naming a plugin."""

from __future__ import annotations

from typing import Any

import pytest

from tiltyard_engine import ActionRequest, BattleInfo, TankAlgorithm, TankTeam, UserError
from tiltyard_engine.registry import Registry, Trust
from tiltyard_engine.registry.loading import give_records, take_back
from tiltyard_engine.registry.registry import ALGORITHM
from tiltyard_engine.tanks import Player


class Still(TankAlgorithm):
    def __init__(self, player_index: int, tank_index: int) -> None:
        pass

    def get_action(self) -> ActionRequest:
        return ActionRequest.DO_NOTHING

    def update_battle_info(self, info: BattleInfo) -> None:
        pass


class Silent(Player):
    def update_tank_with_battle_info(self, *_: Any) -> None:
        pass


TEAM = TankTeam("still", player=Silent, tank=Still)


def test_given_records_are_found_until_they_are_taken_back() -> None:
    source = give_records("still", [("algorithms", TEAM)])
    registry = Registry()
    registry.add([source])
    reference = registry.find(ALGORITHM, "still").reference
    assert reference.load_team() is TEAM
    assert str(source) == "still (given in Python)"
    assert Trust().covers(source)
    take_back([source])
    with pytest.raises(UserError, match="was given by a program, and is known only there"):
        reference.load()


def test_two_of_one_name_are_two() -> None:
    one, other = (give_records("still", [("algorithms", TEAM)]) for _ in range(2))
    registry = Registry()
    registry.add([one, other])
    assert [entry.reference.source for entry in registry.entries] == [one, other]
    take_back([one, other])


def test_a_wrong_record_is_a_row_like_any_other() -> None:
    source = give_records("wrong", [("algorithms", TankTeam("wrong", player=Silent, tank=lambda: Still(1, 0)))])  # type: ignore[arg-type]
    registry = Registry()
    registry.add([source])
    assert [(row.name, row.status) for row in registry.rows] == [("wrong", "failed")]
    assert "tank" in registry.rows[0].reason
    take_back([source])
