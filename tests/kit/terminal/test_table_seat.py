"""Seats at a table: answers of a saved game first, then those of the player."""

from __future__ import annotations

import pytest

from tiltyard_engine.results import Fault, SeatFault, Termination
from tiltyard_engine.turns import TurnAlgorithm
from tiltyard_kit.terminal.table_seat import TableSeat


class Counting(TurnAlgorithm[int, str]):
    """Answers with the position, and fails at 9."""

    def __init__(self) -> None:
        self.starts = 0

    def start(self, position: int) -> None:
        self.starts += 1

    def choose(self, position: int) -> str:
        if position == 9:
            raise SeatFault(Fault(1, Termination.FORFEIT, "resigned", 3))
        return f"new {position}"


class Table:
    """Holds answers for the first positions."""

    def __init__(self) -> None:
        self.kept = ["kept 0", "kept 1"]

    def kept_answer(self, seat: TableSeat[int, str], position: int) -> str | None:
        return self.kept[position] if position < len(self.kept) else None

    def answered(self, seat: TableSeat[int, str], position: int, answer: str) -> None:
        self.kept.append(f"{seat.name}: {answer}")


def test_kept_answers_come_first_and_new_ones_are_told() -> None:
    player, table = Counting(), Table()
    seat = TableSeat(1, "Anna", player, table)
    seat.start(0)
    assert [seat.choose(position) for position in range(3)] == ["kept 0", "kept 1", "new 2"]
    assert table.kept[2:] == ["Anna: new 2"]
    assert seat.round == 3


def test_a_game_that_is_played_again_starts_its_player_once() -> None:
    player, table = Counting(), Table()
    seat = TableSeat(1, "Anna", player, table)
    for _ in range(2):
        seat.start(0)
        seat.choose(0)
    assert (player.starts, seat.round) == (1, 1)


def test_a_players_fault_is_the_seats() -> None:
    seat = TableSeat(1, "Anna", Counting(), Table())
    seat.start(0)
    with pytest.raises(SeatFault):
        seat.choose(9)
    assert seat.fault == Fault(1, Termination.FORFEIT, "resigned", 3)
    charged = TableSeat(2, "Ben", Counting(), Table()).charge(Termination.ILLEGAL_MOVE, "no such move")
    assert charged.fault == Fault(2, Termination.ILLEGAL_MOVE, "no such move", 0)
