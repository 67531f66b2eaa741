"""A program that ends right after an answer: all its lines count. Its end shows where one is missing, whenever the host looks."""

from __future__ import annotations

import time

import pytest
from tests.simulator.guard.programs.conftest import Open

from tiltyard_engine.programs import ProgramError
from tiltyard_engine.results import Termination
from tiltyard_simulator.guard.cells.process_watch import children_of
from tiltyard_simulator.guard.confinement.kernel.process_status import has_ended
from tiltyard_simulator.guard.programs.program_client import ProgramClient

T = Termination
MATCHES = 4
EXITED = "choose: the program exited with code 7"
HALF = "choose: the output ended in the middle of a line, and the program exited with code 7: b'tw'"

ENDS: dict[str, tuple[str, list[bytes], Termination, str]] = {
    "a line": ("read asked; echo one; exit 7", [b"one\n"], T.CRASH, EXITED),
    "a line before it is asked": ("echo one; exit 7", [b"one\n"], T.CRASH, EXITED),
    "a line, and a signal": (
        "read asked; echo one; kill -SEGV $$",
        [b"one\n"],
        T.CRASH,
        "choose: the program was killed by SIGSEGV",
    ),
    "a line, and a child that stays": ("read asked; sleep 60 & echo one; exit 7", [b"one\n"], T.CRASH, EXITED),
    "two lines": ("read asked; echo one; echo two; exit 7", [b"one\n", b"two\n"], T.CRASH, EXITED),
    "a line and half of one": ("read asked; echo one; printf tw; exit 7", [b"one\n"], T.PROTOCOL, HALF),
    "half a line": ("read asked; printf tw; exit 7", [], T.PROTOCOL, HALF),
    "half a line before it is asked": ("printf tw; exit 7", [], T.PROTOCOL, HALF),
    "nothing": ("read asked; exit 7", [], T.CRASH, EXITED),
}


def has_no_process(program: ProgramClient) -> bool:
    return all(map(has_ended, children_of(program.cell.launcher)))


def played(program: ProgramClient, waits: bool) -> tuple[list[bytes], ProgramError]:
    """All that it answered, and the error after that. Perhaps wait after each answer until the program has ended."""
    said: list[bytes] = []
    try:
        while True:
            program.write(b"go\n")
            said.append(program.read_line())
            while waits and not has_no_process(program):
                time.sleep(0.001)
    except ProgramError as error:
        return said, error


@pytest.mark.parametrize("end", ENDS)
def test_the_same_lines_get_the_same_verdict(open_program: Open, end: str) -> None:
    text, lines, termination, message = ENDS[end]
    for number in range(MATCHES):
        said, error = played(open_program(text), waits=number % 2 == 0 and "stays" not in end)
        assert (said, error.termination, error.message) == (lines, termination, message)
