"""What seats of all kinds share, however a team's code is held.

A port reaches a team's code: in this process, in a cell, behind a program's streams. It does what it is asked, or it raises
PortFailure. The seat over it is written once for each kind: it counts rounds, remembers the first fault, and idles or raises from
then on.
"""

from __future__ import annotations

import sys
import traceback
from abc import ABC
from collections.abc import Callable, Sequence
from typing import Any, Literal, NoReturn, TypeVar

from tiltyard_engine.errors import ForeignError, describe
from tiltyard_engine.results import Fault, SeatFault, Termination
from tiltyard_engine.seats import Seat

OnFault = Literal["idle", "raise"]
OnCrash = Callable[[BaseException], None]
R = TypeVar("R")


class PortFailure(Exception):  # noqa: N818 -- the failure is the team's, not the reader's error
    """The team did not do what it was asked; ``answers`` came before that."""

    def __init__(self, termination: Termination, message: str, traceback: str = "", answers: Sequence[Any] = ()) -> None:
        super().__init__(message)
        self.termination = termination
        self.message = message
        self.traceback = traceback
        self.answers = answers


class SeatPort(ABC):  # noqa: B024 -- each kind of seat adds its own questions
    """How a seat reaches its team."""

    def open(self) -> None:  # noqa: B027 -- not every team needs it
        """Get the team ready; called once, before anything else."""

    @property
    def hint(self) -> str:
        """What may explain that the last answer was wrong, to be added to the GameManager's words; empty if nothing is known."""
        return ""


class InlinePort(SeatPort):
    """A team in this process. Errors of its code become failures, except KeyboardInterrupt, which comes from the keyboard.

    Args:
        index: the seat, from 1.
        on_crash: called with what the team's code raised, before it becomes a fault.
    """

    def __init__(self, index: int, on_crash: OnCrash | None = None) -> None:
        self.index = index
        self._on_crash = on_crash

    def run(self, doing: str, work: Callable[..., R], *arguments: Any) -> R:
        """Call the team's code; ``doing`` names the call in messages."""
        try:
            return work(*arguments)
        except BaseException as error:
            failure = self.crashed(error, doing)
        raise failure

    def crashed(self, error: BaseException, doing: str, answers: Sequence[Any] = ()) -> PortFailure:
        """What the team's code raised, as a failure."""
        if isinstance(error, KeyboardInterrupt):
            raise error
        if self._on_crash is not None:
            self._on_crash(error)
        termination = Termination.OUT_OF_MEMORY if isinstance(error, MemoryError) else Termination.CRASH
        return PortFailure(termination, f"{doing} raised {describe(error)}", self._traceback(error), answers)

    def _traceback(self, error: BaseException) -> str:
        """Without what stands between the GameManager and the team; empty where it would tell nothing."""
        if isinstance(error, ForeignError):
            return ""
        between = (__file__, sys.modules[type(self).__module__].__file__)
        own = [frame for frame in traceback.extract_tb(error.__traceback__) if frame.filename not in between]
        lines = ["Traceback (most recent call last):\n", *traceback.format_list(own)]
        return "".join([*lines, *traceback.format_exception_only(error)])


class PortSeat(Seat):
    """The first fault, and what happens after it. What is asked while ``fault`` is set never reaches the port."""

    port: SeatPort

    def __init__(self, index: int, name: str, port: SeatPort, on_fault: OnFault) -> None:
        self.index = index
        self.name = name
        self.port = port
        self.fault: Fault | None = None
        self.round = 0
        self._raises = on_fault == "raise"
        try:
            port.open()
        except PortFailure as failure:
            # The manager hears of it when it first asks.
            self._charge(failure)

    def charge(self, termination: Termination, message: str) -> SeatFault:
        """Record the seat's first fault; later ones leave it as it is."""
        return self._charge(PortFailure(termination, message + self.port.hint))

    def _charge(self, failure: PortFailure) -> SeatFault:
        if self.fault is None:
            self.fault = Fault(self.index, failure.termination, failure.message, self.round, failure.traceback)
        return SeatFault(self.fault, tuple(failure.answers))

    def _call(self, work: Callable[..., R], *arguments: Any) -> R | None:
        """The port's answer; after a fault None, or a SeatFault if the manager wants exceptions."""
        if self.fault is None:
            try:
                return work(*arguments)
            except PortFailure as failure:
                self._charge(failure)
        if self._raises:
            self._raise()
        return None

    def _raise(self) -> NoReturn:
        assert self.fault is not None
        raise SeatFault(self.fault)


class SeatObserver(ABC):  # noqa: B024 -- each hears what it wants to
    """Sees what a seat is asked and what it answers, also after the seat has failed. The GameManager cannot tell.

    ``part`` is the index of a tank, or 0 where a seat has no parts.
    """

    def began(self, seat: int, part: int) -> None:  # noqa: B027
        """The seat has a part of this index."""

    def saw(self, seat: int, part: int, view: Any) -> None:  # noqa: B027
        """The part is about to be shown this view."""

    def instead(self, seat: int, part: int, answer: Any) -> Any:
        """What the GameManager gets in place of an answer that the team gave: by default this answer."""
        return answer

    def answered(self, seat: int, part: int, answer: Any) -> None:  # noqa: B027
        """The part gave this answer, or another one replaces it."""


class ObservedSeat(PortSeat):
    """A seat that others watch; the GameManager cannot tell."""

    _observers: Sequence[SeatObserver] = ()

    def observe(self, observers: Sequence[SeatObserver]) -> None:
        """Tell these observers from now on."""
        self._observers = observers

    def _begin(self, part: int) -> None:
        for observer in self._observers:
            observer.began(self.index, part)

    def _show(self, part: int, view: Any) -> None:
        for observer in self._observers:
            observer.saw(self.index, part, view)

    def _tell(self, part: int, answer: Any) -> Any:
        """Tell the observers of an answer, and return what the GameManager gets. A seat that has failed gives none of its own."""
        for observer in self._observers if self.fault is None else ():
            answer = observer.instead(self.index, part, answer)
        for observer in self._observers:
            observer.answered(self.index, part, answer)
        return answer
