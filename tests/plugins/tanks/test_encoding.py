"""What a tank reckons of itself is what the rules do to it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tiltyard_engine.tanks import ActionRequest
from tiltyard_tanks.battle import Battle
from tiltyard_tanks.encoding import ENCODING, Memory, is_lost
from tiltyard_tanks.manager import BoardView
from tiltyard_tanks.maps import TankMap, player_arguments
from tiltyard_tanks.rules import REFERENCE

GRID = ("1   #   ", "  #   @ ", "       #", "   2    ", "#     2 ")
MAP = TankMap(title="a map", max_steps=100, num_shells=2, grid=GRID)
LASTING = replace(MAP, num_shells=1)
"""No wall falls by one shell: a tank can't know of that."""
REQUESTS = st.lists(st.sampled_from(ActionRequest), min_size=1, max_size=60)


class Played:
    """A battle in which only the first tank acts, and its memory."""

    def __init__(self, board: TankMap = LASTING) -> None:
        self.battle = Battle(GRID, board.num_shells, 2, REFERENCE)
        self.memory = Memory(1, 0, player_arguments(board))

    def play(self, request: ActionRequest) -> bool:
        """Whether the tank is still there."""
        battle = self.battle
        rows = BoardView(battle.look(), 8, 5, battle.square[0]).get_rows(8, 5)
        battle.begin_round()
        battle.judge([0], [int(request)])
        battle.first_half()
        self.memory.acted(request)
        if battle.asks and not battle.died[0]:
            self.memory.saw(rows)
        battle.second_half()
        return not battle.died[0]


def test_a_look_shows_that_a_wall_has_fallen() -> None:
    played = Played(MAP)
    # It faces left, and the board's edges join: the wall in the first row comes after three squares.
    requests = [ActionRequest.GET_BATTLE_INFO, *[ActionRequest.MOVE_FORWARD] * 3, ActionRequest.SHOOT]
    requests += (
        [ActionRequest.DO_NOTHING] * 6 + [ActionRequest.SHOOT] + [ActionRequest.DO_NOTHING] * 3 + [ActionRequest.MOVE_FORWARD]
    )
    for request in requests:
        assert played.play(request)
    assert (played.memory.place, played.battle.square[0]) == ((5, 0), 4)
    assert played.play(ActionRequest.GET_BATTLE_INFO)
    assert played.memory.place == (4, 0)


@given(requests=REQUESTS)
@settings(max_examples=60)
def test_a_tank_knows_where_it_is(requests: list[ActionRequest]) -> None:
    played = Played()
    played.play(ActionRequest.GET_BATTLE_INFO)
    for request in requests:
        if not played.play(request):
            break
        battle, memory = played.battle, played.memory
        x, y = memory.place
        assert (memory.heading, memory.phase, memory.shells, 8 * y + x) == (
            battle.heading[0],
            battle.phase[0],
            battle.ammo[0],
            battle.square[0],
        )


def planes_of(memory: Memory) -> list[list[str]]:
    """The planes as rows of digits."""
    observation = memory.observe()
    count, height, width = observation.shape
    values = [int(value) for value in observation.values]
    rows = ["".join(map(str, values[start : start + width])) for start in range(0, len(values), width)]
    return [rows[height * plane : height * (plane + 1)] for plane in range(count)]


def test_the_tank_is_in_the_middle() -> None:
    played = Played(MAP)
    played.play(ActionRequest.GET_BATTLE_INFO)
    walls, mines, shells, own, enemies, ahead, wait, left, since = planes_of(played.memory)
    assert ENCODING.spaces(MAP).shape == (9, 5, 8)
    # Its place is column 4 and row 2; the board's edges join.
    assert walls == ["00000000", "00001000", "10000000", "00000010", "00010000"]
    assert mines == ["00000000", "00000000", "00000000", "00100000", "00000000"]
    assert enemies == ["00000001", "00100000", "00000000", "00000000", "00000000"]
    assert shells == own == ["00000000"] * 5
    # A tank of player 1 begins with its barrel to the left.
    assert ahead == ["00000000", "00000000", "00010000", "00000000", "00000000"]
    assert wait == ["00000000"] * 5
    assert left == ["22222222"] * 5
    assert since == ["11111111"] * 5
    played.play(ActionRequest.SHOOT)
    *_, wait, left, since = planes_of(played.memory)
    assert (wait[0][0], left[0][0], since[0][0]) == ("4", "1", "2")


@pytest.mark.parametrize(("said", "expected"), [("killed", True), ("Shoot (killed)", True), ("Shoot (ignored)", False)])
def test_lost_tanks(said: str, expected: bool) -> None:
    assert is_lost(said) is expected


def test_owners_are_those_of_the_battle() -> None:
    owners: Callable[[Any], Any] = ENCODING.owners
    assert list(owners(MAP)) == Battle(GRID, 1, 2, REFERENCE).owner
