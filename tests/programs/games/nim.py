"""Nim, the smallest turn-based game: take 1 to 3 stones, who takes the last one wins. Programs may play it in two protocols.

``lines`` (the default): a resident program reads ``player N`` once, then the number of stones each turn, and writes how many it
takes. ``files``: one process a turn, ``PROGRAM turn INPUT OUTPUT``; exit code 0 says that OUTPUT holds the answer.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from tiltyard_engine import (
    Game,
    GameManager,
    GameMaps,
    GamePrograms,
    GameResult,
    Manager,
    MapError,
    MapFile,
    Match,
    Program,
    ProgramError,
    SeatFault,
    Termination,
    TurnAlgorithm,
    TurnInterface,
    TurnSeat,
    TurnTeam,
    UserError,
    hookimpl,
)


@dataclass(frozen=True)
class Heap:
    """What a player sees."""

    stones: int


def read_map(name: str, data: bytes, seats: int) -> Heap:
    try:
        return Heap(int(data))
    except ValueError as error:
        raise MapError(f"{name}: not a number of stones") from error


class LinePlayer(TurnAlgorithm[Heap, int]):
    def __init__(self, program: Program, seat: int) -> None:
        self.program = program
        program.expected = "how many stones it takes"
        program.write(f"player {seat}\n".encode())

    def choose(self, position: Heap) -> int:
        self.program.write(f"{position.stones}\n".encode())
        return _number(self.program.read_line(100))


class FilePlayer(TurnAlgorithm[Heap, int]):
    def __init__(self, program: Program, seat: int) -> None:
        self.program = program

    def choose(self, position: Heap) -> int:
        board = f"{position.stones}\n".encode()
        call = self.program.call(["turn", "in.txt", "out.txt"], {"in.txt": board}, ["out.txt"])
        call.expect(0)
        if "out.txt" not in call.files:
            raise ProgramError(Termination.PROTOCOL, "there is no out.txt")
        return _number(call.files["out.txt"])


def _number(text: bytes) -> int:
    try:
        return int(text)
    except ValueError as error:
        raise ProgramError(Termination.PROTOCOL, f"{text[:40]!r} is no number") from error


def adapter(program: Program, seat: int) -> TurnAlgorithm[Heap, int]:
    if program.protocol in ("", "lines"):
        return LinePlayer(program, seat)
    if program.protocol == "files":
        return FilePlayer(program, seat)
    raise UserError(f"nim has the protocols 'lines' and 'files', not '{program.protocol}'")


class Referee(GameManager[Heap, TurnSeat[Heap, int]]):
    def run(self, match: Match[Heap, TurnSeat[Heap, int]]) -> GameResult:
        stones, turn = match.map.stones, 0
        mover = match.seats[0]
        try:
            for mover in match.seats:
                mover.start(match.map)
            while stones:
                mover = match.seats[turn % 2]
                turn += 1
                taken = mover.choose(Heap(stones))
                if not 1 <= taken <= min(3, stones):
                    raise mover.charge(Termination.ILLEGAL_MOVE, f"{taken} stones of {stones}")
                stones -= taken
        except SeatFault as fault:
            return GameResult(3 - fault.fault.seat, fault.fault.termination.value, turn, (str(stones),))
        return GameResult(mover.index, "LAST_STONE", turn, ("0",))


class Perfect(TurnAlgorithm[Heap, int]):
    def __init__(self, seat: int) -> None:
        self.seat = seat

    def choose(self, position: Heap) -> int:
        return position.stones % 4 or 1


@hookimpl
def games() -> Iterator[Game[Any]]:
    yield Game(
        name="nim",
        seats=range(2, 3),
        maps=GameMaps(read_map),
        interface=TurnInterface(Heap, int),
        programs=GamePrograms(adapter),
    )


@hookimpl
def game_managers() -> Iterator[Manager]:
    yield Manager(name="nim-referee", game="nim", create=Referee, on_fault="raise")


@hookimpl
def algorithms() -> Iterator[TurnTeam]:
    yield TurnTeam("perfect", "nim", Perfect)


@hookimpl
def maps() -> Iterator[MapFile]:
    yield MapFile("ten", "nim", b"10")
