"""Cells and inline seats give the same games, the same views, the same faults."""

from __future__ import annotations

import io
import random
import re
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest
from tests.simulator.guard.conftest import Teams, Walls, WriteTeams, open_tanks

from tiltyard_engine.errors import ContractError
from tiltyard_engine.match import Match
from tiltyard_engine.records import Game
from tiltyard_engine.registry import Reference
from tiltyard_engine.results import Fault, GameResult, SeatFault, Termination
from tiltyard_engine.seat_kinds.seat_ports import OnFault
from tiltyard_engine.seats import TankSeat
from tiltyard_engine.tanks import ActionRequest, BattleInfo, SatelliteView, TankAlgorithm
from tiltyard_simulator.guard.cell_pool import CellPool
from tiltyard_simulator.guard.cells.cell_port import SeatSpec
from tiltyard_simulator.guard.seats import TURNS
from tiltyard_simulator.match.isolation import Isolation
from tiltyard_simulator.match.limits import Limits
from tiltyard_tanks.manager import TanksGameManager
from tiltyard_tanks.maps import TankMap, player_arguments

ARGUMENTS = (4, 3, 100, 5)
SHOOT, IDLE = ActionRequest.SHOOT, ActionRequest.DO_NOTHING
CELLS = (Isolation.PROCESS, Isolation.SANDBOX)
LIMITS = Limits()

LOOKING = """
import hashlib, random

class Looking(TankAlgorithm):
    '''Draws its actions from what it has seen.'''
    def __init__(self, player_index, tank_index):
        self.random = random.Random(10 * player_index + tank_index)
    def get_action(self):
        return ActionRequest(self.random.randrange(9))
    def update_battle_info(self, info):
        self.random.seed(info.seen)

class Info(BattleInfo):
    pass

class Rows(Player):
    def __init__(self, player_index, x, y, max_steps, num_shells):
        self.size = x, y
    def update_tank_with_battle_info(self, tank, satellite_view):
        x, y = self.size
        info = Info()
        info.seen = repr(satellite_view.get_rows(x + 2, y + 1))
        tank.update_battle_info(info)

class Squares(Rows):
    def update_tank_with_battle_info(self, tank, satellite_view):
        x, y = self.size
        info = Info()
        info.seen = "".join(satellite_view.get_object_at(column, row) for row in range(-1, y + 1) for column in range(-1, x + 1))
        tank.update_battle_info(info)

@hookimpl
def algorithms():
    yield TankTeam("rows", player=Rows, tank=Looking)
    yield TankTeam("squares", player=Squares, tank=Looking)
"""


def open_seat(
    cells: CellPool, reference: Reference, isolation: Isolation, on_fault: OnFault = "idle", limits: Limits = LIMITS, index: int = 2
) -> Any:
    """A tank seat."""
    return open_tanks(cells, index, reference, isolation, on_fault, limits=limits)


# Sound teams


def a_board(seed: int) -> TankMap:
    """A small board with walls, mines and up to four tanks a player."""
    draw = random.Random(seed)
    width, height = draw.randint(3, 12), draw.randint(2, 9)
    grid = [[draw.choice("    #@") for _ in range(width)] for _ in range(height)]
    for _ in range(draw.randint(1, 4)):
        for player in "12":
            grid[draw.randrange(height)][draw.randrange(width)] = player
    return TankMap(title="drawn", max_steps=60, num_shells=6, grid=tuple("".join(row) for row in grid), players=2)


def play(cells: CellPool, teams: Teams, board: TankMap, isolation: Isolation) -> tuple[GameResult, list[Fault | None]]:
    """One game with its log."""
    seats: list[TankSeat] = [
        open_tanks(cells, index, teams[name], isolation, "raise", setting=player_arguments(board))
        for index, name in enumerate(("rows", "squares"), start=1)
    ]
    result = TanksGameManager().run(Match(map=board, map_name="drawn", seats=seats, verbose=True))
    cells.end_match()
    return result, [seat.fault for seat in seats]


@pytest.mark.parametrize("isolation", CELLS)
def test_games_are_the_same_as_inline(cells: CellPool, write_teams: WriteTeams, isolation: Isolation) -> None:
    teams = write_teams(LOOKING)
    briefed = 0
    for seed in range(8):
        board = a_board(seed)
        inline, cell = play(cells, teams, board, Isolation.INLINE), play(cells, teams, board, isolation)
        assert cell == inline
        assert inline[1] == [None, None]
        briefed += inline[0].log.count("GetBattleInfo")
    assert briefed > 15


# Every way to fail


FAULTS = {
    "error": "def act(): raise ValueError('two lines:\\nhere')",
    "unicode": "def act(): raise ValueError('\\u00e9\\u4e2d')",
    "exit": "def act(): raise SystemExit(3)",
    "base": "class Quit(BaseException): pass\ndef act(): raise Quit()",
    "memory": "def act(): raise MemoryError('none left')",
    "recursion": "def act(): return act()",
    "none": "def act(): return None",
    "number": "def act(): return 6",
    "odd": "class Odd:\n    def __repr__(self): raise ValueError\ndef act(): return Odd()",
    "seat": "def act(): raise SeatFault(Fault(1, Termination.VOID, 'not me'))",
    "stdin": "def act(): return input()",
    "syntax": "def act(): return compile('1 +', 'x', 'eval')",
}
ONE = "\n@hookimpl\ndef algorithms():\n    yield team('bad', act)\n"


@pytest.mark.parametrize("at_once", [False, True])
@pytest.mark.parametrize("isolation", CELLS)
@pytest.mark.parametrize("name", FAULTS)
def test_faults_are_those_of_inline_seats(
    cells: CellPool, write_teams: WriteTeams, name: str, isolation: Isolation, at_once: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sys.stdin", io.StringIO())
    reference = write_teams(FAULTS[name] + ONE)["bad"]
    found = []
    for held in (Isolation.INLINE, isolation):
        seat = open_seat(cells, reference, held)
        tanks = [seat.create_tank(0), seat.create_tank(1)]
        for _ in range(3):
            answers = list(seat.get_actions(tanks)) if at_once else [tank.get_action() for tank in tanks]
        assert answers == [IDLE, IDLE]
        found.append(seat.fault)
    assert without_depth(found[0]) == without_depth(found[1])
    assert (found[1].seat, found[1].round) == (2, 2)


def without_depth(fault: Fault) -> Fault:
    """How deep a recursion came depends on who called first."""
    return replace(fault, traceback=re.sub(r"repeated \d+ more times", "repeated", fault.traceback))


ELSEWHERE = """
import os

class Keeper(Player):
    kept = None
    def update_tank_with_battle_info(self, tank, satellite_view):
        view, Keeper.kept = Keeper.kept, satellite_view
        if view is not None:
            view.get_rows(1, 1)

class BadPlayer(Commander):
    def __init__(self, *arguments):
        raise OSError("no-player")

class BadAnswer(Player):
    def update_tank_with_battle_info(self, tank, satellite_view):
        satellite_view.get_object_at(0, 0)
        raise KeyError("lost")

class BadTank(Tank):
    def update_battle_info(self, info):
        raise LookupError("nothing")

def no_tank(player_index, tank_index):
    return "tank" if tank_index else Tank(player_index, tank_index)

def failing_tank(player_index, tank_index):
    raise RuntimeError(f"tank {tank_index}")

@hookimpl
def algorithms():
    yield team("keeper", player=Keeper)
    yield team("bad-player", player=BadPlayer)
    yield team("no-player", player=lambda *arguments: None)
    yield team("bad-answer", player=BadAnswer)
    yield team("bad-tank", tank=BadTank)
    yield team("no-tank", tank=no_tank)
    yield team("failing-tank", tank=failing_tank)
"""


@pytest.mark.parametrize("on_fault", ["idle", "raise"])
@pytest.mark.parametrize("isolation", CELLS)
@pytest.mark.parametrize("name", ["keeper", "bad-player", "no-player", "bad-answer", "bad-tank", "no-tank", "failing-tank"])
def test_faults_outside_get_action(
    cells: CellPool, write_teams: WriteTeams, name: str, isolation: Isolation, on_fault: OnFault
) -> None:
    reference = write_teams(ELSEWHERE)[name]
    found = []
    for held in (Isolation.INLINE, isolation):
        seat = open_seat(cells, reference, held, on_fault)
        raised: list[str] = []
        tanks: list[TankAlgorithm] = []

        def attempt(call: Callable[[], object], raised: list[str] = raised) -> None:
            try:
                call()
            except SeatFault as fault:
                raised.append(str(fault))

        attempt(lambda seat=seat, tanks=tanks: tanks.extend(seat.create_tank(index) for index in range(2)))  # type: ignore[misc]
        if len(tanks) == 2:
            attempt(lambda seat=seat, tanks=tanks: seat.get_actions(tanks))  # type: ignore[misc]
            for _ in range(2):
                attempt(lambda seat=seat, tanks=tanks: seat.player.update_tank_with_battle_info(tanks[1], Walls()))  # type: ignore[misc]
            attempt(tanks[0].get_action)
        found.append((seat.fault, raised))
    assert found[0] == found[1]
    assert found[1][0] is not None


LATE = """
class Late(Tank):
    def __init__(self, player_index, tank_index):
        self.rounds = 3 if tank_index < 2 else 1
    def misbehave(self):
        return 1 / 0

@hookimpl
def algorithms():
    yield team("late", tank=Late)
"""


@pytest.mark.parametrize("isolation", [Isolation.INLINE, *CELLS])
def test_answers_before_the_fault_are_carried(cells: CellPool, write_teams: WriteTeams, isolation: Isolation) -> None:
    late = write_teams(LATE)["late"]
    seat = open_seat(cells, late, isolation, "raise")
    tanks = [seat.create_tank(index) for index in range(4)]
    with pytest.raises(SeatFault) as raised:
        seat.get_actions(tanks)
    assert raised.value.answers == (SHOOT, SHOOT)
    with pytest.raises(SeatFault) as raised:
        seat.get_actions(tanks)
    assert raised.value.answers == ()
    idle = open_seat(cells, late, isolation)
    assert list(idle.get_actions([idle.create_tank(index) for index in range(4)])) == [SHOOT, SHOOT, IDLE, IDLE]


# What managers do


class BadView(SatelliteView):
    """The manager's own mistake."""

    def get_object_at(self, x: int, y: int) -> str:
        raise ZeroDivisionError


@pytest.mark.parametrize("isolation", CELLS)
def test_a_managers_mistakes_are_its_own(cells: CellPool, write_teams: WriteTeams, isolation: Isolation) -> None:
    reference = write_teams(LOOKING)["rows"]
    seat, other = (open_seat(cells, reference, isolation) for _ in range(2))
    tank, foreign = seat.create_tank(0), other.create_tank(0)
    with pytest.raises(ContractError, match="get_actions was given a tank"):
        seat.get_actions([tank, foreign])
    with pytest.raises(ContractError, match="the Player of seat 2 was given a tank"):
        seat.player.update_tank_with_battle_info(foreign, Walls())
    with pytest.raises(ZeroDivisionError):
        seat.player.update_tank_with_battle_info(tank, BadView())
    with pytest.raises(ContractError, match="a GameManager can hand a tank only an empty BattleInfo"):
        tank.update_battle_info(type("Own", (BattleInfo,), {})())
    assert seat.fault is None
    assert list(seat.get_actions([])) == []
    assert len(seat.get_actions([tank])) == 1


def test_rounds_and_charges(cells: CellPool, write_teams: WriteTeams) -> None:
    reference = write_teams(LOOKING)["rows"]
    seat = open_seat(cells, reference, Isolation.PROCESS)
    tanks = [seat.create_tank(index) for index in range(3)]
    seat.get_actions(tanks)
    for tank in tanks:
        tank.get_action()
    seat.get_actions(tanks[1:])
    seat.get_actions(tanks[2:])
    seat.get_actions(tanks[2:])
    assert seat.round == 5
    assert seat.charge(Termination.ILLEGAL_MOVE, "no").fault == Fault(2, Termination.ILLEGAL_MOVE, "no", 5)
    assert tanks[0].get_action() is IDLE


# Turn-based games

NIM = """
from dataclasses import dataclass
from tiltyard_engine import (
    ActionRequest, BattleInfo, Game, GameManager, GameMaps, GameResult, Manager, Player, SatelliteView, SeatFault, TankAlgorithm,
    TankSeat, TankTeam, Termination, TurnAlgorithm, TurnInterface, TurnTeam, ViewExpiredError, hookimpl,
)

@dataclass(frozen=True)
class Heap:
    sticks: int
    names: tuple[str, ...] = ("a", "b")

@dataclass(frozen=True)
class Take:
    sticks: int

class Perfect(TurnAlgorithm):
    def __init__(self, seat):
        self.seen = None
    def start(self, position):
        self.seen = position
    def choose(self, position):
        assert isinstance(position, Heap) and isinstance(position.names, tuple)
        return Take(position.sticks % 4 or 1)

class Planned(Perfect):
    plan = None
    def choose(self, position):
        return self.plan()

def fail():
    raise ValueError("boom")

class Starter(Perfect):
    def start(self, position):
        raise OSError("not today")

@hookimpl
def games():
    yield Game(
        name="nim",
        seats=range(2, 3),
        maps=GameMaps(lambda name, data, seats: Heap(9)),
        interface=TurnInterface(Heap, Take),
    )

@hookimpl
def algorithms():
    for name, create in {
        "perfect": Perfect,
        "crasher": type("Crasher", (Planned,), {"plan": lambda self: fail()}),
        "liar": type("Liar", (Planned,), {"plan": lambda self: 3}),
        "starter": Starter,
        "nobody": lambda seat: None,
        "typist": type("Typist", (Planned,), {"plan": lambda self: Take("3")}),
        "hoarder": type("Hoarder", (Planned,), {"plan": lambda self: Take(object())}),
    }.items():
        yield TurnTeam(name, "nim", create)
"""


def turns(cells: CellPool, teams: Teams, name: str, isolation: Isolation) -> tuple[list[Any], Fault | None]:
    """What two turns bring."""
    game: Game[Any] = teams["nim"].load_as(Game)
    seat: Any = cells.open_seat(TURNS, SeatSpec(index=1, team=teams[name], game=teams["nim"], setting=game, isolation=isolation))
    heap = game.maps.read("", b"", 2)
    answers: list[Any] = []
    try:
        seat.start(heap)
        answers += [seat.choose(heap), seat.choose(heap)]
    except SeatFault as fault:
        answers.append(str(fault))
    return answers, seat.fault


@pytest.mark.parametrize("isolation", CELLS)
@pytest.mark.parametrize("name", ["perfect", "crasher", "liar", "starter", "nobody"])
def test_turns_are_the_same_as_inline(cells: CellPool, write_teams: WriteTeams, name: str, isolation: Isolation) -> None:
    teams = write_teams(NIM, head="")
    inline, cell = (turns(cells, teams, name, held) for held in (Isolation.INLINE, isolation))
    assert cell == inline
    assert (cell[1] is None) == (name == "perfect")


@pytest.mark.parametrize("name", ["typist", "hoarder"])
def test_an_answer_with_wrong_fields_never_reaches_the_manager(cells: CellPool, write_teams: WriteTeams, name: str) -> None:
    _, fault = turns(cells, write_teams(NIM, head=""), name, Isolation.PROCESS)
    assert fault is not None
    assert fault.termination is Termination.PROTOCOL
