"""What a Player in the manager's process sees: only the board, and only while it is asked."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tiltyard_engine.records import TankTeam
from tiltyard_engine.results import Termination
from tiltyard_engine.seat_kinds.inline import InlineTankSeat
from tiltyard_engine.tanks import OUTSIDE, ActionRequest, BattleInfo, Player, SatelliteView, TankAlgorithm

BOARD = ["#1 %", "@ *2", "    "]


class Idle(TankAlgorithm):
    def __init__(self, player_index: int, tank_index: int) -> None: ...

    def get_action(self) -> ActionRequest:
        return ActionRequest.DO_NOTHING

    def update_battle_info(self, info: BattleInfo) -> None: ...


class Slow(SatelliteView):
    """A manager's view that knows single squares, and shows rubbish beyond the board."""

    def get_object_at(self, x: int, y: int) -> str:
        return BOARD[y][x] if 0 <= x < 4 and 0 <= y < 3 else "?"


class Fast(Slow):
    """One that gives rows as it likes."""

    def get_rows(self, width: int, height: int) -> Sequence[str]:
        return tuple(row[:width] for row in BOARD[:height])


class Looking(Player):
    """Hands the view to whoever wants to see it."""

    def __init__(self, look: Callable[[SatelliteView], object]) -> None:
        self.look = look

    def update_tank_with_battle_info(self, tank: TankAlgorithm, satellite_view: SatelliteView) -> None:
        self.look(satellite_view)


def show(view: SatelliteView, look: Callable[[SatelliteView], object]) -> InlineTankSeat:
    """Let a team look at a manager's view; the seat afterwards."""
    seat = InlineTankSeat(1, TankTeam("looking", lambda *_: Looking(look), Idle), (4, 3, 10, 5))
    seat.player.update_tank_with_battle_info(seat.create_tank(0), view)
    return seat


@pytest.mark.parametrize("view", [Slow(), Fast()])
@given(x=st.integers(-9, 9), y=st.integers(-9, 9))
def test_outside_the_board_is_outside_whatever_the_manager_shows(view: SatelliteView, x: int, y: int) -> None:
    seen: list[str] = []
    assert show(view, lambda shown: seen.append(shown.get_object_at(x, y))).fault is None
    assert seen == [BOARD[y][x] if 0 <= x < 4 and 0 <= y < 3 else OUTSIDE]


@pytest.mark.parametrize("view", [Slow(), Fast()])
@given(width=st.integers(-2, 7), height=st.integers(-2, 6))
def test_rows_are_what_the_squares_are(view: SatelliteView, width: int, height: int) -> None:
    def look(shown: SatelliteView) -> None:
        rows = ["".join(shown.get_object_at(x, y) for x in range(width)) for y in range(height)]
        seen.append((list(shown.get_rows(width, height)), rows))

    seen: list[tuple[list[str], list[str]]] = []
    assert show(view, look).fault is None
    ((at_once, one_by_one),) = seen
    assert at_once == one_by_one


def test_a_view_expires_when_the_call_returns() -> None:
    kept: list[SatelliteView] = []

    class Late(Idle):
        def get_action(self) -> ActionRequest:
            kept[0].get_object_at(0, 0)
            return ActionRequest.DO_NOTHING

    seat = InlineTankSeat(1, TankTeam("late", lambda *_: Looking(kept.append), Late), (4, 3, 10, 5))
    tank = seat.create_tank(0)
    seat.player.update_tank_with_battle_info(tank, Slow())
    with pytest.raises(RuntimeError, match="expired: copy what you need"):
        kept[0].get_object_at(0, 0)
    with pytest.raises(RuntimeError, match="expired: copy what you need"):
        kept[0].get_rows(4, 3)
    assert tank.get_action() is ActionRequest.DO_NOTHING
    assert seat.fault is not None
    assert seat.fault.message.startswith("get_action raised ViewExpiredError: this SatelliteView has expired")


def test_a_view_expires_when_the_player_fails_too() -> None:
    kept: list[SatelliteView] = []

    def look(view: SatelliteView) -> None:
        kept.append(view)
        raise ValueError("boom")

    assert show(Slow(), look).fault is not None
    with pytest.raises(RuntimeError, match="expired"):
        kept[0].get_object_at(0, 0)


class Broken(SatelliteView):
    def get_object_at(self, x: int, y: int) -> str:
        raise IndexError("the manager's own mistake")


@pytest.mark.parametrize("look", [lambda view: view.get_object_at(1, 1), lambda view: view.get_rows(4, 3)])
def test_a_view_that_fails_is_the_managers_fault(look: Callable[[SatelliteView], object]) -> None:
    with pytest.raises(IndexError, match="the manager's own mistake"):
        show(Broken(), look)


def test_a_view_that_fails_is_the_managers_fault_even_if_the_team_catches_it() -> None:
    def look(view: SatelliteView) -> None:
        with pytest.raises(IndexError):
            view.get_object_at(1, 1)

    with pytest.raises(IndexError, match="the manager's own mistake"):
        show(Broken(), look)


@pytest.mark.parametrize("look", [lambda view: view.get_object_at("1", 1), lambda view: view.get_rows(4, None)])
def test_a_view_that_is_asked_nonsense_is_the_teams_fault(look: Callable[[SatelliteView], object]) -> None:
    seat = show(Slow(), look)
    assert seat.fault is not None
    assert seat.fault.termination is Termination.CRASH


def test_a_fraction_of_a_square_is_the_teams_fault() -> None:
    seat = show(Slow(), lambda view: view.get_object_at(1.5, 1))  # type: ignore[arg-type]
    assert seat.fault is not None
    assert seat.fault.termination is Termination.CRASH
