"""A fault of a first match in words for whoever wrote the program: what happened, and what to look at next."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Final

from tiltyard_engine.results import Fault, Termination

SIGNALS: Final[Mapping[str, str]] = {
    "SIGSEGV": "it used memory that is not its own: look for indexes outside of arrays, pointers to nothing, endless recursion",
    "SIGBUS": "it used memory that is not there: look for a pointer that was not set",
    "SIGABRT": "it gave up itself: by an exception that nothing caught, an assertion, or memory that was freed twice",
    "SIGFPE": "it divided by zero",
    "SIGILL": "it was built for other processors than this machine's: build without -march=native",
}
"""What the usual signals mean."""
_SIGNAL: Final = re.compile(r"was killed by (SIG[A-Z]+)")
_EARLY: Final = re.compile(r"(?:program|process) exited with code 0\b")
ENDED_EARLY: Final = "it ended before it answered: a program that is asked line by line goes on until its input ends"
ASKS_PEOPLE: Final = "it may ask people without end, but nobody is at a keyboard: hand in the mode that asks nobody"


def fault_in_words(fault: Fault) -> str:
    """Such as ``ended too early in round 2: ...``; what is known about such a fault comes last."""
    what, hint = fault.termination.value, ""
    if _EARLY.search(fault.message):
        what, hint = "ended too early", ENDED_EARLY
    elif signal := _SIGNAL.search(fault.message):
        hint = SIGNALS.get(signal[1], "")
    elif fault.termination is Termination.TIMEOUT and fault.message.startswith("starting used"):
        hint = ASKS_PEOPLE
    return f"{what} in round {fault.round}: {fault.message}{f'; {hint}' if hint else ''}"
