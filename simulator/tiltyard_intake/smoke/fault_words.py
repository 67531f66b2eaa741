"""A fault of a first match in words for whoever wrote the program: what happened, and what to look at next."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Final

from tiltyard_engine.results import Fault, Termination

SIGNALS: Final[Mapping[str, str]] = {
    "SIGSEGV": "it accessed memory that isn't its own: look for array indexes out of range, invalid pointers and endless recursion",
    "SIGBUS": "it accessed memory that doesn't exist: look for an uninitialised pointer",
    "SIGABRT": "it aborted: look for an uncaught exception, a failed assertion, or memory that is freed twice",
    "SIGFPE": "it divided by zero",
    "SIGILL": "it was built for other processors than this machine's: build without -march=native",
}
"""What the usual signals mean."""
_SIGNAL: Final = re.compile(r"was killed by (SIG[A-Z]+)")
_EARLY: Final = re.compile(r"(?:program|process) exited with code 0\b")
ENDED_EARLY: Final = "it ended before it answered: a program that is asked line by line must run until its input ends"
ASKS_PEOPLE: Final = "it may be waiting for a person at the keyboard, but there is none: hand in a program that needs no person"


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
