"""Asking a team again what it was asked in a match: the code of a cell, in this process, with the questions from a record."""

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

from tiltyard_engine.errors import UserError, describe
from tiltyard_engine.match_record import Exchange
from tiltyard_engine.registry import Reference
from tiltyard_engine.results import Fault, Termination
from tiltyard_engine.texts.quantities import counted, in_seconds
from tiltyard_simulator.guard.cells.cell import Cell, TeamInCell
from tiltyard_simulator.guard.cells.messages import ENCODER, REPLIES, REQUESTS, Done, Failed, Failure
from tiltyard_simulator.guard.cells.wire import CellError
from tiltyard_simulator.guard.seats.kinds import team_of_message, teams_in_cells
from tiltyard_simulator.match.limits import Limits

LONGEST_SHOWN: Final = 200
"""Characters of an answer that are shown."""


class LimitReachedError(BaseException):
    """Raised in the team's code when its time is over, so that a debugger shows what the code was doing."""


@dataclass(frozen=True, slots=True)
class ReplayedConversation:
    """The outcome of asking a team its recorded questions again."""

    questions: int
    """Questions that were asked again."""
    recorded: int
    difference: str = ""
    """The first answer that differs from the recorded one, in words."""
    failure: Failure | None = None
    """How the team's code failed this time, if it did."""
    error: BaseException | None = None
    """What it raised, or the verdict on its cell; None where nothing was raised, as for a wrong answer, or while loading."""


def exchanges_with(team: Reference, exchanges: Sequence[Exchange], recorded: Reference | None = None) -> tuple[Exchange, ...]:
    """The record of a seat as questions to ``team`` alone, whatever else a stranger's file may ask to be loaded.

    Args:
        team: whom to ask.
        exchanges: the record.
        recorded: whose record it is; None: that of ``team``.

    Raises:
        UserError: it belongs to another team, or holds something else than questions to one team.
    """
    owner = team if recorded is None else recorded
    try:
        opening, *later = (REQUESTS.decode(exchange.question) for exchange in exchanges)
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError, ValueError) as error:
        raise UserError(f"it isn't the record of a team in Python: {error}") from error
    kind = team_of_message(opening)
    if kind is None or type(opening) is not kind.opening or _place(opening.algorithm) != _place(owner):
        raise UserError("it belongs to a different team than match.json says")
    for number, request in enumerate(later, start=2):
        if team_of_message(request) is not kind or type(request) is kind.opening:
            raise UserError(f"question {number} ({type(request).__name__}) isn't one to a team that is already loaded")
    # How the code is loaded, this machine says.
    first = Exchange(ENCODER.encode(msgspec.structs.replace(opening, algorithm=team)), exchanges[0].answer)
    return (first, *exchanges[1:])


def _place(team: Reference) -> tuple[str, ...]:
    source = team.source
    return (team.kind, team.name, team.game, source.name, source.origin, source.value, source.folder)


def replay_conversation(
    exchanges: Sequence[Exchange], fault: Fault, limits: Limits, last_question: Callable[[int, str], None] | None = None
) -> ReplayedConversation:
    """Ask a team all its recorded questions, in order, until it fails or there are no more.

    Args:
        exchanges: the record of a seat that failed.
        fault: how it failed; where that was for time or memory, the last question is asked under the same limit.
        limits: the seat's, in the match.
        last_question: called before the question with which the record ends: its number, and what the team does.

    Raises:
        KeyboardInterrupt: as it comes, from within the team's code.
    """
    cell = _ReplayCell(exchanges)
    while cell.failure is None and cell.go_on():
        is_last = cell.left == 1
        if is_last and last_question is not None:
            last_question(cell.questions + 1, cell.next_doing())
        with _limited(fault, cell.next_seconds(limits), limits) if is_last else contextlib.nullcontext():
            try:
                cell.answer_one()
            except MemoryError as problem:
                cell.error = problem
                break
    return ReplayedConversation(cell.questions, len(exchanges), cell.difference, cell.failure, cell.error)


def _cut_own_frames(error: BaseException) -> None:
    """Remove the frames of this module: the traceback ends in the team's code, where the limit was reached."""
    trace = error.__traceback__
    while trace is not None and trace.tb_next is not None:
        if trace.tb_next.tb_frame.f_code.co_filename == __file__:
            trace.tb_next = None
        trace = trace.tb_next


class _ReplayCell(Cell):
    """A cell that takes its questions from a record and compares its answers with the recorded ones."""

    interruptible = True

    def __init__(self, exchanges: Sequence[Exchange]) -> None:
        super().__init__(-1, -1, teams_in_cells())
        self.on_crash = self._remember
        self.error: BaseException | None = None
        """What the team's code raised, for a debugger."""
        self._left = deque(exchanges)
        self._current = Exchange(b"", b"")
        self._asks_back: type[TeamInCell] | None = None
        """The kind of team whose answer asks the host something back."""
        self.questions = 0
        self.difference = ""
        self.failure: Failure | None = None

    @property
    def left(self) -> int:
        return len(self._left)

    def _remember(self, error: BaseException) -> None:
        self.error = error
        _cut_own_frames(error)

    def go_on(self) -> bool:
        """Whether there is another question. Recorded boards that the Player does not look at this time are skipped."""
        while self._left and answers_back(self._next()):
            self._differ("the Player did not look at its view, but in the match it did")
            self._take()
        return bool(self._left)

    def next_doing(self) -> str:
        return doing(self._next())

    def next_seconds(self, limits: Limits) -> float:
        request = self._next()
        team = team_of_message(request)
        return limits.move_seconds if team is None else team.seconds(request, limits)

    def ask_back(self, message: msgspec.Struct) -> Any:
        self.reply(message)
        return self.receive()

    def receive(self) -> Any:
        asks_back, self._asks_back = self._asks_back, None
        if asks_back is not None and not (self._left and answers_back(self._next())):
            self._differ("the Player looks at its view, but in the match it did not, so there is no board to show")
            return asks_back.no_back_answer
        return self._take()

    def reply(self, message: msgspec.Struct) -> None:
        team = team_of_message(message)
        self._asks_back = team if team is not None and type(message) is team.back_question else None
        self.failure = getattr(message, "failure", self.failure)
        if self._current.answer and not is_same(message, self._current.answer):
            now, then = answer_in_words(ENCODER.encode(message)), answer_in_words(self._current.answer)
            self._differ(f"the answer is {now}, in the match it was {then}")

    def _next(self) -> Any:
        return REQUESTS.decode(self._left[0].question)

    def _take(self) -> Any:
        request = self._next()
        self._current = self._left.popleft()
        self.questions += 1
        return request

    def _differ(self, how: str) -> None:
        if not self.difference:
            what = doing(REQUESTS.decode(self._current.question)) if self._current.question else "starting up"
            self.difference = f"question {self.questions} ({what}): {how}"


def answers_back(request: msgspec.Struct) -> bool:
    """Whether it answers a question that the team's code asked."""
    team = team_of_message(request)
    return team is not None and type(request) is type(team.no_back_answer)


def doing(request: msgspec.Struct) -> str:
    """What the team's code does for a question, in words."""
    team = team_of_message(request)
    return "starting" if team is None else team.doing(request)


def answer_in_words(answer: bytes) -> str:
    """An answer for people."""
    try:
        reply = REPLIES.decode(answer)
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError):
        return counted(len(answer), "byte that isn't an answer", "bytes that aren't an answer")
    team = team_of_message(reply)
    if team is not None:
        text = team.in_words(reply)
    elif isinstance(reply, Failed):
        text = reply.failure.message
    else:
        text = "that it is done" if isinstance(reply, Done) else type(reply).__name__
    return text if len(text) <= LONGEST_SHOWN else f"{text[:LONGEST_SHOWN]} ..."


def is_same(message: msgspec.Struct, recorded: bytes) -> bool:
    """Whether an answer is the recorded one. Of a failure, the message is compared, not the traceback."""
    if ENCODER.encode(message) == recorded:
        return True
    try:
        other = REPLIES.decode(recorded)
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError):
        return False
    return _without_traceback(message) == _without_traceback(other)


def _without_traceback(message: msgspec.Struct) -> msgspec.Struct:
    failure = getattr(message, "failure", None)
    if failure is None:
        return message
    return msgspec.structs.replace(message, failure=msgspec.structs.replace(failure, traceback=""))


@contextlib.contextmanager
def _limited(fault: Fault, seconds: float, limits: Limits) -> Iterator[None]:
    """Set the limit that the team exceeded in the match, so that the traceback shows where."""

    def over(number: int, frame: FrameType | None) -> None:
        raise LimitReachedError(f"the limit of {in_seconds(seconds)} was reached here")

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


def failure_text(replayed: ReplayedConversation) -> str:
    """What the team's code raised, in one line; empty if it raised nothing."""
    if replayed.failure is not None:
        return replayed.failure.message
    if isinstance(replayed.error, CellError):
        return replayed.error.message
    return describe(replayed.error) if replayed.error is not None else ""
