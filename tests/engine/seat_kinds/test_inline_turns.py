"""Turn seats in the manager's own process, with a small game of Nim."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import pytest

from tiltyard_engine.errors import ContractError
from tiltyard_engine.match import GameManager, Match
from tiltyard_engine.records import TurnTeam
from tiltyard_engine.results import Fault, GameResult, SeatFault, Termination
from tiltyard_engine.seat_kinds.inline import InlineTurnSeat
from tiltyard_engine.seats import TurnSeat
from tiltyard_engine.turns import TurnAlgorithm


@dataclass(frozen=True)
class Heap:
    """What a player sees."""

    sticks: int


@dataclass(frozen=True)
class Take:
    """What a player answers: 1 to 3 sticks."""

    sticks: int


NimSeat = TurnSeat[Heap, Take]


class Nim(GameManager[int, NimSeat]):
    """Who takes the last stick wins; who fails loses."""

    def run(self, match: Match[int, NimSeat]) -> GameResult:
        sticks, turn = match.map, 0
        try:
            for seat in match.seats:
                seat.start(Heap(sticks))
            while sticks:
                seat = match.seats[turn % 2]
                taken = seat.choose(Heap(sticks)).sticks
                if not 1 <= taken <= min(3, sticks):
                    raise seat.charge(Termination.ILLEGAL_MOVE, f"{taken} of {sticks} sticks")
                sticks -= taken
                turn += 1
        except SeatFault as fault:
            return GameResult(3 - fault.fault.seat, "FAULT", turn, (str(sticks),), faults=(fault.fault,))
        return GameResult((turn - 1) % 2 + 1, "LAST_STICK", turn, ("0",))


class Perfect(TurnAlgorithm[Heap, Take]):
    def __init__(self, seat: int) -> None:
        self.seen: list[Heap] = []

    def start(self, position: Heap) -> None:
        self.seen.append(position)

    def choose(self, position: Heap) -> Take:
        return Take(position.sticks % 4 or 1)


class Planned(TurnAlgorithm[Heap, Take]):
    """Answers what the plan says; calls what can be called."""

    def __init__(self, plan: list[Any]) -> None:
        self.plan = plan

    def choose(self, position: Heap) -> Take:
        step = self.plan.pop(0)
        return step() if callable(step) else step  # type: ignore[no-any-return]


def fail(error: BaseException) -> Any:
    raise error


def seat_of(index: int, create: Callable[[int], TurnAlgorithm[Any, Any]]) -> InlineTurnSeat[Heap, Take]:
    return InlineTurnSeat(index, TurnTeam("player", "nim", create), Take)


def play(sticks: int, *creates: Callable[[int], TurnAlgorithm[Any, Any]]) -> GameResult:
    seats = [seat_of(index, create) for index, create in enumerate(creates, start=1)]
    return Nim().run(Match(map=sticks, map_name="heap", seats=seats))


@pytest.mark.parametrize(("sticks", "winner"), [(1, 1), (4, 2), (5, 1), (8, 2), (21, 1)])
def test_a_whole_game(sticks: int, winner: int) -> None:
    assert play(sticks, Perfect, Perfect).winner == winner


def test_start_is_before_anybodys_turn_and_may_be_left_out() -> None:
    algorithm = Perfect(1)
    seat = seat_of(1, lambda index: algorithm)
    seat.start(Heap(3))
    assert algorithm.seen == [Heap(3)]
    assert seat.choose(Heap(3)) == Take(3)
    idle = seat_of(2, lambda index: Planned([Take(1)]))
    idle.start(Heap(3))
    assert idle.choose(Heap(3)) == Take(1)


FAULTS: list[tuple[Any, Termination, str]] = [
    (lambda: fail(ValueError("boom")), Termination.CRASH, "choose raised ValueError: boom"),
    (lambda: fail(SystemExit(1)), Termination.CRASH, "choose raised SystemExit: 1"),
    (lambda: fail(GeneratorExit()), Termination.CRASH, "choose raised GeneratorExit"),
    (3, Termination.PROTOCOL, "choose returned an integer (3), expected Take"),
    (None, Termination.PROTOCOL, "choose returned nothing (None), expected Take"),
    (Take(4), Termination.ILLEGAL_MOVE, "4 of 9 sticks"),
]


@pytest.mark.parametrize(("answer", "termination", "message"), FAULTS)
def test_a_fault_ends_the_game_for_the_seat_that_failed(answer: Any, termination: Termination, message: str) -> None:
    result = play(11, lambda seat: Planned([Take(1), answer]), lambda seat: Planned([Take(1)]))
    assert result.winner == 2
    (fault,) = result.faults
    assert (fault.seat, fault.termination, fault.message, fault.round) == (1, termination, message, 2)


CREATES: list[tuple[Callable[..., Any], Termination, str]] = [
    (lambda seat: fail(ValueError("boom")), Termination.CRASH, "starting raised ValueError: boom"),
    (lambda: None, Termination.CRASH, "starting raised TypeError: "),
    (lambda seat: None, Termination.PROTOCOL, "create returned NoneType, not a TurnAlgorithm"),
    (lambda seat: Heap, Termination.PROTOCOL, "create returned type, not a TurnAlgorithm"),
]


@pytest.mark.parametrize(("create", "termination", "message"), CREATES)
def test_an_algorithm_that_cannot_be_created(create: Any, termination: Termination, message: str) -> None:
    result = play(9, Perfect, create)
    assert result.winner == 1
    (fault,) = result.faults
    assert (fault.seat, fault.termination, fault.round) == (2, termination, 0)
    assert fault.message.startswith(message)


def test_every_later_call_raises_the_same_fault() -> None:
    seat = seat_of(1, lambda index: Planned([None, Take(1)]))
    seat.start(Heap(9))
    for call in (seat.choose, seat.choose, seat.start):
        with pytest.raises(SeatFault) as raised:
            call(Heap(9))
        assert raised.value.fault is seat.fault
    assert seat.charge(Termination.STALL, "again").fault is seat.fault


def test_asking_a_seat_before_play_began_is_the_managers_fault() -> None:
    seat = seat_of(1, Perfect)
    with pytest.raises(ContractError, match="seat 1 was asked to choose before start"):
        seat.choose(Heap(3))
    assert seat.fault is None


def test_a_traceback_is_the_teams_alone() -> None:
    seat = seat_of(1, lambda index: Planned([lambda: fail(ValueError("boom"))]))
    seat.start(Heap(9))
    with pytest.raises(SeatFault):
        seat.choose(Heap(9))
    assert isinstance(seat.fault, Fault)
    assert "test_inline_turns.py" in seat.fault.traceback
    assert "tiltyard_engine" not in seat.fault.traceback
