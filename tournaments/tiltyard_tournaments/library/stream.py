"""A run in a thread of its own, whose matches an event loop gets as they end."""

from __future__ import annotations

import asyncio
import ctypes
import threading
from collections.abc import AsyncGenerator, Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, suppress
from typing import Final, TypeAlias

from tiltyard_engine.lifecycle import Event
from tiltyard_engine.match_record import Outcome
from tiltyard_simulator.guard.process_start import STARTING
from tiltyard_tournaments.running.run import Tell

Stoppable: TypeAlias = Callable[[], AbstractContextManager[None]]
_END: Final = None


class RunThread(threading.Thread):
    """Runs ``work`` until it is done or stopped; then ``ended`` is called, in this thread.

    Stopping it raises KeyboardInterrupt in it, so that a run ends as it does by Ctrl-C: its processes are killed, and what was
    played is in the store. That comes only inside of ``stoppable``, so that it disturbs nothing that is opened before and closed
    after it.
    """

    def __init__(self, work: Callable[[], None], at_end: Callable[[], None]) -> None:
        super().__init__(name="tiltyard run", daemon=True)
        self.error: Exception | None = None
        self._work, self._at_end = work, at_end
        self._lock = threading.Lock()
        self._can_stop = False
        self._is_stopped = False

    def run(self) -> None:
        """Do the work in the thread; an error is kept for the caller. ``start`` calls it."""
        try:
            self._work()
        except KeyboardInterrupt:
            # It must not be kept: its traceback holds what has to be closed.
            pass
        except Exception as error:
            self.error = error
        finally:
            self._at_end()

    @contextmanager
    def stoppable(self) -> Iterator[None]:
        """The part of the work that may be stopped.

        Raises:
            KeyboardInterrupt: it was stopped before.
        """
        with self._lock:
            if self._is_stopped:
                raise KeyboardInterrupt
            self._can_stop = True
        try:
            yield
        finally:
            with self._lock:
                self._can_stop = False
                self._raise(None)

    def stop(self) -> None:
        """End the work soon; nothing happens if it is over. Code that waits for a team's answer is stopped when that comes."""
        with STARTING, self._lock:
            if self._can_stop and not self._is_stopped:
                self._raise(KeyboardInterrupt)
            self._is_stopped = True

    def _raise(self, error: type[BaseException] | None) -> None:
        """Raise an exception in this thread, or None: not the one that was to be raised."""
        thing = None if error is None else ctypes.py_object(error)
        ctypes.pythonapi.PyThreadState_SetAsyncExc(ctypes.c_ulong(self.ident or 0), thing)


async def stream_run(play: Callable[[Tell, Stoppable], None]) -> AsyncGenerator[Outcome, None]:
    """The matches of a run as they end.

    Args:
        play: plays, and tells its events to the function that it gets. It may be stopped inside of the context that it gets.

    Raises:
        UserError: as ``play`` does, after its last match.
    """
    loop = asyncio.get_running_loop()
    queue: asyncio.Queue[Outcome | None] = asyncio.Queue()

    def put(item: Outcome | None) -> None:
        # The loop may be closed by now: then nobody listens any more.
        with suppress(RuntimeError):
            loop.call_soon_threadsafe(queue.put_nowait, item)

    def tell(event: Event) -> None:
        if isinstance(event, Outcome):
            put(event)

    thread = RunThread(lambda: play(tell, thread.stoppable), lambda: put(_END))
    thread.start()
    is_over = False
    try:
        while (item := await queue.get()) is not _END:
            yield item
        is_over = True
    finally:
        thread.stop()
        while not is_over:
            # Whoever cancels again waits all the same: processes that are left would be worse.
            with suppress(asyncio.CancelledError):
                is_over = await queue.get() is _END
        thread.join()
    if thread.error is not None:
        raise thread.error
