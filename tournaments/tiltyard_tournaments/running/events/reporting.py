"""When those who watch a run are told: as soon as what they are told is on the disk.

To wait for the disk after each match would hold up a run of short ones. So a thread waits for it, what comes in quick succession is
told together, and in between the disk rests for twenty times as long as it took.
"""

from __future__ import annotations

import signal
import threading
import time
from collections import deque
from contextlib import ExitStack
from typing import Final, Self

from tiltyard_engine.lifecycle import Event
from tiltyard_engine.match_record import Outcome
from tiltyard_tournaments.running.events.event_log import EventLog
from tiltyard_tournaments.running.run import Tell
from tiltyard_tournaments.store import Store

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
        end = time.monotonic()
        self._due = end + min(LONGEST_REST, max(SHORTEST_REST, REST_SHARE * (end - began)))
        for _ in range(events):
            self._tell(self._waiting.popleft())
