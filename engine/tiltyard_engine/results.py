"""How a match ended: GameResult, and the faults that were seen on the way."""

from __future__ import annotations

from dataclasses import KW_ONLY, dataclass
from enum import Enum, StrEnum

MANAGER_SEAT = 0
"""The seat number that stands for the GameManager itself in a Fault."""


class Termination(Enum):
    """What ended a seat's (or a manager's) part in a match."""

    NORMAL = "normal"
    """Nothing went wrong: the rules of the game decided."""
    ILLEGAL_MOVE = "illegal move"
    """An answer of the right form that the rules forbid."""
    TIMEOUT = "timeout"
    """A limit on time ran out."""
    CRASH = "crash"
    """An exception, a signal or an exit."""
    STALL = "stall"
    """The code is alive and goes on without making progress."""
    DISCONNECT = "disconnect"
    """The connection to the code was closed without an answer."""
    PROTOCOL = "protocol"
    """An answer of the wrong form or type."""
    OUT_OF_MEMORY = "out of memory"
    """A limit on memory was reached."""
    FORFEIT = "forfeit"
    """The seat did not play: its code is missing or quarantined."""
    VOID = "void"
    """The match does not count: the machine failed, not the seat."""


class PairingEnding(StrEnum):
    """How a pairing of a round ended, or why a team had none. Tables, exports, ratings and tie-breaks read it."""

    PLAYED = "played"
    """A game with a result, whoever won it and why."""
    BYE = "bye"
    """Nobody was left to meet: no game, but the points of a won one."""
    HALF_POINT_BYE = "half-point bye"
    """A bye that was asked for in advance: the points of a draw."""
    LATE = "late"
    """The team was not there yet; see ``late`` in a tournament file."""
    ABSENT = "absent"
    """The team was not there any more, or not in this round: no points."""
    WALKOVER = "walkover"
    """Not played, because a team has left or was disqualified: the other one has won."""
    FORFEIT = "forfeit"
    """Counts as lost by a team in quarantine, played or not."""
    NO_RESULT = "no result"
    """It was played but counts for nobody: the GameManager failed, or a crash means that."""
    VOID = "void"
    """The machine did not let it come to an end. It counts for nobody, and is played again."""


@dataclass(frozen=True, slots=True)
class Fault:
    """Who failed, how and when."""

    seat: int
    """1 and up; 0 is the GameManager (:data:`MANAGER_SEAT`)."""
    termination: Termination
    message: str
    round: int = -1
    """The round (from 1) in which it happened; 0 before the first round; -1 unknown."""
    traceback: str = ""


class SeatFault(Exception):  # noqa: N818 -- the fault is the seat's, not the reader's error
    """A seat has failed. Every later call to the seat raises the same fault again.

    Raised only to GameManagers registered with ``on_fault="raise"``; for all others a failed seat
    answers with the idle action and the host judges afterwards.
    """

    def __init__(self, fault: Fault, answers: tuple[object, ...] = ()) -> None:
        super().__init__(f"seat {fault.seat}: {fault.termination.value}: {fault.message}")
        self.fault = fault
        self.answers = answers
        """The answers of the same call that came before the fault, in the order asked."""


@dataclass(frozen=True, slots=True)
class GameResult:
    """A GameManager's claim of how the match ended. Faults that the host saw itself overrule it."""

    winner: int
    """The winning seat, from 1; 0 is a tie."""
    reason: str
    """The game's own word, such as ``ALL_TANKS_DEAD``."""
    rounds: int
    """Rounds (or plies) that were played."""
    final_state: tuple[str, ...]
    """The board at the end, in the characters of the game's plain view, row by row."""
    _: KW_ONLY
    remaining_tanks: tuple[int, ...] = ()
    """Living tanks a seat, where the game has tanks."""
    ranks: tuple[int, ...] = ()
    """Place a seat, 1 is best, equal places shared (1, 2, 2, 4). Empty: winner 1st, the others shared."""
    scores: tuple[float, ...] = ()
    """The game's own score a seat, where it has one."""
    message: str = ""
    """One line for people, such as the output file's last line."""
    faults: tuple[Fault, ...] = ()
    """Faults that the manager found by its rules."""
    log: str = ""
    """The game's output file; only filled when the match asked for it (``verbose``)."""
    notes: tuple[str, ...] = ()
    """What had to be corrected in the result, a sentence each. ``message`` ends with the same sentences."""
    as_made: GameResult | None = None
    """The result before it was corrected, without its board; None if it was not."""

    @property
    def made(self) -> GameResult:
        """The result as the GameManager made it; its board may be missing."""
        return self.as_made or self

    def ranks_for(self, seats: int) -> tuple[int, ...]:
        """Ranks of ``seats`` seats: as claimed, or made from the winner where none were claimed."""
        if self.ranks:
            return self.ranks
        if self.winner == 0:
            return (1,) * seats
        return tuple(1 if seat == self.winner else 2 for seat in range(1, seats + 1))
