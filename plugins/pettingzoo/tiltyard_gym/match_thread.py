"""Matches in a thread of their own, which stands still at each question to the caller.

A GameManager calls those who play; whoever trains agents wants to call the game. So the match runs in a second thread, and of the
two only one runs at any time.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from queue import SimpleQueue
from threading import Lock, Thread
from typing import Any

from tiltyard_engine.match_record import PlayedMatch


class AbandonedError(BaseException):
    """Raised in the match's thread in place of an answer: nobody wants to see how it ends. GameManagers don't catch it."""


@dataclass(frozen=True, slots=True)
class MatchEnd:
    """The end of a match, and its record."""

    record: PlayedMatch


class MatchThread:
    """Plays one match after the other. All methods but ``ask`` are for the caller's thread.

    Args:
        on_stop: called in the thread when it ends: closes what matches have left open.
    """

    def __init__(self, on_stop: Callable[[], None]) -> None:
        self._on_stop = on_stop
        self._jobs: SimpleQueue[Callable[[], PlayedMatch] | None] = SimpleQueue()
        self._match_turn, self._caller_turn = Lock(), Lock()
        self._match_turn.acquire()
        self._caller_turn.acquire()
        self._value: Any = None
        self._error: BaseException | None = None
        self._is_playing = False
        self._is_awaited = False
        """Whether the match has still to hand something over: after a KeyboardInterrupt nobody took it."""
        self._is_abandoned = False
        self._thread: Thread | None = None

    def begin(self, play: Callable[[], PlayedMatch]) -> Any:
        """Begin a match, after abandoning the one before, and wait for its first question.

        Args:
            play: plays it, and asks with ``ask``.

        Returns:
            What ``ask`` was given, or MatchEnd.

        Raises:
            BaseException: what ``play`` or something that it asked raised.
        """
        self.abandon()
        if self._thread is None:
            self._thread = Thread(target=self._run, name="match", daemon=True)
            self._thread.start()
        self._is_playing = True
        self._jobs.put(play)
        return self._await()

    def answer(self, value: Any) -> Any:
        """Answer the question, and wait for the next one; as ``begin``."""
        assert self._is_playing, "no match is being played"
        self._value = value
        self._match_turn.release()
        return self._await()

    def _await(self) -> Any:
        self._is_awaited = True
        self._caller_turn.acquire()
        self._is_awaited = False
        value, self._value = self._value, None
        self._is_playing = not isinstance(value, MatchEnd | _Failed)
        if isinstance(value, _Failed):
            raise value.error
        return value

    def abandon(self) -> None:
        """End the match that is being played, if there is one, as soon as it asks something."""
        if not self._is_playing:
            return
        self._is_abandoned = True
        try:
            while self._is_playing:
                if self._is_awaited:
                    self._await()
                else:
                    self.answer(None)
        except BaseException as error:
            if isinstance(error, KeyboardInterrupt):
                raise
        finally:
            self._is_abandoned = False

    def stop(self) -> None:
        """Abandon the match, and end the thread. ``begin`` starts another one."""
        self.abandon()
        if self._thread is not None:
            self._jobs.put(None)
            self._thread.join()
            self._thread = None

    # In the match's thread

    def ask(self, question: Any) -> Any:
        """Hand a question to the caller, and wait for the answer.

        Raises:
            AbandonedError: there will be none.
        """
        if self._is_abandoned:
            raise AbandonedError
        self._value = question
        self._caller_turn.release()
        self._match_turn.acquire()
        answer, self._value = self._value, None
        if self._is_abandoned:
            raise AbandonedError
        return answer

    def raise_again(self, error: BaseException) -> None:
        """An ``on_crash`` of ports: what failed in the caller's own seats is the caller's business, and not a fault in a match."""
        self._error = error
        raise error

    def _run(self) -> None:
        while (play := self._jobs.get()) is not None:
            self._error = None
            try:
                outcome: MatchEnd | _Failed = MatchEnd(play())
            except BaseException as error:
                self._error = error
            if self._error is not None:
                outcome = _Failed(self._error)
            self._value = outcome
            self._caller_turn.release()
        self._on_stop()


@dataclass(frozen=True, slots=True)
class _Failed:
    error: BaseException
