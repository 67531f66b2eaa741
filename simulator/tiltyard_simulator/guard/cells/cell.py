"""What runs in a cell: it loads the team and answers the host's questions one by one.

The team's code is called through the engine's seats and inline ports, so that its rights and the messages of its faults are the
same as without a cell. The host trusts nothing here: the team's code could change all of it.
"""

from __future__ import annotations

import contextlib
import os
import sys
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path
from typing import Any, ClassVar, Final, NoReturn

import msgspec

from tiltyard_engine.errors import UserError, describe
from tiltyard_engine.registry import Reference, Source, load_source
from tiltyard_engine.registry.checks import ALGORITHM
from tiltyard_engine.registry.contributions import describe_source
from tiltyard_engine.registry.sources import Origin
from tiltyard_engine.results import Fault, SeatFault, Termination
from tiltyard_engine.seat_kinds.seat_ports import OnCrash
from tiltyard_simulator.guard.cells.messages import (
    ENCODER,
    EXIT_DISCONNECTED,
    EXIT_OUT_OF_MEMORY,
    REQUESTS,
    Describe,
    Described,
    Done,
    Failed,
    Failure,
    FailureKind,
    WatchInfos,
    sendable,
)
from tiltyard_simulator.guard.cells.wire import read_frame, write_frame
from tiltyard_simulator.match.limits import Limits

LONGEST_MESSAGE: Final = 8_000
LONGEST_TRACEBACK: Final = 64_000
"""How many characters of a fault's text are sent. An exception's message may be of any length."""
SPARE_BYTES: Final = 1 << 20
"""Reserved, so that a cell without memory can still report that."""
DONE: Final = Done()


def serve(cell: Cell) -> NoReturn:
    """Answer questions until the host is gone. Never returns into the zygote's code."""
    spare: bytes | None = bytes(SPARE_BYTES)
    code = 0
    try:
        cell.reply(DONE)
        while True:
            try:
                cell.answer_one()
            except MemoryError as error:
                spare = None
                cell.reply(Failed(Failure(FailureKind.OUT_OF_MEMORY, f"{cell.doing} raised {describe(error)}")))
    except MemoryError:
        code = EXIT_OUT_OF_MEMORY
    except (EOFError, OSError):
        code = EXIT_DISCONNECTED
    finally:
        del spare
        os._exit(code)


class TeamInCell(ABC):
    """A team in this process, for one kind of seat, with the messages between host and cell."""

    opening: ClassVar[type[Any]]
    """The first question; it has the fields ``algorithm`` and ``seat``."""
    beginning: ClassVar[type[Any]]
    """The question with which the team gets ready to play."""
    handlers: ClassVar[Mapping[type[Any], tuple[str, Callable[[Any, Any], msgspec.Struct]]]]
    """For each question but the first: what the team is doing, for messages of faults, and the method that answers."""
    replies: ClassVar[tuple[type[Any], ...]] = ()
    """Answers beyond Done and Failed."""
    back_question: ClassVar[type[Any] | None] = None
    """A reply that asks the host for something that the answer needs."""
    no_back_answer: ClassVar[msgspec.Struct | None] = None
    """What the host sends if there is nothing to give. All answers to the back question are of this type."""

    def __init__(self, cell: Cell) -> None:
        self.cell = cell

    @abstractmethod
    def open(self, request: Any) -> msgspec.Struct:
        """Load the team; the answer to the first question."""

    @classmethod
    def messages(cls) -> tuple[tuple[type[Any], ...], tuple[type[Any], ...]]:
        """All questions, and all answers beyond Done and Failed."""
        back_answer = () if cls.no_back_answer is None else (type(cls.no_back_answer),)
        return (cls.opening, *cls.handlers, *back_answer), cls.replies

    # For people

    @classmethod
    @abstractmethod
    def doing(cls, request: Any) -> str:
        """What the team's code does to answer a question, for people."""

    @classmethod
    @abstractmethod
    def in_words(cls, reply: Any) -> str:
        """An answer, for people."""

    @classmethod
    def seconds(cls, request: Any, limits: Limits) -> float:
        """The CPU time that an answer may take."""
        return limits.startup_seconds if type(request) is cls.opening else limits.move_seconds


class Cell:
    """The team's side of the conversation. To replay a recording instead of using pipes, override ``receive`` and ``reply``.

    Args:
        questions: a pipe.
        answers: another one.
        teams: what the first question makes of a cell. All are made at once, for the cells that a template forks.
    """

    on_crash: OnCrash | None = None
    """Called with what the team's code raises."""
    interruptible = False
    """Whether somebody may press Ctrl-C. If not, a KeyboardInterrupt is the team's fault."""

    def __init__(self, questions: int, answers: int, teams: Mapping[type[Any], type[TeamInCell]]) -> None:
        self._questions = questions
        self._answers = answers
        self._number = 0
        self.doing = "loading"
        """What the code is doing, for messages of faults that no seat catches."""
        self.watches_infos = False
        """Whether a tank must not keep its BattleInfo."""
        self._handlers: dict[type[Any], tuple[str, Callable[[Any], msgspec.Struct]]] = {
            Describe: ("the import", self._describe),
            WatchInfos: ("starting up", self._watch_infos),
        }
        for opening, kind in teams.items():
            team = kind(self)
            self._handlers[opening] = "loading", team.open
            self._handlers |= {question: (doing, partial(handle, team)) for question, (doing, handle) in team.handlers.items()}

    def receive(self) -> Any:
        """Wait for the host's next question."""
        self._number, body = read_frame(self._questions)
        return REQUESTS.decode(body)

    def reply(self, message: msgspec.Struct) -> None:
        """Answer the last question."""
        write_frame(self._answers, self._number, ENCODER.encode(message))

    def converse(self, message: msgspec.Struct) -> bytes:
        """Answer the last question with a question of the cell's own; return the host's answer to it, not yet decoded."""
        try:
            self.reply(message)
            self._number, body = read_frame(self._questions)
        except (EOFError, OSError):
            # Not raised, because the team's code could catch it and go on.
            os._exit(EXIT_DISCONNECTED)
        return body

    def ask_back(self, message: msgspec.Struct) -> Any:
        """As ``converse``; the host's answer is decoded like its questions."""
        return REQUESTS.decode(self.converse(message))

    def answer_one(self) -> None:
        """Wait for a question and answer it."""
        request = self.receive()
        self.doing, handle = self._handlers[type(request)]
        try:
            reply: msgspec.Struct = handle(request)
        except SeatFault as error:
            reply = Failed(failure_of(error.fault))
        except MemoryError:
            raise
        except BaseException as error:
            # Such as KeyboardInterrupt, which an inline seat doesn't catch.
            if self.interruptible and isinstance(error, KeyboardInterrupt):
                raise
            reply = failed_by(FailureKind.CRASH, f"{self.doing} raised {describe(error)}")
        self.reply(reply)

    def _describe(self, request: Describe) -> msgspec.Struct:
        go_home(request.source)
        return Described(describe_source(request.source))

    def _watch_infos(self, request: msgspec.Struct) -> msgspec.Struct:
        self.watches_infos = True
        return DONE


def go_home(source: Source) -> None:
    """Make the folder of a team's plugin the working folder, and let ``importlib`` find the team's modules by their names."""
    if source.home:
        place = Path(source.home if source.origin is Origin.PROJECT else source.value)
        with contextlib.suppress(OSError):
            os.chdir(place.parent if source.origin is Origin.FILE else place)
        if source.home not in sys.path:
            sys.path.append(source.home)


def load_code(kind: str, source: Source) -> None:
    """Load a plugin before it is known which of its records of this ``kind`` will be used. A team is at home then.

    Raises:
        UserError: it has no record that can be used.
    """
    if kind == ALGORITHM:
        go_home(source)
    if not load_source(source).records:
        raise UserError(f"{source}: has nothing that can be used")


def load_plugin(reference: Reference) -> object:
    """Load the plugin that a reference names. A team is at home then.

    Raises:
        SeatFault: it cannot be loaded. The fault has the traceback of the import.
    """
    if reference.kind == ALGORITHM:
        go_home(reference.source)
    try:
        return reference.load()
    except UserError as error:
        details = [problem.detail for problem in load_source(reference.source).problems if problem.detail]
        raise SeatFault(Fault(0, Termination.CRASH, f"loading: {error}", 0, "\n".join(details))) from error


def failed_by(kind: FailureKind, message: str, text: str = "") -> Failed:
    """A failure with texts that are short enough to be sent."""
    return Failed(Failure(kind, cut(message, LONGEST_MESSAGE), cut(text, LONGEST_TRACEBACK)))


def failure_of(fault: Fault) -> Failure:
    """A seat's fault as a failure that can be sent."""
    return failed_by(FailureKind(fault.termination.value), fault.message, fault.traceback).failure


def cut(text: str, longest: int) -> str:
    """The beginning and the end of a text that is too long, in characters that can be sent."""
    if len(text) > longest:
        text = f"{text[: longest // 2]} ... {text[-longest // 2 :]}"
    return sendable(text)
