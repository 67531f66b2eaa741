from __future__ import annotations

from hypothesis import given, settings
from tests.plugins.team_games import IDLE, boards, play

from tiltyard_acorn import algorithms

TEAM = next(iter(algorithms()))


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
