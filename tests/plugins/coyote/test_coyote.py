from __future__ import annotations

from hypothesis import given, settings
from tests.plugins.team_games import IDLE, boards, play

from tiltyard_coyote import algorithms

TEAM = next(iter(algorithms()))


def test_finds_a_way_around_walls() -> None:
    result = play(["############", "#1    #    #", "#     # 2  #", "#     #    #", "#          #", "############"], (TEAM, IDLE))
    assert result.winner == 1


def test_never_hits_its_own() -> None:
    result = play(["##########", "#1 1   2 #", "#1 1     #", "#1 1     #", "##########"], (TEAM, IDLE))
    assert result.winner == 1
    assert result.remaining_tanks == (6, 0)


def test_keeps_off_mines() -> None:
    result = play(["#########", "#1@   @ #", "# @ @ @2#", "#   @   #", "#########"], (TEAM, IDLE))
    assert result.winner == 1
    assert result.remaining_tanks == (1, 0)


def test_same_game_twice() -> None:
    rows = ["          ", " 1   #    ", "   @   2  ", " 1     2  ", "    #     "]
    assert play(rows, (TEAM, TEAM)) == play(rows, (TEAM, TEAM))


@settings(max_examples=30, deadline=None)
@given(boards())
def test_never_raises(rows: list[str]) -> None:
    play(rows, (TEAM, TEAM), max_steps=40, num_shells=4)
