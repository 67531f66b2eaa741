"""A live site at one moment: how many games there were is known at once, tables are made when a page asks for them."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Final, TypeVar

from tiltyard_engine.errors import UserError

T = TypeVar("T")

QUICK_SECONDS: Final = 0.5
"""What took less needs no rest: as long passes between two looks into the store anyway."""


@dataclass(frozen=True, slots=True)
class Content:
    """The files of an edition."""

    makers: Mapping[str, Callable[[], bytes]]
    """What makes each file, by its path."""
    keys: Mapping[str, str]
    """Name of a match's files to its key."""


@dataclass(slots=True, kw_only=True)
class Edition:
    """The site at one moment. It may be asked by several threads at once; everything is made once."""

    version: str
    state: Mapping[str, object]
    """What pages are told of it at once."""
    make: Callable[[], Content]
    problem: UserError | None = None
    """Why its content cannot be made."""
    seconds: float = 0.0
    """CPU seconds that were spent on its content and its files."""
    _content: Content | None = None
    _files: dict[str, bytes] = field(default_factory=dict)
    _ended: float = 0.0
    """When something of it was made last, on the monotonic clock."""
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def content(self) -> Content:
        """Its content, made now if nobody has asked for it yet.

        Raises:
            UserError: it cannot be made; this is tried once.
        """
        with self._lock:
            return self._ready_content()

    def file(self, path: str) -> bytes | None:
        """A file's content; None: there is no such file.

        Raises:
            UserError: as ``content``.
        """
        with self._lock:
            makers = self._ready_content().makers
            if path not in makers:
                return None
            if path not in self._files:
                self._files[path] = self._timed(makers[path])
            return self._files[path]

    def has_rested(self, share: float) -> bool:
        """Whether so many times as long as its files took to make has passed since; or they were quick, or nobody asked for any."""
        return self.seconds < QUICK_SECONDS or time.monotonic() - self._ended >= self.seconds * share

    def _ready_content(self) -> Content:
        if self.problem is not None:
            raise self.problem
        if self._content is None:
            try:
                self._content = self._timed(self.make)
            except UserError as error:
                self.problem = error
                raise
        return self._content

    def _timed(self, make: Callable[[], T]) -> T:
        began = time.thread_time()
        try:
            return make()
        finally:
            self.seconds += time.thread_time() - began
            self._ended = time.monotonic()
