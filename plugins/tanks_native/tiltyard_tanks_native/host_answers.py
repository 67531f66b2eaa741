"""What the host program answers, and what it means: the faults in the words that a cell would use."""

from __future__ import annotations

import signal
from dataclasses import dataclass
from typing import Final

from tiltyard_engine.errors import describe
from tiltyard_engine.results import Fault, Termination
from tiltyard_tanks_native.host_frames import Reader
from tiltyard_tanks_native.library import MOST_COUNTS, FailureKind, failure
from tiltyard_tanks_native.repairing import PLAYERS, RawClaim, StateKind

_ENDED: Final = 20
_TIMEOUT: Final = 21
_MACHINE: Final = -1
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
_KINDS: Final = {kind.value for kind in FailureKind}


@dataclass(frozen=True, slots=True)
class Ended:
    """How something came to its end that should not have."""

    kind: int
    words: str
    output: bytes = b""
    is_loading: bool = False

    @classmethod
    def unloadable(cls, words: str) -> Ended:
        """A file that is not even tried."""
        return cls(FailureKind.LOADING, words)

    @property
    def is_machine(self) -> bool:
        """Whether nobody's code was begun."""
        return self.kind == _MACHINE


@dataclass(frozen=True, slots=True)
class SeatEnded:
    """A seat's fault."""

    ended: Ended
    doing: str
    round: int


@dataclass(frozen=True, slots=True)
class Answer:
    """What the program says of a match."""

    ended: Ended | None
    """The GameManager's end, if it was not a result."""
    doing: str
    claim: RawClaim | None
    faults: tuple[SeatEnded | None, ...]
    output: bytes
    cpu_seconds: float


def read_load(body: bytes) -> Ended | None:
    """What became of loading a file; None if it is loaded."""
    reader = Reader(body)
    ended = Ended(reader.number(), reader.text(), reader.data(), is_loading=True)
    return ended if ended.kind else None


def read_answer(body: bytes) -> Answer:
    """The answer to a match."""
    reader = Reader(body)
    ended = Ended(reader.number(), reader.text())
    doing = _doing(reader.number(), 0)
    is_claimed = bool(reader.number())
    claim = _claim(reader)
    faults = tuple(_seat(reader) for _ in range(PLAYERS))
    output, cpu_seconds = reader.data(), reader.number() / 1e6
    return Answer(ended if ended.kind else None, doing, claim if is_claimed else None, faults, output, cpu_seconds)


def _claim(reader: Reader) -> RawClaim:
    winner, reason, rounds, count = reader.number(), reader.number(), reader.count(), reader.count()
    remaining = tuple(reader.count() for _ in range(MOST_COUNTS))[: min(count, MOST_COUNTS)]
    state, is_lost = StateKind(reader.number()), bool(reader.number())
    problem, board = reader.text(), reader.data()
    if is_lost:
        state, problem = StateKind.LOST, _how(problem)
    return RawClaim(winner, reason, rounds, remaining, state, board, problem, count)


def _seat(reader: Reader) -> SeatEnded | None:
    kind, doing, tank, round_number, words = reader.number(), reader.number(), reader.number(), reader.number(), reader.text()
    return SeatEnded(Ended(kind, words), _doing(doing, tank), round_number) if kind else None


def _doing(number: int, tank: int) -> str:
    return _DOING[number].format(tank) if 0 <= number < len(_DOING) else "its code"


def explain(seat: int, ended: Ended, doing: str, round_number: int) -> Fault:
    """A fault of a seat, or of the GameManager."""
    if ended.kind == _TIMEOUT and ended.is_loading:
        return Fault(seat, Termination.TIMEOUT, f"{doing}: the file was not loaded in time", round_number)
    if ended.kind == _TIMEOUT and ended.words == _STUCK:
        return Fault(seat, Termination.TIMEOUT, f"{doing} did not go on within its limit of time", round_number)
    if ended.kind == _TIMEOUT:
        return Fault(seat, Termination.TIMEOUT, f"{doing}: the match was not over within its limit of time", round_number)
    if ended.kind == FailureKind.PROTOCOL:
        message = f"{doing} returned {ended.words} of type int, not an ActionRequest"
        return Fault(seat, Termination.PROTOCOL, message, round_number)
    if ended.kind not in _KINDS:
        return Fault(seat, Termination.CRASH, f"{doing}: {_how(ended.words)}", round_number)
    error = failure(FailureKind(ended.kind), ended.words)
    if ended.kind == FailureKind.CONTRACT:
        return Fault(seat, Termination.PROTOCOL, str(error), round_number)
    kind = Termination.OUT_OF_MEMORY if isinstance(error, MemoryError) else Termination.CRASH
    return Fault(seat, kind, f"{doing} raised {describe(error)}", round_number)


def _how(words: str) -> str:
    """``signal 11`` or ``code 3`` as a sentence."""
    kind, _, number = words.partition(" ")
    if kind == "signal" and number.isdigit():
        try:
            return f"the process was killed by {signal.Signals(int(number)).name}"
        except ValueError:
            return f"the process was killed by signal {number}"
    return f"the process exited with {words}" if kind == "code" else words
