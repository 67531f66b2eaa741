"""Matches between programs, and between algorithms, for tests."""

from __future__ import annotations

import contextlib
import shutil
import sys
from collections.abc import Callable, Sequence
from pathlib import Path

from tiltyard_engine.host import Host
from tiltyard_engine.match import Match
from tiltyard_engine.programs import ProgramTeam
from tiltyard_engine.records import TurnTeam
from tiltyard_engine.replay import NullRecorder, Recorder
from tiltyard_engine.results import GameResult
from tiltyard_engine.seat_kinds.inline import InlineTurnSeat
from tiltyard_engine.seat_kinds.turn_seats import PortTurnSeat
from tiltyard_engine.turns import TurnAlgorithm
from tiltyard_penguins.map_files import PenguinsMap, read_map
from tiltyard_penguins.positions import PASS, PLACEMENT, Move, PenguinsPosition, has_something_to_do
from tiltyard_penguins.programs.penguins_master import ProgramPort
from tiltyard_penguins.referee import PenguinsGameManager, PenguinsSeat

PROGRAMS = Path(__file__).parents[2] / "programs" / "penguins"
PYTHON = shutil.which("python3", path="/usr/local/bin:/usr/bin:/bin") or sys.executable
"""One that programs in a sandbox may read."""

BOARD = """\
5 6
10 20 20 20 20 20
20 20 00 20 20 30
20 20 20 20 20 10
20 20 20 20 20 20
10 20 00 20 20 10
penguins=2
"""
"""Four floes with one fish: whoever places on the first of them and whoever places on the last one do not meet."""

Create = Callable[[int], TurnAlgorithm[PenguinsPosition, Move]]


class FirstPlayer(TurnAlgorithm[PenguinsPosition, Move]):
    """The first legal placement or move."""

    def choose(self, position: PenguinsPosition) -> Move:
        board = position.board()
        if not has_something_to_do(position, board):
            return PASS
        if position.phase == PLACEMENT:
            return Move(board.placements()[0])
        origin, target = board.moves(position.player)[0]
        return Move(target, origin)


def team_of(name: str, *, two_files: bool = False) -> ProgramTeam:
    """One of the programs for tests."""
    command = (PYTHON, "-S", "-B", f"{name}.py")
    return ProgramTeam(name=name, game="penguins", command=command, folder=str(PROGRAMS), protocol="two-files" if two_files else "")


def the_map(text: str = BOARD) -> PenguinsMap:
    return read_map("map", text.encode())


def play(
    players: Sequence[ProgramTeam | Create],
    board: PenguinsMap,
    host: Host | None = None,
    *,
    lenient: bool = False,
    seconds: float = 20.0,
    ports: list[ProgramPort] | None = None,
    recorder: Recorder | None = None,
) -> GameResult:
    """A match; algorithms are named ``player`` and their seat."""
    seats: list[PenguinsSeat] = []
    ports = [] if ports is None else ports
    with contextlib.ExitStack() as stack:
        for index, player in enumerate(players, start=1):
            if isinstance(player, ProgramTeam):
                assert host is not None
                program = stack.enter_context(host.open_program(player, {"move_seconds": seconds, "match_seconds": 900}))
                ports.append(ProgramPort(program, seconds))
                seats.append(PortTurnSeat(index, player.name, ports[-1]))
            else:
                seats.append(InlineTurnSeat(index, TurnTeam(f"player{index}", "penguins", player), Move))
        manager = PenguinsGameManager(asks_when_done=not lenient)
        return manager.run(Match(map=board, map_name="map", seats=seats, recorder=recorder or NullRecorder(), verbose=True))
