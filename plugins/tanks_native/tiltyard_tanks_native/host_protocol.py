"""What the host program and this process say to each other; ``cpp/frames.hpp`` and ``cpp/host.cpp`` are the other side.

A question and its answer are a frame each. What ended in the program becomes a fault in the words that a cell would use.
"""

from __future__ import annotations

import struct
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from tiltyard_engine.errors import ContractError, describe
from tiltyard_engine.programs import signal_name
from tiltyard_engine.results import MANAGER_SEAT, Fault, GameResult, Termination
from tiltyard_engine.seat_kinds.native_matches import NativeMatch, NativeOutcome
from tiltyard_tanks.maps import TankMap
from tiltyard_tanks_native.claim_repair import PLAYERS, RawClaim, StateKind, repair_claim
from tiltyard_tanks_native.elf.errors import NativeError
from tiltyard_tanks_native.library import MOST_COUNTS, FailureKind, failure

LENGTH: Final = struct.Struct("<I")
NUMBER: Final = struct.Struct("<q")
_UNSIGNED: Final = (1 << 64) - 1
_SIGN: Final = 1 << 63
_TIMEOUT: Final = 21
_MACHINE: Final = -1
"""Nobody's code was begun."""
_STUCK: Final = "call"
_DOING: Final = (
    "run()",
    "creating the Player",
    "creating tank {}",
    "get_action",
    "update_tank_with_battle_info",
    "update_battle_info",
    "reading gameState",
)
"""By the numbers of ``cpp/playing.hpp``."""


class Writer:
    """Builds the frame of one message, part by part."""

    def __init__(self) -> None:
        self._parts: list[bytes] = []

    def number(self, value: int) -> Writer:
        """A number; one beyond 64 bits is cut to them, as C++ would."""
        self._parts.append(NUMBER.pack(((int(value) & _UNSIGNED) ^ _SIGN) - _SIGN))
        return self

    def text(self, value: bytes) -> Writer:
        """Bytes, with their number before them."""
        self._parts += (NUMBER.pack(len(value)), value)
        return self

    @property
    def body(self) -> bytes:
        """All parts of the message, without a length."""
        return b"".join(self._parts)

    @property
    def frame(self) -> bytes:
        """Everything, with its length before it."""
        return LENGTH.pack(len(self.body)) + self.body


class Reader:
    """Takes a frame's body apart."""

    def __init__(self, body: bytes) -> None:
        self._body = body
        self._place = 0

    def number(self) -> int:
        """The next number in the frame."""
        (value,) = NUMBER.unpack_from(self._body, self._place)
        self._place += NUMBER.size
        return int(value)

    def count(self) -> int:
        """The next number, as one that is never negative."""
        return self.number() & _UNSIGNED

    def data(self) -> bytes:
        """The next bytes, whose length stands before them."""
        size = self.number()
        self._place += size
        return self._body[self._place - size : self._place]

    def text(self) -> str:
        """The next text, which is UTF-8 with its length before it."""
        return self.data().decode("utf-8", "replace")


@dataclass(frozen=True, slots=True)
class CodeFailure:
    """Why a team's or a GameManager's code failed: the answer of the program that ran it."""

    kind: int
    """A FailureKind, or a number of ``cpp/playing.hpp`` for a process that ended or took too long."""
    words: str
    output: bytes = b""
    is_loading: bool = False

    def fault(self, seat: int, doing: str, round_number: int = -1) -> Fault:
        """The fault of the seat, or of the GameManager, whose code this was."""
        termination, message = self._explain(doing)
        return Fault(seat, termination, message, round_number)

    def _explain(self, doing: str) -> tuple[Termination, str]:
        if self.kind == _TIMEOUT and self.is_loading:
            return Termination.TIMEOUT, f"{doing}: the file was not loaded in time"
        if self.kind == _TIMEOUT and self.words == _STUCK:
            return Termination.TIMEOUT, f"{doing} exceeded its time limit"
        if self.kind == _TIMEOUT:
            return Termination.TIMEOUT, f"{doing}: the match exceeded its time limit"
        if self.kind == FailureKind.PROTOCOL:
            return Termination.PROTOCOL, f"{doing} returned an integer ({self.words}), expected an ActionRequest"
        if self.kind not in list(FailureKind):
            return Termination.CRASH, f"{doing}: {_how(self.words)}"
        error = failure(FailureKind(self.kind), self.words)
        if self.kind == FailureKind.CONTRACT:
            return Termination.PROTOCOL, str(error)
        termination = Termination.OUT_OF_MEMORY if isinstance(error, MemoryError) else Termination.CRASH
        return termination, f"{doing} raised {describe(error)}"


def read_load(body: bytes) -> CodeFailure | None:
    """Why a file could not be loaded, or None if it is loaded."""
    reader = Reader(body)
    problem = CodeFailure(reader.number(), reader.text(), reader.data(), is_loading=True)
    return problem if problem.kind else None


def read_outcome(body: bytes, match: NativeMatch, problems: Sequence[CodeFailure | None]) -> NativeOutcome:
    """The outcome of a match; ``problems`` are those of the GameManager's and the seats' files that could not be loaded.

    Raises:
        NativeError: the match could not be begun.
    """
    reader = Reader(body)
    manager_failure, doing = CodeFailure(reader.number(), reader.text()), _doing(reader.number(), 0)
    if manager_failure.kind == _MACHINE:
        raise NativeError(f"{match.folder}: the host program for C++ files cannot run there")
    faults = [manager_failure.fault(MANAGER_SEAT, doing)] if manager_failure.kind else []
    is_claimed = bool(reader.number())
    raw = _read_claim(reader)
    for seat in range(1, PLAYERS + 1):
        kind, doing_number, tank, round_number, words = *(reader.number() for _ in range(4)), reader.text()
        if kind:
            faults.append((problems[seat] or CodeFailure(kind, words)).fault(seat, _doing(doing_number, tank), round_number))
    output = b"".join(problem.output for problem in problems if problem is not None) + reader.data()
    claim = repair_claim(raw, match.board, match.folder if match.verbose else None) if is_claimed else None
    return NativeOutcome(claim=claim, faults=tuple(faults), output=output, cpu_seconds=reader.number() / 1e6)


def read_claim(body: bytes, board: TankMap) -> GameResult:
    """The result of a GameManager's file in a cell, as ``cpp/cell.cpp`` tells it.

    Raises:
        ContractError: it is none.
    """
    try:
        raw = _read_claim(Reader(body))
    except (struct.error, ValueError) as error:
        raise ContractError(f"not a result: {error}") from error
    if len(raw.board) != board.width * board.height:
        raise ContractError(f"a result with {len(raw.board)} squares")
    return repair_claim(raw, board)


def _read_claim(reader: Reader) -> RawClaim:
    winner, reason, rounds, count = reader.number(), reader.number(), reader.count(), reader.count()
    remaining = tuple(reader.count() for _ in range(MOST_COUNTS))[: min(count, MOST_COUNTS)]
    state, is_lost = StateKind(reader.number()), bool(reader.number())
    problem, board = reader.text(), reader.data()
    if is_lost:
        state, problem = StateKind.LOST, _how(problem)
    return RawClaim(
        winner=winner,
        reason=reason,
        rounds=rounds,
        remaining=remaining,
        state=state,
        board=board,
        problem=problem,
        remaining_count=count,
    )


def _doing(number: int, tank: int) -> str:
    return _DOING[number].format(tank) if 0 <= number < len(_DOING) else "its code"


def _how(words: str) -> str:
    """``signal 11`` or ``code 3`` as a sentence."""
    kind, _, number = words.partition(" ")
    if kind == "signal" and number.isdigit():
        return f"the process was killed by {signal_name(int(number))}"
    return f"the process exited with {words}" if kind == "code" else words
