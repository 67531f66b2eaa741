"""Tank seats in the manager's own process: every way to fail is charged once, to the right seat."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tiltyard_engine.errors import ContractError
from tiltyard_engine.records import TankTeam
from tiltyard_engine.results import Fault, SeatFault, Termination
from tiltyard_engine.seat_kinds.inline import InlineTankSeat
from tiltyard_engine.seat_kinds.seat_ports import OnFault
from tiltyard_engine.tanks import ActionRequest, BattleInfo, Player, SatelliteView, TankAlgorithm

ARGUMENTS = (4, 3, 100, 5)
SHOOT, IDLE, FORWARD = ActionRequest.SHOOT, ActionRequest.DO_NOTHING, ActionRequest.MOVE_FORWARD


class Tank(TankAlgorithm):
    """Does what its plan says: an action is the answer, anything else is returned as it is, an exception raised."""

    def __init__(self, plan: list[Any]) -> None:
        self.plan = plan
        self.infos: list[BattleInfo] = []

    def get_action(self) -> ActionRequest:
        step = self.plan.pop(0) if self.plan else SHOOT
        if isinstance(step, BaseException):
            raise step
        return step

    def update_battle_info(self, info: BattleInfo) -> None:
        self.infos.append(info)


class Commander(Player):
    """Notes what it is told and tells its tank a BattleInfo."""

    def __init__(self, *arguments: int) -> None:
        self.arguments = arguments

    def update_tank_with_battle_info(self, tank: TankAlgorithm, satellite_view: SatelliteView) -> None:
        tank.update_battle_info(BattleInfo())


class NoView(SatelliteView):
    def get_object_at(self, x: int, y: int) -> str:
        return " "


class MuteError(Exception):
    """Cannot even be printed."""

    def __str__(self) -> str:
        raise RuntimeError("no")

    __repr__ = __str__


class Quit(BaseException):
    """Not an Exception."""


def seat_of(*plans: list[Any], on_fault: OnFault = "idle", index: int = 2) -> tuple[InlineTankSeat, list[TankAlgorithm]]:
    """A seat with a tank a plan."""
    tanks = [Tank(list(plan)) for plan in plans]
    seat = InlineTankSeat(index, TankTeam("planned", Commander, lambda player, tank: tanks[tank]), ARGUMENTS, on_fault)
    return seat, [seat.create_tank(number) for number in range(len(plans))]


def fault_of(seat: InlineTankSeat) -> Fault:
    assert seat.fault is not None
    return seat.fault


def fail(error: BaseException) -> Any:
    raise error


# Sound teams


def test_factories_are_called_with_what_the_contract_says() -> None:
    calls: list[tuple[int, ...]] = []

    def player(*arguments: int) -> Player:
        calls.append(arguments)
        return Commander(*arguments)

    def tank(*arguments: int) -> TankAlgorithm:
        calls.append(arguments)
        return Tank([])

    seat = InlineTankSeat(2, TankTeam("noted", player, tank), ARGUMENTS)
    seat.create_tank(0)
    seat.create_tank(1)
    assert calls == [(2, 4, 3, 100, 5), (2, 0), (2, 1)]
    assert (seat.index, seat.name, seat.fault) == (2, "noted", None)


def test_answers_reach_the_manager() -> None:
    seat, tanks = seat_of([FORWARD, SHOOT], [IDLE, FORWARD])
    assert [tank.get_action() for tank in tanks] == [FORWARD, IDLE]
    assert list(seat.get_actions(tanks)) == [SHOOT, FORWARD]
    assert list(seat.get_actions([])) == []
    assert seat.fault is None


def test_a_player_tells_the_tank_that_asked() -> None:
    own = [Tank([]), Tank([])]
    seat = InlineTankSeat(1, TankTeam("told", Commander, lambda player, tank: own[tank]), ARGUMENTS)
    tanks = [seat.create_tank(0), seat.create_tank(1)]
    seat.player.update_tank_with_battle_info(tanks[1], NoView())
    assert [len(tank.infos) for tank in own] == [0, 1]
    tanks[0].update_battle_info(BattleInfo())
    assert [len(tank.infos) for tank in own] == [1, 1]


# Every way to fail


ANSWERS: list[tuple[Any, Termination, str]] = [
    (ValueError("boom"), Termination.CRASH, "get_action raised ValueError: boom"),
    (KeyError(), Termination.CRASH, "get_action raised KeyError"),
    (SystemExit(3), Termination.CRASH, "get_action raised SystemExit: 3"),
    (MuteError(), Termination.CRASH, "get_action raised MuteError"),
    (Quit("enough"), Termination.CRASH, "get_action raised Quit: enough"),
    (SeatFault(Fault(1, Termination.VOID, "not me")), Termination.CRASH, "get_action raised SeatFault: seat 1: void: not me"),
    (None, Termination.PROTOCOL, "get_action returned nothing (None), expected an ActionRequest"),
    (6, Termination.PROTOCOL, "get_action returned an integer (6), expected an ActionRequest"),
    ("SHOOT", Termination.PROTOCOL, "get_action returned a string ('SHOOT'), expected an ActionRequest"),
    ("x" * 999, Termination.PROTOCOL, f"get_action returned a string ('{'x' * 56}...), expected an ActionRequest"),
    (
        type("Odd", (), {"__repr__": lambda self: 1 / 0})(),
        Termination.PROTOCOL,
        "get_action returned a value of type Odd, expected an ActionRequest",
    ),
]


@pytest.mark.parametrize("at_once", [False, True])
@pytest.mark.parametrize(("answer", "termination", "message"), ANSWERS)
def test_a_wrong_answer_is_charged_once_and_the_seat_idles(
    answer: Any, termination: Termination, message: str, at_once: bool
) -> None:
    seat, tanks = seat_of([SHOOT, answer])

    def ask() -> ActionRequest:
        return seat.get_actions(tanks)[0] if at_once else tanks[0].get_action()

    assert [ask() for _ in range(4)] == [SHOOT, IDLE, IDLE, IDLE]
    fault = fault_of(seat)
    assert (fault.seat, fault.termination, fault.message, fault.round) == (2, termination, message, 2)


@pytest.mark.parametrize("at_once", [False, True])
@pytest.mark.parametrize(("answer", "termination", "message"), ANSWERS)
def test_a_wrong_answer_is_raised_to_managers_that_want_it_again_and_again(
    answer: Any, termination: Termination, message: str, at_once: bool
) -> None:
    seat, tanks = seat_of([SHOOT, answer], [FORWARD, FORWARD], on_fault="raise")
    assert list(seat.get_actions(tanks)) == [SHOOT, FORWARD]
    calls: list[Callable[[], object]] = [
        (lambda: seat.get_actions(tanks)) if at_once else tanks[0].get_action,
        tanks[0].get_action,
        tanks[1].get_action,
        lambda: seat.get_actions(tanks),
        lambda: seat.player.update_tank_with_battle_info(tanks[1], NoView()),
        lambda: tanks[1].update_battle_info(BattleInfo()),
        lambda: seat.create_tank(2),
    ]
    for call in calls:
        with pytest.raises(SeatFault) as raised:
            call()
        assert raised.value.fault is fault_of(seat)
    assert (fault_of(seat).termination, fault_of(seat).message) == (termination, message)


def test_a_crash_carries_the_traceback_of_the_team_alone() -> None:
    seat, tanks = seat_of([ZeroDivisionError("x")])
    tanks[0].get_action()
    text = fault_of(seat).traceback
    assert text.startswith("Traceback (most recent call last):\n")
    assert text.endswith("ZeroDivisionError: x\n")
    assert "test_inline.py" in text
    assert "tiltyard_engine" not in text


def test_an_interruption_is_nobodys_fault() -> None:
    seat, tanks = seat_of([KeyboardInterrupt()])
    with pytest.raises(KeyboardInterrupt):
        tanks[0].get_action()
    assert seat.fault is None


CONSTRUCTORS: list[tuple[Callable[..., Any], Termination, str]] = [
    (lambda *_: fail(ValueError("boom")), Termination.CRASH, "raised ValueError: boom"),
    (lambda *_: fail(Quit()), Termination.CRASH, "raised Quit"),
    (lambda: None, Termination.CRASH, "raised TypeError: "),
    (lambda *_: None, Termination.PROTOCOL, "returned NoneType, not a "),
    (lambda *_: NoView(), Termination.PROTOCOL, "returned NoView, not a "),
]


@pytest.mark.parametrize("on_fault", ["idle", "raise"])
@pytest.mark.parametrize(("factory", "termination", "message"), CONSTRUCTORS)
def test_a_tank_that_cannot_be_created(factory: Any, termination: Termination, message: str, on_fault: OnFault) -> None:
    seat = InlineTankSeat(2, TankTeam("broken", Commander, factory), ARGUMENTS, on_fault)
    if on_fault == "raise":
        for index in (0, 1):
            with pytest.raises(SeatFault):
                seat.create_tank(index)
    else:
        tank = seat.create_tank(0)
        assert tank.get_action() is IDLE
        assert list(seat.get_actions([tank, seat.create_tank(1)])) == [IDLE, IDLE]
        seat.player.update_tank_with_battle_info(tank, NoView())
        tank.update_battle_info(BattleInfo())
    fault = fault_of(seat)
    assert (fault.termination, fault.round) == (termination, 0)
    assert message in fault.message


@pytest.mark.parametrize("on_fault", ["idle", "raise"])
@pytest.mark.parametrize(("factory", "termination", "message"), CONSTRUCTORS)
def test_a_player_that_cannot_be_created(factory: Any, termination: Termination, message: str, on_fault: OnFault) -> None:
    """The seat is there all the same: the manager hears of it at its first call, or the seat idles."""
    seat = InlineTankSeat(2, TankTeam("broken", factory, lambda player, tank: Tank([])), ARGUMENTS, on_fault)
    assert fault_of(seat).termination is termination
    assert message in fault_of(seat).message
    if on_fault == "raise":
        with pytest.raises(SeatFault):
            seat.create_tank(0)
    else:
        tank = seat.create_tank(0)
        seat.player.update_tank_with_battle_info(tank, NoView())
        assert tank.get_action() is IDLE


@pytest.mark.parametrize("on_fault", ["idle", "raise"])
def test_a_player_that_fails_when_asked(on_fault: OnFault) -> None:
    class Bad(Commander):
        def update_tank_with_battle_info(self, tank: TankAlgorithm, satellite_view: SatelliteView) -> None:
            raise OSError("lost")

    seat = InlineTankSeat(1, TankTeam("bad", Bad, lambda player, tank: Tank([])), ARGUMENTS, on_fault)
    tank = seat.create_tank(0)
    tank.get_action()
    if on_fault == "raise":
        with pytest.raises(SeatFault):
            seat.player.update_tank_with_battle_info(tank, NoView())
    else:
        seat.player.update_tank_with_battle_info(tank, NoView())
    fault = fault_of(seat)
    assert (fault.termination, fault.message, fault.round) == (
        Termination.CRASH,
        "update_tank_with_battle_info raised OSError: lost",
        1,
    )


# What managers do


def test_the_first_charge_stands_and_is_what_later_ones_return() -> None:
    seat, tanks = seat_of([])
    tanks[0].get_action()
    first = seat.charge(Termination.ILLEGAL_MOVE, "through a wall")
    second = seat.charge(Termination.STALL, "too late")
    assert first.fault is second.fault is seat.fault
    assert fault_of(seat) == Fault(2, Termination.ILLEGAL_MOVE, "through a wall", 1)
    assert tanks[0].get_action() is IDLE


def test_answers_before_the_fault_are_carried() -> None:
    seat, tanks = seat_of([SHOOT], [FORWARD], [ValueError()], [SHOOT], on_fault="raise")
    with pytest.raises(SeatFault) as raised:
        seat.get_actions(tanks)
    assert raised.value.answers == (SHOOT, FORWARD)
    with pytest.raises(SeatFault) as raised:
        seat.get_actions(tanks)
    assert raised.value.answers == ()


def test_rounds_are_counted_by_the_seat() -> None:
    seat, tanks = seat_of([], [], [])
    assert seat.round == 0
    seat.get_actions(tanks)
    assert seat.round == 1
    for tank in tanks:
        tank.get_action()
    assert seat.round == 2
    seat.get_actions(tanks[1:])
    seat.get_actions(tanks[2:])
    seat.get_actions(tanks[2:])
    assert seat.round == 5


class Foreign(Tank):
    """A tank of the manager's own; it looks like a seat's."""

    tank_index = 0

    @property
    def algorithm(self) -> TankAlgorithm:
        return self


@pytest.mark.parametrize("on_fault", ["idle", "raise"])
@pytest.mark.parametrize("position", [0, 1])
@pytest.mark.parametrize("foreign", [Tank([]), Foreign([]), seat_of([])[1][0], seat_of([ValueError()])[1][0]])
def test_a_tank_of_somebody_else_is_the_managers_fault(foreign: TankAlgorithm, position: int, on_fault: OnFault) -> None:
    seat, tanks = seat_of([], on_fault=on_fault)
    tanks.insert(position, foreign)
    with pytest.raises(ContractError, match="get_actions was given a tank that this seat did not create"):
        seat.get_actions(tanks)
    with pytest.raises(ContractError, match="the Player of seat 2 was given a tank that its seat did not create"):
        seat.player.update_tank_with_battle_info(foreign, NoView())
    assert seat.fault is None


# Asking at once is asking one by one


plans = st.lists(st.sampled_from([*ActionRequest, ValueError("boom"), None, 6]), max_size=5)


@given(st.lists(plans, min_size=1, max_size=4), st.sampled_from(["idle", "raise"]))
def test_get_actions_is_get_action_one_by_one(tank_plans: list[list[Any]], on_fault: Any) -> None:
    one_seat, one_tanks = seat_of(*tank_plans, on_fault=on_fault)
    seat, tanks = seat_of(*tank_plans, on_fault=on_fault)
    for _ in range(6):
        one_by_one: list[object] = []
        raised = ""
        for tank in one_tanks:
            try:
                one_by_one.append(tank.get_action())
            except SeatFault as fault:
                raised = str(fault)
                break
        raised_at_once = ""
        try:
            at_once: list[object] = list(seat.get_actions(tanks))
        except SeatFault as fault:
            raised_at_once = str(fault)
            at_once = list(fault.answers)
        assert (at_once, raised_at_once) == (one_by_one, raised)
        assert (seat.fault is None) == (one_seat.fault is None)
        if seat.fault is not None and one_seat.fault is not None:
            assert (seat.fault.message, seat.fault.round) == (one_seat.fault.message, one_seat.fault.round)
