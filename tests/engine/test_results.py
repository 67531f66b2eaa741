"""Results and faults: plain values that travel."""

from __future__ import annotations

import dataclasses
import pickle

import pytest

from tiltyard_engine.results import MANAGER_SEAT, Fault, GameResult, SeatFault, Termination


@pytest.mark.parametrize(
    ("winner", "seats", "ranks"), [(0, 2, (1, 1)), (1, 2, (1, 2)), (2, 2, (2, 1)), (3, 4, (2, 2, 1, 2)), (0, 9, (1,) * 9)]
)
def test_ranks_are_made_of_the_winner(winner: int, seats: int, ranks: tuple[int, ...]) -> None:
    assert GameResult(winner, "OVER", 1, ()).ranks_for(seats) == ranks


def test_claimed_ranks_stand() -> None:
    assert GameResult(1, "OVER", 1, (), ranks=(1, 3, 2)).ranks_for(3) == (1, 3, 2)


def test_a_seat_fault_reads_as_one_phrase_and_carries_what_came_before() -> None:
    fault = Fault(2, Termination.ILLEGAL_MOVE, "through a wall", 7)
    raised = SeatFault(fault, ("a", "b"))
    assert str(raised) == "seat 2: illegal move: through a wall"
    assert (raised.fault, raised.answers) == (fault, ("a", "b"))
    assert SeatFault(fault).answers == ()


def test_results_are_frozen_equal_by_value_and_portable() -> None:
    result = GameResult(1, "OVER", 9, ("# ", " 1"), remaining_tanks=(1, 0), faults=(Fault(2, Termination.CRASH, "boom"),))
    assert pickle.loads(pickle.dumps(result)) == result
    with pytest.raises(dataclasses.FrozenInstanceError):
        result.winner = 2  # type: ignore[misc]


def test_terminations_are_words_for_people() -> None:
    assert [termination.value for termination in Termination] == [
        "normal",
        "illegal move",
        "timeout",
        "crash",
        "stall",
        "disconnect",
        "protocol",
        "out of memory",
        "forfeit",
        "void",
    ]
    assert MANAGER_SEAT == 0
