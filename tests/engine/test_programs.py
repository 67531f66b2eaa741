"""What is quoted of a program that has ended."""

from __future__ import annotations

import pytest

from tiltyard_engine.programs import SAID_BYTES, Call, ProgramError

CALLS = "".join(f"   at Bot.Search(Board board, Int32 depth, Int32 alpha, Int32 beta) in {number}\n" for number in range(50))
HEAD = "Unhandled exception. System.NullReferenceException: no General"


@pytest.mark.parametrize(
    ("printed", "begins", "ends"),
    [
        (f"board read\n{HEAD}\n{CALLS}", HEAD, "B"),
        (f"warning\n{CALLS}{HEAD}\n", "in 4", HEAD),
        ("   at Bot.Search\n" * 50, "t Bot.Search", "at Bot.Search"),
        ("no board", "no board", "no board"),
    ],
    ids=["the reason above many calls", "the reason at the end", "no reason", "short"],
)
def test_the_reason_of_a_crash_is_quoted_and_not_the_middle_of_its_calls(printed: str, begins: str, ends: str) -> None:
    call = Call(exit_code=0, signal=6, stdout=b"", stderr=printed.encode(), files={})
    with pytest.raises(ProgramError) as caught:
        call.expect(0)
    said = caught.value.message.partition("after it printed: ")[2]
    assert begins in said[:80]
    assert ends in said[-80:]
    assert len(said) <= SAID_BYTES
