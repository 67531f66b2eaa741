from __future__ import annotations

import pytest

from tiltyard_engine.tanks import ActionRequest
from tiltyard_tanks.defaults import enemy_headings, find, turn_towards

BOARD = ("#2  1", "     ", "2 %  ", "   1 ", "  2  ")


def test_find() -> None:
    assert find(BOARD, "%") == (2, 2)
    assert find(BOARD, "9") == (0, 0)


def test_enemies_in_line_nearest_first_and_over_the_edges() -> None:
    assert enemy_headings(BOARD, 2, 2, "1") == [4, 6, 0, 2]
    assert enemy_headings(BOARD, 2, 2, "2") == [3, 1, 5]


@pytest.mark.parametrize("heading", range(8))
@pytest.mark.parametrize("target", range(8))
def test_turning_reaches_its_target_within_two_turns(heading: int, target: int) -> None:
    turns = 0
    while heading != target:
        heading, action = turn_towards(heading, target)
        assert action in (
            ActionRequest.ROTATE_LEFT_45,
            ActionRequest.ROTATE_RIGHT_45,
            ActionRequest.ROTATE_LEFT_90,
            ActionRequest.ROTATE_RIGHT_90,
        )
        turns += 1
    assert turns <= 2
