"""How long the rest of some work will take, from how fast it went so far."""

from __future__ import annotations

import time
from typing import Final

ENOUGH: Final = 10
"""Pieces after which their speed says something: the first ones also pay for the start of the workers."""
LONG_ENOUGH: Final = 30.0
"""Seconds after which two pieces are enough."""


class TimeLeft:
    """Counts pieces of work as they end. The time before the first one ended isn't counted: it is the start of the workers."""

    def __init__(self) -> None:
        self._counted = 0
        self._first = 0.0

    def count(self) -> None:
        """A piece has ended."""
        if not self._counted:
            self._first = time.monotonic()
        self._counted += 1

    def rate(self) -> float | None:
        """Pieces a second; None while too little is known."""
        seconds = time.monotonic() - self._first
        if self._counted < 2 or seconds <= 0 or (self._counted < ENOUGH and seconds < LONG_ENOUGH):
            return None
        return (self._counted - 1) / seconds

    def text(self, pieces: int) -> str:
        """The time for so many more, such as ``0:24 left``; empty while too little is known."""
        rate = self.rate()
        return f"{clock(pieces / rate)} left" if rate and pieces else ""


def clock(seconds: float) -> str:
    """``0:24``, ``12:03`` or ``1:02:03``."""
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{rest:02}" if hours else f"{minutes}:{rest:02}"
