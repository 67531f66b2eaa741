"""What a program calls itself, asked as a match with one seat.

So many programs are asked at once, each confined and with limits, and what they said is kept as outcomes of tests are.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, TypeAlias

from tiltyard_advance.adapter import introduce
from tiltyard_engine.errors import MapError
from tiltyard_engine.match import GameManager, Match
from tiltyard_engine.programs import Program
from tiltyard_engine.results import GameResult, SeatFault
from tiltyard_engine.seats import TurnSeat
from tiltyard_engine.turns import TurnAlgorithm

NAME_GAME: Final = "advance-name"
"""The game's name, and its GameManager's."""
NAME_MAP: Final = b"name\n"
"""The only map."""
NAMED: Final = "NAMED"
NO_NAME: Final = "NO_NAME"


@dataclass(frozen=True, slots=True)
class NameQuestion:
    """The only position of this game: the program is called as ``PROGRAM name``."""


@dataclass(frozen=True, slots=True)
class Introduction:
    """The name by which a program introduces itself."""

    name: str
    """Empty where the program doesn't say."""


NameSeat: TypeAlias = TurnSeat[NameQuestion, Introduction]


class NamedProgram(TurnAlgorithm[NameQuestion, Introduction]):
    """A player that asks one program for its name."""

    def __init__(self, program: Program, seat: int = 0) -> None:
        self._program = program

    def choose(self, position: NameQuestion) -> Introduction:
        """Run the program for its name."""
        return Introduction(introduce(self._program))


class NameManager(GameManager[bytes, NameSeat]):
    """Asks for the name. It is the final state; a program that fails has none."""

    def run(self, match: Match[bytes, NameSeat]) -> GameResult:
        """Ask the program once. Its name is the final state."""
        (seat,) = match.seats
        try:
            seat.start(NameQuestion())
            name = seat.choose(NameQuestion()).name
        except SeatFault as fault:
            return GameResult(0, NO_NAME, 1, (), message=fault.fault.message)
        return GameResult(1, NAMED, 1, (name,)) if name else GameResult(0, NO_NAME, 1, ())


def read_name_map(name: str, data: bytes, seats: int = 1) -> bytes:
    """The one map that there is.

    Raises:
        MapError: it is another.
    """
    if data != NAME_MAP:
        raise MapError(f"{name}: a map of {NAME_GAME} contains only the word 'name'")
    return data
