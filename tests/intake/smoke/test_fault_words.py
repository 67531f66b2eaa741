"""What a team is told of a fault in its first match."""

from __future__ import annotations

import pytest

from tiltyard_engine.results import Fault, Termination
from tiltyard_intake.smoke.fault_words import ASKS_PEOPLE, ENDED_EARLY, SIGNALS, fault_in_words

T = Termination


@pytest.mark.parametrize(
    ("termination", "message", "what", "hint"),
    [
        (T.CRASH, "answering: the program exited with code 0 (command: ./bot)", "ended too early", ENDED_EARLY),
        (T.CRASH, "get_action: the process exited with code 0", "ended too early", ENDED_EARLY),
        (T.CRASH, "answering: the program exited with code 1", "crash", ""),
        (T.ILLEGAL_MOVE, "exited with code 0 without a change, but it could move", "illegal move", ""),
        (T.CRASH, "the program was killed by SIGSEGV", "crash", SIGNALS["SIGSEGV"]),
        (T.CRASH, "get_action: the process was killed by SIGABRT", "crash", SIGNALS["SIGABRT"]),
        (T.CRASH, "the program was killed by SIGUSR1", "crash", ""),
        (T.TIMEOUT, "starting used 10.00 s of CPU time, the limit is 10 s", "timeout", ASKS_PEOPLE),
        (T.TIMEOUT, "get_action used 1.00 s of CPU time, the limit is 1 s", "timeout", ""),
    ],
)
def test_what_is_known_about_a_fault_is_added(termination: Termination, message: str, what: str, hint: str) -> None:
    words = fault_in_words(Fault(seat=1, termination=termination, message=message, round=2))
    assert words == f"{what} in round 2: {message}{f'; {hint}' if hint else ''}"
