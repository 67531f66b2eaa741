"""Feeding a team what it was asked in a match, in this process: the very code of a cell, with the questions from a record."""

from __future__ import annotations

import contextlib
import resource
import signal
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from types import FrameType
from typing import Any, Final

import msgspec

from tiltyard_engine.errors import describe
from tiltyard_engine.inline import FailingSeat, InlineTankSeat, InlineTurnSeat
from tiltyard_engine.results import Fault, Termination
from tiltyard_simulator.guard.cell import Cell
from tiltyard_simulator.guard.limits import Limits
from tiltyard_simulator.guard.messages import (
    ENCODER,
    REPLIES,
    REQUESTS,
    Act,
    Acted,
    Board,
    BoardWanted,
    Brief,
    Choose,
    Chosen,
    CreateTank,
    Done,
    Failed,
    Failure,
    Inform,
    OpenTanks,
    OpenTurns,
    Reply,
    Request,
)
from tiltyard_simulator.specs import Exchange

LONGEST_SHOWN: Final = 200
"""Characters of an answer that are shown."""


class LimitReachedError(BaseException):
    """Raised in the team's code where it is when its time is over: there a debugger shows what it does."""


@dataclass(frozen=True, slots=True)
class Fed:
    """What came of feeding a team its recorded questions."""

    asked: int
    """Questions that were asked again."""
    recorded: int
    difference: str = ""
    """The first answer that is not the recorded one, in words."""
    failure: Failure | None = None
    """How the team's code failed now, if it did."""
    error: BaseException | None = None
    """What it raised; None where nothing was raised, as for a wrong answer, or it was raised while loading."""


def feed(
    exchanges: Sequence[Exchange], fault: Fault, limits: Limits, last_question: Callable[[int, str], None] | None = None
) -> Fed:
    """Ask a team all its recorded questions, in order, until it fails or there are no more.

    Args:
        exchanges: the record of a seat that failed.
        fault: how it failed; where that was for time or memory, the last question is asked under the same limit.
        limits: the seat's, in the match.
        last_question: called before the question with which the record ends: its number, and what the team does.

    Raises:
        KeyboardInterrupt: as it comes, from within the team's code.
    """
    cell = _FedCell(exchanges)
    error: BaseException | None = None
    failure: Failure | None = None
    while cell.go_on():
        is_last = cell.left == 1
        if is_last and last_question is not None:
            last_question(cell.asked + 1, cell.next_doing())
        with _under(fault, cell.next_seconds(limits), limits) if is_last else contextlib.nullcontext():
            try:
                cell.answer_one()
            except MemoryError as problem:
                error = problem
                break
        failure = cell.failure
        if failure is not None:
            break
    return Fed(cell.asked, len(exchanges), cell.difference, failure, error or cell.error)


class _Remembers(FailingSeat):
    """Keeps what the team's code raised, for a debugger."""

    error: BaseException | None = None

    def _crash(self, error: BaseException, where: str) -> None:
        self.error = error
        _cut_own_frames(error)
        super()._crash(error, where)


def _cut_own_frames(error: BaseException) -> None:
    """Where a limit was reached is the team's business, not the function that says so."""
    trace = error.__traceback__
    while trace is not None and trace.tb_next is not None:
        if trace.tb_next.tb_frame.f_code.co_filename == __file__:
            trace.tb_next = None
        trace = trace.tb_next


class _TankSeat(_Remembers, InlineTankSeat):
    pass


class _TurnSeat(_Remembers, InlineTurnSeat[Any, Any]):
    pass


class _FedCell(Cell):
    """A cell whose questions come from a record, and whose answers are held against it."""

    tank_seat = _TankSeat
    turn_seat = _TurnSeat
    interruptible = True

    def __init__(self, exchanges: Sequence[Exchange]) -> None:
        super().__init__(-1, -1)
        self._left = deque(exchanges)
        self._current = Exchange(b"", b"")
        self._wants_board = False
        self.asked = 0
        self.difference = ""
        self.failure: Failure | None = None

    @property
    def left(self) -> int:
        return len(self._left)

    @property
    def error(self) -> BaseException | None:
        seat: Any = self._tank_seat or self._turn_seat
        return getattr(seat, "error", None)

    def go_on(self) -> bool:
        """Whether there is another question; a board that nobody looks at any more is passed over."""
        while self._left and isinstance(self._next(), Board):
            self._differ("the Player did not look at its view, which it did in the match")
            self._take()
        return bool(self._left)

    def next_doing(self) -> str:
        return doing(self._next())

    def next_seconds(self, limits: Limits) -> float:
        request = self._next()
        if isinstance(request, OpenTanks | OpenTurns):
            return limits.startup_seconds
        return limits.move_seconds * (len(request.tanks) if isinstance(request, Act) else 1)

    def ask_back(self, message: Reply) -> Request:
        self.reply(message)
        return self.receive()

    def receive(self) -> Request:
        if self._wants_board:
            self._wants_board = False
            if not self._left or not isinstance(self._next(), Board):
                self._differ("the Player looks at its view, which it did not in the match: there is no board to show")
                return Board(None)
        return self._take()

    def reply(self, message: msgspec.Struct) -> None:
        self._wants_board = isinstance(message, BoardWanted)
        if isinstance(message, Failed | Acted):
            self.failure = message.failure
        if self._current.answer and not _same(message, self._current.answer):
            self._differ(f"the answer is {shown(ENCODER.encode(message))}, in the match it was {shown(self._current.answer)}")

    def _next(self) -> Request:
        request: Request = REQUESTS.decode(self._left[0].question)
        return request

    def _take(self) -> Request:
        request = self._next()
        self._current = self._left.popleft()
        self.asked += 1
        return request

    def _differ(self, how: str) -> None:
        if not self.difference:
            what = doing(REQUESTS.decode(self._current.question)) if self._current.question else "starting up"
            self.difference = f"question {self.asked} ({what}): {how}"


def doing(request: Request) -> str:
    """What the team's code does for a question, in words."""
    match request:
        case Act(tanks):
            return f"get_action of tank {', '.join(map(str, tanks))}"
        case CreateTank(tank):
            return f"creating tank {tank}"
        case Brief(tank):
            return f"update_tank_with_battle_info for tank {tank}"
        case Inform(tank):
            return f"update_battle_info of tank {tank}"
        case Board():
            return "looking at the view"
        case Choose():
            return "choose"
        case OpenTanks() | OpenTurns():
            return "loading and starting up"
        case _:
            return "starting"


def shown(answer: bytes) -> str:
    """An answer for people."""
    try:
        reply: Reply = REPLIES.decode(answer)
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError):
        return f"{len(answer)} bytes that are no answer"
    match reply:
        case Acted(actions, failure):
            names = ", ".join(_action(number) for number in actions)
            text = " then ".join(filter(None, [names, failure.message if failure is not None else ""]))
        case Failed(failure):
            text = failure.message
        case Done():
            text = "that it is done"
        case BoardWanted():
            text = "a look at the view"
        case Chosen(answer):
            text = str(msgspec.msgpack.decode(answer))
        case _:
            text = type(reply).__name__
    return text if len(text) <= LONGEST_SHOWN else f"{text[:LONGEST_SHOWN]} ..."


def _action(number: int) -> str:
    from tiltyard_engine.tanks import ACTION_TITLES

    return ACTION_TITLES[number] if number < len(ACTION_TITLES) else str(number)


def _same(message: msgspec.Struct, recorded: bytes) -> bool:
    """Whether an answer is the recorded one; of a failure what it says counts, not the lines of its traceback."""
    if ENCODER.encode(message) == recorded:
        return True
    try:
        other: Reply = REPLIES.decode(recorded)
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError):
        return False
    return _without_traceback(message) == _without_traceback(other)


def _without_traceback(message: msgspec.Struct) -> msgspec.Struct:
    if isinstance(message, Acted | Failed) and message.failure is not None:
        failure = msgspec.structs.replace(message.failure, traceback="")
        return msgspec.structs.replace(message, failure=failure)
    return message


@contextlib.contextmanager
def _under(fault: Fault, seconds: float, limits: Limits) -> Iterator[None]:
    """The limit that the team broke in the match, so that it shows where."""

    def over(number: int, frame: FrameType | None) -> None:
        raise LimitReachedError(f"the limit of {seconds:g} s was reached here")

    if fault.termination is Termination.TIMEOUT:
        timer, number = signal.ITIMER_PROF, signal.SIGPROF
    elif fault.termination is Termination.STALL:
        timer, number = signal.ITIMER_REAL, signal.SIGALRM
        seconds *= limits.wall_factor
    elif fault.termination is Termination.OUT_OF_MEMORY:
        with _memory(limits.memory_bytes):
            yield
        return
    else:
        yield
        return
    before = signal.signal(number, over)
    signal.setitimer(timer, seconds)
    try:
        yield
    finally:
        signal.setitimer(timer, 0)
        signal.signal(number, before)


@contextlib.contextmanager
def _memory(more: int) -> Iterator[None]:
    soft, hard = resource.getrlimit(resource.RLIMIT_AS)
    with open("/proc/self/statm", encoding="ascii") as file:  # noqa: PTH123
        now = int(file.read().split()[0]) * resource.getpagesize()
    resource.setrlimit(resource.RLIMIT_AS, (now + more if hard == resource.RLIM_INFINITY else min(now + more, hard), hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_AS, (soft, hard))


def failure_text(fed: Fed) -> str:
    """What the team's code raised, in one line; empty if it raised nothing."""
    if fed.failure is not None:
        return fed.failure.message
    return describe(fed.error) if fed.error is not None else ""
