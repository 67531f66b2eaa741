from __future__ import annotations

from time import thread_time

import pytest
from hypothesis import given, settings
from tests.plugins.team_games import IDLE, Idle, IdlePlayer, boards, play

from tiltyard_dragoon import algorithms
from tiltyard_engine import ActionRequest, BattleInfo, Player, SatelliteView, TankAlgorithm, TankTeam

TEAM = next(iter(algorithms()))


class Spinner(Idle):
    def get_action(self) -> ActionRequest:
        return ActionRequest.ROTATE_LEFT_45


class Asker(Idle):
    def get_action(self) -> ActionRequest:
        return ActionRequest.GET_BATTLE_INFO

    def update_battle_info(self, info: BattleInfo) -> None:
        pass


class AskerPlayer(Player):
    def update_tank_with_battle_info(self, tank: TankAlgorithm, satellite_view: SatelliteView) -> None:
        tank.update_battle_info(BattleInfo())


ROOM = ["################", "#1     #       #", "#      #    2  #", "#      @       #", "#1         2   #", "################"]


@pytest.mark.parametrize("team", [IDLE, TankTeam("spinner", IdlePlayer, Spinner), TankTeam("asker", AskerPlayer, Asker)])
def test_beats_those_that_stay(team: TankTeam) -> None:
    result = play(ROOM, (TEAM, team))
    assert result.winner == 1
    assert result.remaining_tanks == (2, 0)
    assert play(ROOM, (team, TEAM)).winner == 2


def test_opens_a_wall_around_a_hidden_tank() -> None:
    result = play(["############", "#1     ### #", "#      #2# #", "#      ### #", "############"], (TEAM, IDLE), num_shells=6)
    assert result.winner == 1


def test_shoots_over_mines() -> None:
    result = play(["##########", "#1   @@@ #", "#    @2@ #", "#    @@@ #", "##########"], (TEAM, IDLE))
    assert result.winner == 1


@pytest.mark.parametrize("rows", [["1"], ["12"], ["1", "2"], ["1 2"], ["1#2"], ["111222"], ["1@2"]])
def test_smallest_boards(rows: list[str]) -> None:
    play(rows, (TEAM, TEAM), max_steps=40)


def test_work_stays_bounded_on_the_largest_boards() -> None:
    rows = [("1" if y < 100 else "2") + " " * 199 if y % 4 == 0 else " " * 200 for y in range(200)]
    spent: list[float] = []
    play(rows, (timed(TEAM, spent), IDLE), max_steps=8)
    spent.sort()
    # The budget is 20 ms. A search that grows with the board takes seconds, so ten times the budget is a bound for any machine.
    assert spent[len(spent) // 2] < 200


def timed(team: TankTeam, spent: list[float]) -> TankTeam:
    class TimedPlayer(Player):
        def __init__(self, player_index: int, x: int, y: int, max_steps: int, num_shells: int) -> None:
            self.inner = team.player(player_index, x, y, max_steps, num_shells)

        def update_tank_with_battle_info(self, tank: TankAlgorithm, satellite_view: SatelliteView) -> None:
            start = thread_time()
            self.inner.update_tank_with_battle_info(tank, satellite_view)
            spent.append((thread_time() - start) * 1000)

    return TankTeam(team.name, player=TimedPlayer, tank=team.tank)


def test_same_game_twice() -> None:
    rows = ["          ", " 1   #    ", "   @   2  ", " 1     2  ", "    #     "]
    assert play(rows, (TEAM, TEAM), max_steps=60) == play(rows, (TEAM, TEAM), max_steps=60)


@settings(max_examples=10, deadline=None)
@given(boards())
def test_never_raises(rows: list[str]) -> None:
    play(rows, (TEAM, TEAM), max_steps=40, num_shells=4)
