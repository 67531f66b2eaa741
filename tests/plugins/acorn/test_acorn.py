from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from tiltyard_acorn import algorithms
from tiltyard_engine import ActionRequest, BattleInfo, GameResult, Match, Player, SatelliteView, TankAlgorithm, TankTeam
from tiltyard_engine.inline import InlineTankSeat
from tiltyard_tanks.manager import TanksGameManager
from tiltyard_tanks.maps import TankMap, player_arguments

TEAM = next(iter(algorithms()))

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
    tank_map = TankMap("test", max_steps, num_shells, tuple(rows))
    arguments = player_arguments(tank_map)
    seats = [InlineTankSeat(number, team, arguments, "raise") for number, team in enumerate(teams, start=1)]
    result = TanksGameManager().run(Match(tank_map, "test", seats, verbose=True))
    assert [seat.fault for seat in seats] == [None, None]
    return result


@st.composite
def boards(draw: st.DrawFn) -> list[str]:
    width, height = draw(st.integers(1, 9)), draw(st.integers(1, 9))
    return ["".join(draw(GRID_SQUARES) for _ in range(width)) for _ in range(height)]


def test_kills_an_idle_tank_in_line() -> None:
    result = play(["          ", " 2     1  ", "          "], (TEAM, IDLE))
    assert result.winner == 1
    assert result.remaining_tanks == (1, 0)


def test_turns_to_a_tank_on_a_diagonal() -> None:
    result = play(["############", "#1         #", "#          #", "#          #", "#    2     #", "############"], (TEAM, IDLE))
    assert result.winner == 1


def test_wanders_past_mines_and_walls() -> None:
    result = play(["######", "#1@  #", "#  @ #", "# @  #", "######", "   2  ", "######"], (TEAM, IDLE), max_steps=100)
    assert result.remaining_tanks == (1, 1)


def test_same_game_twice() -> None:
    rows = ["          ", " 1   #    ", "   @   2  ", " 1     2  ", "    #     "]
    assert play(rows, (TEAM, TEAM)) == play(rows, (TEAM, TEAM))


@settings(max_examples=30, deadline=None)
@given(boards())
def test_never_raises(rows: list[str]) -> None:
    play(rows, (TEAM, TEAM), max_steps=40, num_shells=4)
