"""Who is told of the events of a run: programs by a log of JSON lines, the observers of plugins, and whoever watches.

They are told as soon as what they are told is on the disk. To wait for the disk after each match would hold up a run of short ones.
So a thread waits for it, what comes in quick succession is told together, and in between the disk rests for twenty times as long as
it took. Observers have threads of their own, so that matches don't wait for them.
"""

from __future__ import annotations

import os
import queue
import signal
import stat
import threading
import time
from collections import deque
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from dataclasses import fields
from datetime import UTC, datetime
from pathlib import Path
from typing import IO, Any, Final, Self

import msgspec

from tiltyard_engine.errors import UserError
from tiltyard_engine.lifecycle import (
    BatchStarted,
    Event,
    MatchFault,
    MatchStarted,
    Notice,
    Observer,
    TournamentFinished,
    TournamentObserver,
    TournamentStarted,
    tell,
)
from tiltyard_engine.match_record import Outcome
from tiltyard_engine.named_paths import check_output
from tiltyard_engine.results import Fault
from tiltyard_simulator.output.result_files import sync_file
from tiltyard_tournaments.running.run import Tell
from tiltyard_tournaments.running.tournament import ConfiguredPlugin
from tiltyard_tournaments.store import Store

_ENCODER = msgspec.json.Encoder()


def event_line(event: Event) -> bytes:
    """One JSON object and a newline; ``event`` names the kind, ``at`` the time (ISO 8601, UTC)."""
    head = {"event": _NAMES[type(event)], "at": datetime.now(UTC).isoformat(timespec="milliseconds")}
    return _ENCODER.encode({**head, **_content(event)}) + b"\n"


_NAMES = {
    Notice: "notice",
    TournamentStarted: "tournament started",
    BatchStarted: "batch started",
    MatchStarted: "match started",
    MatchFault: "fault",
    Outcome: "match finished",
    TournamentFinished: "tournament finished",
}

_OF_A_MATCH = (
    *("place", "key", "teams", "map", "manager", "winner", "ranks", "seed", "game", "stage", "scores", "counts"),
    *("reason", "message", "rounds", "faults", "held", "incidents", "seconds", "played", "digest"),
)
"""What a line tells of a record: not the final board, nor a GameManager's own file, which are long; the store has them."""


def _content(event: Event) -> dict[str, Any]:
    if isinstance(event, Outcome):
        return {**{name: getattr(event, name) for name in _OF_A_MATCH}, "faults": [_fault(fault) for fault in event.faults]}
    content: dict[str, Any] = {field.name: getattr(event, field.name) for field in fields(event)}
    if isinstance(event, MatchFault):
        del content["fault"]
        return {**content, **_fault(event.fault)}
    return content


def _fault(fault: Fault) -> dict[str, Any]:
    """Without its traceback, which may be long; the store has it."""
    return {"seat": fault.seat, "kind": fault.termination.value, "message": fault.message, "round": fault.round}


class EventLog:
    """A file that gets a line for each event.

    Raises:
        UserError: it cannot be opened, or, later, not written.
    """

    def __init__(self, path: Path) -> None:
        check_output(path, "a log of events", lambda head: head.startswith(b'{"event":'))
        self.path = path
        try:
            self._file: IO[bytes] = path.open("ab", buffering=0)
        except OSError as error:
            raise UserError(f"{path}: cannot be written: {error.strerror}") from error
        # Nothing that goes into a pipe is ever on a disk.
        self._is_kept = stat.S_ISREG(os.fstat(self._file.fileno()).st_mode)
        if self._is_kept:
            sync_file(path.absolute().parent)

    def write(self, events: Sequence[Event]) -> None:
        """Write them down, so that they survive a power cut."""
        try:
            self._file.write(b"".join(map(event_line, events)))
            if self._is_kept:
                os.fdatasync(self._file)
        except OSError as error:
            raise UserError(f"{self.path}: cannot be written: {error.strerror}") from error

    def close(self) -> None:
        """Give the file back."""
        self._file.close()


LAST_WORD_SECONDS: Final = 30.0
"""How long the end of a run waits for all observers together to have heard everything."""


class Observers:
    """All observers of a run. They get every event; close this when the run has ended.

    Args:
        chosen: who they are.
        say: told of each observer's first failure at once, and of the number of others at the end; from any thread.
        seconds: as LAST_WORD_SECONDS.
    """

    def __init__(self, chosen: Sequence[ConfiguredPlugin], say: Callable[[str], None], seconds: float = LAST_WORD_SECONDS) -> None:
        self._say = say
        self._seconds = seconds
        self._listeners = [listener for each in chosen if (listener := _Listener.of(each, say)) is not None]

    def __enter__(self) -> Observers:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __call__(self, event: Event) -> None:
        """Give the event to all observers; returns at once."""
        for listener in self._listeners:
            listener.events.put(event)

    def close(self) -> None:
        """Wait until all have had every event, for a limited time."""
        until = time.monotonic() + self._seconds
        for listener in self._listeners:
            listener.events.put(None)
        for listener in self._listeners:
            listener.thread.join(max(0.0, until - time.monotonic()))
            if listener.thread.is_alive():
                self._say(f"observer {listener.name} is still busy; {listener.events.qsize() - 1} events were not delivered to it")
            elif listener.failures > 1:
                self._say(f"observer {listener.name} failed {listener.failures} times")
        self._listeners = []


class _Listener:
    """An observer with what it has still to hear."""

    def __init__(self, chosen: ConfiguredPlugin, observer: TournamentObserver, say: Callable[[str], None]) -> None:
        self.name = chosen.name
        self.failures = 0
        self.events: queue.SimpleQueue[Event | None] = queue.SimpleQueue()
        self._chosen = chosen
        self._observer = observer
        self._say = say
        # A daemon: an observer that hangs must not keep the command from ending.
        self.thread = threading.Thread(target=self._listen, name=f"observer {self.name}", daemon=True)
        self.thread.start()

    @classmethod
    def of(cls, chosen: ConfiguredPlugin, say: Callable[[str], None]) -> _Listener | None:
        """A new observer; None if it cannot be made, which is said."""
        try:
            observer: object = chosen.reference.load_as(Observer).create(chosen.options)
        except KeyboardInterrupt:
            raise
        except BaseException as error:
            say(f"observer {chosen.failure(error)}; it gets no events of this run")
            return None
        if not isinstance(observer, TournamentObserver):
            say(f"observer {chosen.name}: create() returned a {type(observer).__name__}, expected a TournamentObserver")
            return None
        return cls(chosen, observer, say)

    def _listen(self) -> None:
        while (event := self.events.get()) is not None:
            try:
                tell(self._observer, event)
            except BaseException as error:
                self.failures += 1
                if self.failures == 1:
                    self._say(f"observer {self._chosen.failure(error)}; the run continues")


REST_SHARE: Final = 20
"""The disk is left alone for so many times as long as it took."""
SHORTEST_REST: Final = 0.05
"""Seconds. On a quick disk, to tell each event by itself would cost more than to write it."""
LONGEST_REST: Final = 1.0
"""Seconds. Nobody waits much longer to be told."""


class Reporter:
    """Passes events on in their order, each when all before it is on the disk. Close this when the run has ended.

    What is written to the store meanwhile is in it at once, but on the disk only when it is told.

    Args:
        store: has what the events tell.
        tell: who is told.
        log: gets every event before the others hear of it.
        in_background: whether a thread waits for the disk and tells, from the first match that was played, so that the run goes
            on. Else whoever brings an event does both at once.

    Raises:
        UserError: from every method: the store or the log can't be written, which may concern events that came before.
    """

    def __init__(self, store: Store, tell: Tell, log: EventLog | None = None, *, in_background: bool = False) -> None:
        self._store = store
        self._tell = tell
        self._log = log
        self._waiting: deque[Event] = deque()
        self._has_news = threading.Condition()
        self._is_closing = threading.Event()
        self._due = 0.0
        self._failure: BaseException | None = None
        self._stack = ExitStack()
        self._stack.enter_context(store.synced_later())
        self._in_background = in_background
        self._thread: threading.Thread | None = None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        # What ended the run is more to the point than that nobody could be told.
        self.close(raises=kind is None)

    def __call__(self, event: Event) -> None:
        """Pass an event on, now or soon."""
        self._raise_failure()
        with self._has_news:
            self._waiting.append(event)
            self._has_news.notify()
        if self._in_background and self._thread is None and isinstance(event, Outcome) and event.played:
            # Not before: a process with several threads can't fork its workers.
            self._start()
        if self._thread is None:
            self._flush()

    def _start(self) -> None:
        thread = threading.Thread(target=self._report, name="reports of the run", daemon=True)
        # A Ctrl-C in between would leave a thread that runs, but that nobody can wait for.
        blocked = signal.pthread_sigmask(signal.SIG_BLOCK, signal.valid_signals())
        try:
            thread.start()
            self._thread = thread
        finally:
            signal.pthread_sigmask(signal.SIG_SETMASK, blocked)

    def close(self, *, raises: bool = True) -> None:
        """Tell what is left; what was written to the store is on the disk afterwards."""
        self._is_closing.set()
        with self._stack:
            if self._thread is None:
                self._flush()
                return
            with self._has_news:
                self._has_news.notify()
            self._thread.join()
            if raises:
                self._raise_failure()

    def _raise_failure(self) -> None:
        if self._failure is not None:
            raise self._failure

    def _report(self) -> None:
        try:
            while True:
                with self._has_news:
                    self._has_news.wait_for(lambda: self._waiting or self._is_closing.is_set())
                self._is_closing.wait(max(0.0, self._due - time.monotonic()))
                # Whoever closes this brings nothing more.
                is_last = self._is_closing.is_set()
                self._flush()
                if is_last:
                    return
        except BaseException as error:
            self._failure = error

    def _flush(self) -> None:
        began = time.monotonic()
        events = len(self._waiting)
        self._store.sync()
        if self._log is not None:
            self._log.write([self._waiting[place] for place in range(events)])
        ended = time.monotonic()
        self._due = ended + min(LONGEST_REST, max(SHORTEST_REST, REST_SHARE * (ended - began)))
        for _ in range(events):
            self._tell(self._waiting.popleft())
