"""Games for the tests of sample teams: an opponent that does nothing, and random boards."""

from __future__ import annotations

from hypothesis import strategies as st

from tiltyard_engine import ActionRequest, BattleInfo, GameResult, Match, Player, SatelliteView, TankAlgorithm, TankTeam
from tiltyard_engine.seat_kinds.inline import InlineTankSeat
from tiltyard_engine.seats import TankSeat
from tiltyard_tanks.manager import TanksGameManager
from tiltyard_tanks.maps import TankMap, player_arguments

GRID_SQUARES = st.sampled_from(["1", "2", "#", "@", " ", " ", " "])


class Idle(TankAlgorithm):
    def __init__(self, player_index: int, tank_index: int) -> None:
        pass

    def get_action(self) -> ActionRequest:
        return ActionRequest.DO_NOTHING

    def update_battle_info(self, info: BattleInfo) -> None:
        raise AssertionError("an idle tank never asks")


class IdlePlayer(Player):
    def update_tank_with_battle_info(self, tank: TankAlgorithm, satellite_view: SatelliteView) -> None:
        raise AssertionError("an idle tank never asks")


IDLE = TankTeam("idle", player=IdlePlayer, tank=Idle)


def play(rows: list[str], teams: tuple[TankTeam, TankTeam], max_steps: int = 200, num_shells: int = 8) -> GameResult:
    tank_map = TankMap(title="test", max_steps=max_steps, num_shells=num_shells, grid=tuple(rows))
    arguments = player_arguments(tank_map)
    seats = [InlineTankSeat(number, team, arguments, "raise") for number, team in enumerate(teams, start=1)]
    match: Match[TankMap, TankSeat] = Match(map=tank_map, map_name="test", seats=seats, verbose=True)
    result = TanksGameManager().run(match)
    assert [seat.fault for seat in seats] == [None, None]
    return result


@st.composite
def boards(draw: st.DrawFn) -> list[str]:
    width, height = draw(st.integers(1, 9)), draw(st.integers(1, 9))
    return ["".join(draw(GRID_SQUARES) for _ in range(width)) for _ in range(height)]
