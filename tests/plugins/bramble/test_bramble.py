from __future__ import annotations

from hypothesis import given, settings
from tests.plugins.team_games import IDLE, boards, play

from tiltyard_bramble import algorithms

TEAM = next(iter(algorithms()))


def test_hits_a_tank_in_line() -> None:
    result = play(["############", "#1        2#", "############"], (TEAM, IDLE))
    assert result.winner == 1
    assert "MoveForward" not in result.log


def test_shoots_across_the_edge() -> None:
    result = play(["1         # 2 ", "##############"], (TEAM, IDLE), max_steps=20)
    assert result.winner == 1


def test_does_not_waste_shells_on_its_own_tanks_or_walls() -> None:
    result = play(["########", "#1 1 2 #", "########"], (TEAM, IDLE), max_steps=25)
    assert result.winner == 1
    assert result.remaining_tanks == (2, 0)


def test_takes_a_step_when_nothing_comes_into_line_for_long() -> None:
    result = play(["#######", "#1    #", "#     #", "#######", "#   2 #", "#######"], (TEAM, IDLE), max_steps=80)
    assert "MoveForward" in result.log


def test_same_game_twice() -> None:
    rows = ["          ", " 1   #    ", "   @   2  ", " 1     2  ", "    #     "]
    assert play(rows, (TEAM, TEAM)) == play(rows, (TEAM, TEAM))


@settings(max_examples=30, deadline=None)
@given(boards())
def test_never_raises(rows: list[str]) -> None:
    play(rows, (TEAM, TEAM), max_steps=40, num_shells=4)
