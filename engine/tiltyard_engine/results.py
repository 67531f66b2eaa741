"""How a match ended: GameResult, the faults that were seen on the way, and whether what a GameManager claims is sound."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from enum import Enum, StrEnum
from math import inf

from tiltyard_engine.data_classes import KW_ONLY, dataclass

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
    CARRIED = "carried"
    """No round at all: the points that the team brings from an earlier tournament."""
    WALKOVER = "walkover"
    """Not played, because a team has left or was disqualified: the other one has won."""
    FORFEIT = "forfeit"
    """Counts as lost by a team in quarantine, played or not."""
    NO_RESULT = "no result"
    """It was played but counts for nobody: the GameManager failed, or a crash means that."""
    AWARDED = "awarded"
    """Counts as won by a team because somebody decided so, whatever was played."""
    VOID = "void"
    """It counts for nobody: somebody decided so, or the machine did not let it come to an end, and it is played again."""


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


def ranks_of(scores: Sequence[float], failed: Collection[int] = ()) -> tuple[int, ...]:
    """The place of each seat: 1 is best, and equal scores share a place, as in 1, 2, 2, 4.

    Args:
        scores: one a seat, seat 1 first; more is better.
        failed: the numbers of seats that have failed. They come after all others, whatever their scores.
    """
    order = [(seat not in failed, score) for seat, score in enumerate(scores, start=1)]
    return tuple(1 + sum(other > own for other in order) for own in order)


def winner_of(ranks: Sequence[int]) -> int:
    """The seat that is alone in the first place; 0 if several share it."""
    return ranks.index(1) + 1 if ranks.count(1) == 1 else 0


def judge(claim: GameResult, faults: Sequence[Fault], seats: int) -> tuple[int, tuple[int, ...]]:
    """Winner and ranks, taking faults into account.

    Seats without faults come first, in the claimed order. Then follow the failed ones, the latest fault first, because a
    GameManager that knows of faults would have ended the match for the earlier one.
    """
    ranks = claim.ranks_for(seats)
    failed = {fault.seat: fault for fault in reversed(faults) if fault.seat > 0}
    if not failed:
        return claim.winner, ranks

    def place(seat: int) -> tuple[float, int]:
        fault = failed.get(seat)
        return (inf, -ranks[seat - 1]) if fault is None else (fault.round, 0)

    places = [place(seat) for seat in range(1, seats + 1)]
    judged = tuple(1 + sum(1 for other in places if other > own) for own in places)
    if seats == 1:
        # A single player always comes first, but does not win by failing.
        return 0, judged
    firsts = [seat for seat, rank in enumerate(judged, start=1) if rank == 1]
    return (firsts[0] if len(firsts) == 1 else 0), judged


def claim_problem(claim: object, seats: int) -> str:
    """What is wrong with a GameManager's claim, or an empty string."""
    if not isinstance(claim, GameResult):
        return f"run() returned {type(claim).__name__}, not a GameResult"
    if not (_is_count(claim.winner) and claim.winner <= seats):
        return f"winner is {_show(claim.winner)}, expected 0 (tie) or a seat from 1 to {seats}"
    if not _is_count(claim.rounds):
        return f"rounds is {_show(claim.rounds)}, expected a number from 0 up"
    if not (_is_tuple(claim.final_state, _is_row)):
        return "final_state is not a tuple of strings, one a row of the board"
    if not (_is_tuple(claim.ranks, _is_count) and len(claim.ranks) in (0, seats)):
        return f"ranks is {_show(claim.ranks)}, expected one place a seat, or none"
    if claim.winner and claim.ranks and min(claim.ranks) < claim.ranks[claim.winner - 1]:
        return f"winner is {claim.winner}, but ranks is {_show(claim.ranks)}"
    if not all(isinstance(text, str) for text in (claim.reason, claim.message, claim.log)):
        return "reason, message or log is not a string"
    if not _is_tuple(claim.remaining_tanks, _is_count):
        return f"remaining_tanks is {_show(claim.remaining_tanks)}, expected one number a seat"
    if not (_is_tuple(claim.scores, _is_number) and len(claim.scores) in (0, seats)):
        return f"scores is {_show(claim.scores)}, expected one number a seat, or none"
    if not _is_tuple(claim.faults, _is_fault):
        return "faults is not a tuple of Faults, each of the types that it declares"
    if not _is_tuple(claim.notes, _is_text):
        return "notes is not a tuple of strings"
    return "" if claim.as_made is None else _original_problem(claim.as_made)


def _original_problem(original: object) -> str:
    """What is wrong with the result before it was corrected: its numbers may be any."""
    sound = (
        isinstance(original, GameResult)
        and original.as_made is None
        and all(_is_whole(number) for number in (original.winner, original.rounds))
        and _is_tuple(original.remaining_tanks, _is_whole)
        and original.final_state == ()
        and all(isinstance(text, str) for text in (original.reason, original.message))
    )
    return "" if sound else "as_made is not a result of plain numbers and texts"


def plain(claim: GameResult) -> GameResult:
    """A valid claim with plain types. Subclasses of them by a plugin might not be sent or compared correctly."""
    original = claim.as_made
    return GameResult(
        int(claim.winner),
        _text(claim.reason),
        int(claim.rounds),
        tuple(_text(row) for row in claim.final_state),
        remaining_tanks=tuple(int(count) for count in claim.remaining_tanks),
        ranks=tuple(int(rank) for rank in claim.ranks),
        scores=tuple(float(score) for score in claim.scores),
        message=_text(claim.message),
        faults=tuple(_plain_fault(fault) for fault in claim.faults),
        log=_text(claim.log),
        notes=tuple(_text(note) for note in claim.notes),
        as_made=None if original is None else _plain_original(original),
    )


def _plain_original(original: GameResult) -> GameResult:
    return GameResult(
        int(original.winner),
        _text(original.reason),
        int(original.rounds),
        (),
        remaining_tanks=tuple(int(count) for count in original.remaining_tanks),
        message=_text(original.message),
    )


def _plain_fault(fault: Fault) -> Fault:
    return Fault(int(fault.seat), fault.termination, _text(fault.message), int(fault.round), _text(fault.traceback))


def _text(value: str) -> str:
    return str.__str__(value)


def _is_tuple(values: object, good: Callable[[object], bool]) -> bool:
    return isinstance(values, tuple) and all(map(good, values))


def _is_whole(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)


def _is_count(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and value >= 0


def _is_text(value: object) -> bool:
    return isinstance(value, str)


def _is_number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _is_row(value: object) -> bool:
    return isinstance(value, str) and "\n" not in value and "\r" not in value


def _is_fault(value: object) -> bool:
    if not isinstance(value, Fault):
        return False
    kinds: tuple[tuple[object, type[object]], ...] = (
        (value.termination, Termination),
        (value.message, str),
        (value.round, int),
        (value.traceback, str),
    )
    return _is_count(value.seat) and all(isinstance(part, kind) for part, kind in kinds)


def _show(value: object) -> str:
    try:
        return f"{value!r:.60}"
    except Exception:
        return f"a {type(value).__name__}"
