"""Frames that are still arriving, taken in by a thread so that keys work while it waits."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable
from threading import Lock, Thread

from tiltyard_engine.replay import Frame


class Feed:
    """Reads ``frames`` to its end. ``wake`` is called, from the thread, when something arrived or it ended.

    The thread never holds the program up: after ``stop`` it ends with the next frame, or with the program.
    """

    def __init__(self, frames: Iterable[Frame], wake: Callable[[], None]) -> None:
        self._arrived: deque[Frame] = deque()
        self._wake = wake
        self._lock = Lock()
        self._stopped = False
        self._finished = False
        self._error: BaseException | None = None
        Thread(target=self._read, args=(frames,), name="frames", daemon=True).start()

    def take(self) -> tuple[list[Frame], bool]:
        """The frames that arrived since the last call, and whether these were the last."""
        finished = self._finished  # Looked at first: a frame may arrive between the two.
        taken: list[Frame] = []
        while self._arrived:
            taken.append(self._arrived.popleft())
        return taken, finished

    @property
    def error(self) -> BaseException | None:
        """What ended the frames early."""
        return self._error

    def stop(self) -> None:
        """Want no more; ``wake`` is not called after this returns."""
        with self._lock:
            self._stopped = True

    def _read(self, frames: Iterable[Frame]) -> None:
        try:
            for frame in frames:
                self._arrived.append(frame)
                # Others that nobody took yet have called already.
                if len(self._arrived) == 1:
                    self._notify()
                if self._stopped:
                    return
        except BaseException as error:  # Handed on to the one who watches.
            self._error = error
        self._finished = True
        self._notify()

    def _notify(self) -> None:
        with self._lock:
            if not self._stopped:
                self._wake()
