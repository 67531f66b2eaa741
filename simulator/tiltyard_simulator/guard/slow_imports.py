"""Tells whoever waits, once for each plugin, that its import takes long, and why it is not done once for many matches."""

from __future__ import annotations

import re
import sys
from collections.abc import Callable
from typing import Final, TypeAlias

from tiltyard_engine.texts.quantities import in_seconds
from tiltyard_engine.texts.sanitize import one_line
from tiltyard_simulator.match.limits import LONG_WAIT

DEAR_SECONDS: Final = 2.0
"""An import that costs more CPU time is spoken of if each match does it."""

Tell: TypeAlias = Callable[[str], None]
"""Called with a sentence for the user."""

_SECONDS: Final = re.compile(r"\b[\d.,]+ s\b")
_PRINTED: Final[set[str]] = set()


def print_note(text: str) -> None:
    """Print a sentence that stops nothing, unless this process has printed it with any number of seconds."""
    sentence = _SECONDS.sub("", text)
    if sentence not in _PRINTED:
        _PRINTED.add(sentence)
        print(f"note: {one_line(text)}", file=sys.stderr, flush=True)


class SlowImports:
    """Tells the user about slow imports, about each only once.

    Args:
        tell: gets the sentences.
    """

    def __init__(self, tell: Tell) -> None:
        self._tell = tell
        self._waited: set[str] = set()
        self._dear: set[str] = set()

    def waits(self, plugin: str, seconds: float) -> None:
        """Somebody has waited for so many seconds of wall time."""
        if seconds >= LONG_WAIT and plugin not in self._waited:
            self._waited.add(plugin)
            self._tell(f"importing {plugin} takes long: {seconds:.0f} s so far")

    def is_repeated(self, plugin: str, cpu_seconds: float, why: str) -> None:
        """A match imported it for itself."""
        if cpu_seconds >= DEAR_SECONDS and plugin not in self._dear:
            self._dear.add(plugin)
            cost = in_seconds(round(cpu_seconds, 1))
            self._tell(f"{plugin} is imported again for each match, which takes {cost} of CPU time: {why}")
