"""Matches for tests: scripts in place of algorithms, and the programs of tests/programs/advance."""

from __future__ import annotations

import shutil
import sys
from collections.abc import Iterable, Sequence
from pathlib import Path

from tiltyard_advance.board_files import rows_of
from tiltyard_advance.manager import AdvanceGameManager, AdvanceSeat
from tiltyard_advance.map_files import AdvanceMap
from tiltyard_advance.positions import START, AdvancePosition, Turn
from tiltyard_advance.rules import Board
from tiltyard_engine.match import Match
from tiltyard_engine.programs import ProgramTeam
from tiltyard_engine.records import TurnTeam
from tiltyard_engine.replay import NullRecorder, Recorder
from tiltyard_engine.results import GameResult
from tiltyard_engine.seat_kinds.inline import InlineTurnSeat
from tiltyard_engine.turns import TurnAlgorithm

PROGRAMS = Path(__file__).parents[2] / "programs" / "advance"
PYTHON = shutil.which("python3", path="/usr/local/bin:/usr/bin:/bin") or sys.executable
"""One that programs in a sandbox may read."""


class Scripted(TurnAlgorithm[AdvancePosition, Turn]):
    """Answers with these boards, and at the end with any legal move."""

    def __init__(self, answers: Iterable[str | Turn]) -> None:
        self.answers = list(answers)
        self.seen: list[AdvancePosition] = []

    def choose(self, position: AdvancePosition) -> Turn:
        self.seen.append(position)
        if self.answers:
            answer = self.answers.pop(0)
            return answer if isinstance(answer, Turn) else Turn(answer)
        board = Board(position.board)
        board.make(board.legal_moves(position.side)[0])
        return Turn("\n".join(rows_of(board.text())))


def play(
    white: TurnAlgorithm[AdvancePosition, Turn],
    black: TurnAlgorithm[AdvancePosition, Turn],
    board: str = START,
    plies: int = 200,
    recorder: Recorder | None = None,
    seed: int = 0,
) -> tuple[GameResult, Sequence[AdvanceSeat]]:
    """A match, and its seats."""
    teams = (TurnTeam("team1", "advance", lambda seat: white), TurnTeam("team2", "advance", lambda seat: black))
    seats: list[AdvanceSeat] = [InlineTurnSeat(number, team, Turn) for number, team in enumerate(teams, start=1)]
    match = Match(
        map=AdvanceMap(board, plies), map_name="map", seats=seats, seed=seed, recorder=recorder or NullRecorder(), verbose=True
    )
    return AdvanceGameManager().run(match), seats


def team_of(name: str, protocol: str = "") -> ProgramTeam:
    """One of the programs for tests."""
    return ProgramTeam(
        name=name, game="advance", command=(PYTHON, "-S", "-B", f"{name}.py"), folder=str(PROGRAMS), protocol=protocol
    )
