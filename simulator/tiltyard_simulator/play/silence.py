"""What plugins print during a match is discarded: standard output is for results, and belongs to the program around it."""

from __future__ import annotations

import contextlib
import io
import sys
import threading
from collections import deque
from collections.abc import Iterator
from typing import IO, Any, Final, TextIO, cast

_LOCK: Final = threading.Lock()


class _OfOthers:
    """Standard output while some threads are quiet: nothing for these, and for all others what it was before."""

    def __init__(self, stream: IO[str] | None) -> None:
        self.stream = stream
        self.quiet: dict[int, int] = {}
        """How many times each quiet thread asked for it."""

    @property
    def _own(self) -> Any:
        return io.StringIO() if self.stream is None or threading.get_ident() in self.quiet else self.stream

    def write(self, text: str) -> int:
        """Write the text, or discard it where the thread is quiet."""
        count: int = self._own.write(text)
        return count

    def __getattr__(self, name: str) -> Any:
        return getattr(self._own, name)


_LATEST: Final[deque[_OfOthers]] = deque(maxlen=8)
"""These are used again, and not freed meanwhile: ``print`` of a different thread may hold one without owning it (CPython's issue
130163), and would crash the process."""


@contextlib.contextmanager
def silence() -> Iterator[None]:
    """Discard what this thread prints; other threads print as before."""
    own = threading.get_ident()
    with _LOCK:
        before: Any = sys.stdout
        output = next((one for one in _LATEST if before is one or before is one.stream), None) or _OfOthers(before)
        if output not in _LATEST:
            _LATEST.append(output)
        sys.stdout = cast(TextIO, output)
        output.quiet[own] = output.quiet.get(own, 0) + 1
    try:
        yield
    finally:
        with _LOCK:
            output.quiet[own] -= 1
            if not output.quiet[own]:
                del output.quiet[own]
            after: Any = sys.stdout
            if not output.quiet and after is output:
                sys.stdout = cast(TextIO, output.stream)
