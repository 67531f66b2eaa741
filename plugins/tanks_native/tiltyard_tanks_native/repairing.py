"""A result as a file's GameManager returned it, made into one that can be used; what had to be put right is said in its message.

docs/reference/native.md lists the repairs. None of them decides a match against a sound claim: a field is replaced only where it is
impossible in itself or beside the others.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import IntEnum
from typing import Final

from tiltyard_engine.results import GameResult
from tiltyard_engine.tanks import OUTSIDE
from tiltyard_tanks.maps import TankMap
from tiltyard_tanks.output import result_line
from tiltyard_tanks.rules import Reason

REASONS: Final = (Reason.ALL_TANKS_DEAD, Reason.MAX_STEPS, Reason.ZERO_SHELLS)
"""In the order of the interface's enum."""
UNKNOWN_REASON: Final = "UNKNOWN"
STRANGE: Final = "?"
"""In place of a character that cannot be shown."""
NOTE: Final = "; note: "
"""Between the result line and each note."""
PLAYERS: Final = 2


class StateKind(IntEnum):
    """How a result's ``gameState`` was found: the numbers of ``cpp/views.hpp``, and one for a process lost over it."""

    READ = 0
    NULL = 1
    THREW = 2
    TRANSPOSED = 3
    LOST = 4


@dataclass(frozen=True, slots=True)
class RawClaim:
    """The interface's ``GameResult``, field by field, with whatever numbers were in it."""

    winner: int
    reason: int
    rounds: int
    remaining: tuple[int, ...]
    """As many as were looked at."""
    state: StateKind
    board: bytes
    """The final board's squares, row by row; means something only where ``state`` says that it was read."""
    problem: str = ""
    """What happened when ``gameState`` was read."""
    remaining_count: int = 0
    """How many ``remaining_tanks`` there are."""


def repaired(raw: RawClaim, tank_map: TankMap) -> GameResult:
    """The result that ``raw`` means, on ``tank_map``."""
    notes: list[str] = []
    board = _board(raw, tank_map, notes)
    remaining = _remaining(raw, board, notes)
    reason = _reason(raw, remaining, tank_map.max_steps, notes)
    winner = _winner(raw, reason, remaining, notes)
    rounds = _rounds(raw, reason, tank_map.max_steps, notes)
    line = f"winner {winner}, {reason}"
    if remaining and reason != UNKNOWN_REASON:
        line = result_line(reason, winner, remaining, tank_map.max_steps)
    elif winner:
        line = f"Player {winner} won"
    return GameResult(winner, reason, rounds, board, remaining_tanks=remaining, message=NOTE.join([line, *notes]))


def _board(raw: RawClaim, tank_map: TankMap, notes: list[str]) -> tuple[str, ...]:
    if raw.state is StateKind.NULL:
        notes.append("gameState is null: no final board")
        return ()
    if raw.state in (StateKind.THREW, StateKind.LOST):
        notes.append(f"gameState cannot be read ({raw.problem}): no final board")
        return ()
    if raw.state is StateKind.TRANSPOSED:
        notes.append("gameState takes y before x: read so")
    text = raw.board.decode("latin-1")
    strange = sorted({character for character in text if not " " <= character <= "~"})
    if strange:
        notes.append(f"gameState shows {', '.join(f'byte 0x{ord(each):02x}' for each in strange[:4])}, here {STRANGE}")
        text = "".join(character if " " <= character <= "~" else STRANGE for character in text)
    if OUTSIDE in text:
        notes.append(f"gameState shows {OUTSIDE} on the board")
    return tuple(text[start : start + tank_map.width] for start in range(0, len(text), tank_map.width))


def _remaining(raw: RawClaim, board: Sequence[str], notes: list[str]) -> tuple[int, ...]:
    """The tanks left a player, counted on the final board where the claim cannot be used; empty where neither can be."""
    squares = "".join(board)
    counted = tuple(squares.count(str(player)) for player in range(1, PLAYERS + 1)) if board else ()
    instead = "counted on the final board" if counted else "left out"
    if raw.remaining_count != PLAYERS:
        notes.append(f"remaining_tanks has length {raw.remaining_count}, not {PLAYERS}: {instead}")
        return counted
    impossible = sum(raw.remaining) == 0 and (raw.winner in range(1, PLAYERS + 1) or REASONS[1:].count(_known(raw.reason)))
    if impossible:
        notes.append(f"remaining_tanks is {{0, 0}}: {instead}")
        return counted
    if max(raw.remaining) > MOST_TANKS:
        notes.append(f"remaining_tanks is {{{raw.remaining[0]}, {raw.remaining[1]}}}: {instead}")
        return counted
    return raw.remaining


MOST_TANKS: Final = 4_000_000
"""As many as a map has squares at most."""


def _known(reason: int) -> str:
    return REASONS[reason] if 0 <= reason < len(REASONS) else UNKNOWN_REASON


def _reason(raw: RawClaim, remaining: tuple[int, ...], max_steps: int, notes: list[str]) -> str:
    reason = _known(raw.reason)
    if reason == UNKNOWN_REASON:
        words = f"reason is {raw.reason}, none of {', '.join(REASONS)}"
        if remaining and min(remaining) == 0:
            reason = Reason.ALL_TANKS_DEAD
        elif raw.rounds == max_steps:
            reason = Reason.MAX_STEPS
        notes.append(words if reason == UNKNOWN_REASON else f"{words}: taken for {reason}")
    return str(reason)


def _winner(raw: RawClaim, reason: str, remaining: tuple[int, ...], notes: list[str]) -> int:
    alive = [player for player, tanks in enumerate(remaining, start=1) if tanks]
    decided = alive[0] if len(alive) == 1 and reason not in (Reason.MAX_STEPS, Reason.ZERO_SHELLS) else 0
    if not 0 <= raw.winner <= PLAYERS:
        notes.append(f"winner is {raw.winner}, neither 0, 1 nor 2: taken for {decided}")
        return decided
    if raw.winner == 0 and reason == Reason.ALL_TANKS_DEAD and decided:
        notes.append(f"winner is 0, but only player {decided} has tanks left: taken for {decided}")
        return decided
    return raw.winner


def _rounds(raw: RawClaim, reason: str, max_steps: int, notes: list[str]) -> int:
    if reason == Reason.MAX_STEPS and raw.rounds != max_steps:
        notes.append(f"rounds is {raw.rounds}, but all {max_steps} were played: taken for {max_steps}")
        return max_steps
    if raw.rounds > max_steps:
        notes.append(f"rounds is {raw.rounds}, more than there are: taken for {max_steps}")
        return max_steps
    return raw.rounds
