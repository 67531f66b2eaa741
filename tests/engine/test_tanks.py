"""What tank teams are made of."""

from __future__ import annotations

import pytest

from tiltyard_engine.tanks import (
    ACTION_TITLES,
    OUTSIDE,
    ActionRequest,
    Player,
    PlayerFactory,
    SatelliteView,
    TankAlgorithm,
    TankAlgorithmFactory,
    ViewExpiredError,
)


def test_actions_have_the_numbers_and_names_of_the_course() -> None:
    assert [(action.value, action.title) for action in ActionRequest] == [
        (0, "MoveForward"),
        (1, "MoveBackward"),
        (2, "RotateLeft90"),
        (3, "RotateRight90"),
        (4, "RotateLeft45"),
        (5, "RotateRight45"),
        (6, "Shoot"),
        (7, "GetBattleInfo"),
        (8, "DoNothing"),
    ]
    assert ACTION_TITLES[ActionRequest.SHOOT] == "Shoot"


def test_rows_are_made_of_squares_where_a_view_knows_no_faster_way() -> None:
    class Numbered(SatelliteView):
        def get_object_at(self, x: int, y: int) -> str:
            return str(3 * y + x) if x < 3 and y < 2 else OUTSIDE

    assert Numbered().get_rows(3, 2) == ["012", "345"]
    assert Numbered().get_rows(4, 3) == ["012&", "345&", "&&&&"]
    assert Numbered().get_rows(0, 1) == [""]
    assert Numbered().get_rows(3, 0) == []


@pytest.mark.parametrize("kind", [SatelliteView, TankAlgorithm, Player])
def test_what_teams_and_managers_implement_is_abstract(kind: type[object]) -> None:
    with pytest.raises(TypeError, match="abstract"):
        kind()


def test_a_player_need_not_have_a_constructor() -> None:
    class Silent(Player):
        def update_tank_with_battle_info(self, tank: TankAlgorithm, satellite_view: SatelliteView) -> None: ...

    factory: PlayerFactory = Silent
    assert isinstance(factory(1, 8, 12, 100, 5), Player)


def test_a_class_is_its_own_factory() -> None:
    class Tank(TankAlgorithm):
        def __init__(self, player_index: int, tank_index: int) -> None:
            self.numbers = player_index, tank_index

        def get_action(self) -> ActionRequest:
            return ActionRequest.DO_NOTHING

        def update_battle_info(self, info: object) -> None: ...

    factory: TankAlgorithmFactory = Tank
    tank = factory(1, 0)
    assert isinstance(tank, Tank)
    assert tank.numbers == (1, 0)


def test_an_expired_view_says_what_to_do() -> None:
    assert "copy what you need" in str(ViewExpiredError())
