"""The result that a file's GameManager returned, made usable: its message says what had to be corrected.

docs/reference/native.md lists the repairs. None of them decides a match against a valid claim: a field is replaced only if it is
impossible in itself or contradicts the others.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import IntEnum
from pathlib import Path
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
MOST_TANKS: Final = 4_000_000
"""As many as a map has squares at most."""
MOST_LOGS: Final = 20
MOST_LOG_BYTES: Final = 4 << 20
"""Of all logs of a match."""


class StateKind(IntEnum):
    """How a result's ``gameState`` was found: the numbers of ``cpp/views.hpp``, and one for a process lost over it."""

    READ = 0
    NULL = 1
    THREW = 2
    TRANSPOSED = 3
    LOST = 4


@dataclass(frozen=True, slots=True, kw_only=True)
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


def repair_claim(raw: RawClaim, tank_map: TankMap, log_folder: Path | None = None) -> GameResult:
    """The result that ``raw`` means, on ``tank_map``; its log is what the GameManager left in ``log_folder``."""
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
    claimed_reason = str(REASONS[raw.reason] if 0 <= raw.reason < len(REASONS) else raw.reason)
    claim = GameResult(raw.winner, claimed_reason, raw.rounds, (), remaining_tanks=raw.remaining, message=line)
    return GameResult(
        winner,
        reason,
        rounds,
        board,
        remaining_tanks=remaining,
        message=NOTE.join([line, *notes]),
        log=read_logs(log_folder) if log_folder else "",
        notes=tuple(notes),
        as_made=claim if notes else None,
    )


def _board(raw: RawClaim, tank_map: TankMap, notes: list[str]) -> tuple[str, ...]:
    if raw.state is StateKind.NULL:
        notes.append("gameState is null: no final board")
        return ()
    if raw.state in (StateKind.THREW, StateKind.LOST):
        notes.append(f"gameState cannot be read ({raw.problem}): no final board")
        return ()
    if raw.state is StateKind.TRANSPOSED:
        notes.append("gameState is indexed by y before x, and was read that way")
    text = raw.board.decode("latin-1")
    strange = sorted({character for character in text if not " " <= character <= "~"})
    if strange:
        notes.append(f"gameState shows {', '.join(f'byte 0x{ord(each):02x}' for each in strange[:4])}, here {STRANGE}")
        text = "".join(character if " " <= character <= "~" else STRANGE for character in text)
    rows = tuple(text[start : start + tank_map.width] for start in range(0, len(text), tank_map.width))
    if OUTSIDE in text:
        notes.append(f"gameState shows {OUTSIDE} {_where_outside(rows)}")
    return rows


def _where_outside(rows: Sequence[str]) -> str:
    """Where a board shows what is outside: all of it where x is compared with the height, and y with the width."""
    width, height = len(rows[0]), len(rows)
    shorter = min(width, height)
    beyond = "".join([row[shorter:] for row in rows] if width > height else rows[shorter:])
    within = "".join([row[:shorter] for row in rows] if width > height else rows[:shorter])
    if OUTSIDE in within or not beyond or beyond.strip(OUTSIDE):
        return "on the board"
    line, bound = ("column", "height") if width > height else ("row", "width")
    return f"from {line} {shorter} on, as if the {bound} ended the board there; the other squares are read as they are"


def _remaining(raw: RawClaim, board: Sequence[str], notes: list[str]) -> tuple[int, ...]:
    """The tanks left a player, counted on the final board where the claim cannot be used; empty where neither can be."""
    squares = "".join(board)
    counted = tuple(squares.count(str(player)) for player in range(1, PLAYERS + 1)) if board else ()
    instead = "counted on the final board" if counted else "left out"
    if raw.remaining_count != PLAYERS:
        notes.append(f"remaining_tanks has length {raw.remaining_count}, not {PLAYERS}: {instead}")
        return counted
    impossible = sum(raw.remaining) == 0 and (raw.winner in range(1, PLAYERS + 1) or REASONS[1:].count(_reason_name(raw.reason)))
    if impossible:
        notes.append(f"remaining_tanks is {{0, 0}}: {instead}")
        return counted
    if max(raw.remaining) > MOST_TANKS:
        notes.append(f"remaining_tanks is {{{raw.remaining[0]}, {raw.remaining[1]}}}: {instead}")
        return counted
    return raw.remaining


def _reason_name(reason: int) -> str:
    return REASONS[reason] if 0 <= reason < len(REASONS) else UNKNOWN_REASON


def _reason(raw: RawClaim, remaining: tuple[int, ...], max_steps: int, notes: list[str]) -> str:
    reason = _reason_name(raw.reason)
    if reason == UNKNOWN_REASON:
        words = f"reason is {raw.reason}, not one of {', '.join(REASONS)}"
        if remaining and min(remaining) == 0:
            reason = Reason.ALL_TANKS_DEAD
        elif raw.rounds == max_steps:
            reason = Reason.MAX_STEPS
        notes.append(words if reason == UNKNOWN_REASON else f"{words}: read as {reason}")
    return str(reason)


def _winner(raw: RawClaim, reason: str, remaining: tuple[int, ...], notes: list[str]) -> int:
    alive = [player for player, tanks in enumerate(remaining, start=1) if tanks]
    decided = alive[0] if len(alive) == 1 and reason not in (Reason.MAX_STEPS, Reason.ZERO_SHELLS) else 0
    if not 0 <= raw.winner <= PLAYERS:
        notes.append(f"winner is {raw.winner}, not 0, 1 or 2: read as {decided}")
        return decided
    if raw.winner == 0 and reason == Reason.ALL_TANKS_DEAD and decided:
        notes.append(f"winner is 0, but only player {decided} has tanks left: read as {decided}")
        return decided
    return raw.winner


def _rounds(raw: RawClaim, reason: str, max_steps: int, notes: list[str]) -> int:
    if reason == Reason.MAX_STEPS and raw.rounds != max_steps:
        notes.append(f"rounds is {raw.rounds}, but all {max_steps} were played: read as {max_steps}")
        return max_steps
    if raw.rounds > max_steps:
        notes.append(f"rounds is {raw.rounds}, more than max_steps: read as {max_steps}")
        return max_steps
    return raw.rounds


def read_logs(folder: Path) -> str:
    """The text of the files below ``folder``: of a single one as it is, of several each under its name. Links are left alone."""
    texts: dict[str, str] = {}
    room = MOST_LOG_BYTES
    for path in _files(folder):
        if len(texts) == MOST_LOGS or room <= 0:
            break
        try:
            with path.open("rb") as file:
                data = file.read(room)
        except OSError:
            continue
        room -= len(data)
        name = path.relative_to(folder).as_posix().encode("utf-8", "replace").decode("utf-8")
        texts[name] = data.decode("utf-8", "replace")
    if len(texts) == 1:
        return next(iter(texts.values()))
    return "\n".join(f"==> {name} <==\n{text}" for name, text in texts.items())


def _files(folder: Path) -> Iterator[Path]:
    for parent, folders, names in os.walk(folder):
        folders.sort()
        for name in sorted(names):
            path = Path(parent, name)
            if path.is_file() and not path.is_symlink():
                yield path
