"""Programs that stay and speak by lines: sound ones, and each way of not answering with its own verdict."""

from __future__ import annotations

import time
from dataclasses import replace
from pathlib import Path

import pytest
from tests.simulator.guard.programs.conftest import LIMITS, SHORT, SPINNING, Open, failure

from tiltyard_engine.errors import ContractError
from tiltyard_engine.programs import ProgramError
from tiltyard_engine.results import Termination
from tiltyard_simulator.guard.programs import program_cell
from tiltyard_simulator.guard.programs.program_client import ProgramClient

T = Termination


def fails(program: ProgramClient, *said: bytes) -> ProgramError:
    """What reading a line ends in, after writing ``said``; and that it ends so for good."""

    def speak() -> None:
        for data in said:
            program.write(data)
        program.read_line()

    error = failure(speak)
    assert failure(lambda: program.write(b"again\n")) is error
    assert not program.cell.is_held
    return error


def test_lines_there_and_back(open_program: Open) -> None:
    program = open_program('while read line; do echo "<$line>"; done')
    for turn in range(50):
        program.begin(0.5, "choose")
        program.write(f"turn {turn}\n".encode())
        assert program.read_line() == f"<turn {turn}>\n".encode()
        program.finish()
    assert program.cell.cpu_seconds < 0.5
    assert program.error is None


def test_the_end_of_the_input_can_be_told(open_program: Open) -> None:
    program = open_program("cat; echo end")
    program.write(b"one")
    program.close_input()
    assert program.read_line() == b"oneend\n"
    with pytest.raises(ContractError, match="after close_input"):
        program.write(b"more")


def test_a_raw_read_takes_what_is_there_and_ends_with_nothing(open_program: Open) -> None:
    program = open_program("printf 'half a li'; read line; printf 'ne\\n'")
    assert program.read(4) == b"half"
    assert program.read(100) == b" a li"
    program.write(b"go on\n")
    assert program.read(100) == b"ne\n"
    assert program.read(100) == b""
    assert program.read(100) == b""


def test_an_answer_before_the_question_is_the_next_answer(open_program: Open) -> None:
    program = open_program("echo early; read line; echo $line")
    program.write(b"asked\n")
    assert program.read_line() == b"early\n"
    assert program.read_line() == b"asked\n"


def test_large_messages_in_both_directions_at_once(open_program: Open) -> None:
    program = open_program("exec cat")
    line = b"x" * 300_000 + b"\n"
    program.write(line)
    assert program.read_line(len(line)) == line


def test_standard_error_is_drained_and_capped(open_program: Open) -> None:
    program = open_program("yes complaint | head -c 3000000 >&2; echo done; read line")
    assert program.read_line() == b"done\n"
    program.cell.retire()
    assert program.cell.output == (b"complaint\n" * 100)[: LIMITS.output_bytes]


FAILURES: dict[str, tuple[str, Termination, str]] = {
    "exit-0": ("exit 0", T.CRASH, "choose: the program exited with code 0"),
    "exit-7": ("read line; exit 7", T.CRASH, "choose: the program exited with code 7"),
    "segfault": ("kill -SEGV $$", T.CRASH, "choose: the program was killed by SIGSEGV"),
    "kills-itself": ("kill -KILL $$", T.CRASH, "choose: the program was killed by SIGKILL"),
    "half-line": (
        "read line; printf '7 2'; exit 3",
        T.PROTOCOL,
        "choose: the output ended in the middle of a line, and the program exited with code 3: b'7 2'",
    ),
    "half-line-and-hang": (
        "printf '7 2'; exec sleep 60",
        T.PROTOCOL,
        "choose: the line was still incomplete at the time limit: b'7 2'",
    ),
    "closes-stdout": ("exec >&-; exec sleep 60", T.DISCONNECT, "choose: the program closed its standard output"),
    "hang": ("exec sleep 60", T.STALL, "choose: no answer within"),
    "loop": ("while :; do :; done", T.TIMEOUT, "choose used "),
    "loop-in-children": ("while :; do (:); done", T.TIMEOUT, "choose used "),
    "stops-itself": ("kill -STOP $$", T.STALL, "choose: no answer within"),
    "flood": ("exec yes | tr -d '\\n'", T.PROTOCOL, "choose: a line of more than 65536 bytes: b'yyyy"),
    "child-holds-stdout": ("sleep 60 & exit 4", T.CRASH, "choose: the program exited with code 4"),
}


@pytest.mark.parametrize("name", FAILURES)
def test_a_verdict_for_each(open_program: Open, name: str) -> None:
    text, termination, message = FAILURES[name]
    limits = SHORT if termination is T.STALL or "hang" in name else SPINNING if termination is T.TIMEOUT else LIMITS
    if name == "loop-in-children":
        # How long ended children waited for a core nobody knows.
        limits = replace(limits, wall_factor=100.0)
    error = fails(open_program(text, limits=limits), b"go\n")
    assert (error.termination, error.message[: len(message)]) == (termination, message)


def test_what_arrived_of_a_half_line_is_told(open_program: Open) -> None:
    assert fails(open_program("printf '7 2'; exit 3")).received == b"7 2"


def test_a_program_that_reads_nothing_does_not_hang_the_host(open_program: Open) -> None:
    begun = time.monotonic()
    error = fails(open_program("exec sleep 60", limits=SHORT), b"x" * (1 << 20))
    assert error.termination is T.STALL
    assert time.monotonic() - begun < 20


def test_a_program_that_has_closed_its_input(open_program: Open) -> None:
    program = open_program("exec <&-; echo closed; exec sleep 60")
    assert program.read_line() == b"closed\n"
    error = fails(program, b"x")
    assert (error.termination, error.message) == (T.DISCONNECT, "choose: the program closed its standard input")


def test_what_was_written_before_hanging_up_is_not_lost(open_program: Open) -> None:
    program = open_program("printf 'closed\\nan answer\\n'; exec <&-; echo behind; exec sleep 60")
    assert program.read_line() == b"closed\n"
    # A pipe that is full is written to until the other end closes.
    error = failure(lambda: program.write(b"x" * (1 << 20)))
    assert (error.termination, error.received[:10]) == (T.DISCONNECT, b"an answer\n")


def test_a_program_that_cannot_be_started(open_program: Open) -> None:
    error = fails(open_program("", command=("./missing",)))
    assert error.termination is T.CRASH
    assert error.message.startswith("choose: cannot start ")
    assert error.message.endswith("missing: No such file or directory")


def test_cpu_burnt_out_of_turn(open_program: Open, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(program_cell, "UNASKED_SECONDS", 0.25)
    program = open_program("while :; do :; done & while read line; do echo $line; done", limits=replace(LIMITS, match_seconds=60))
    program.write(b"one\n")
    assert program.read_line() == b"one\n"
    program.finish()

    def turns() -> None:
        for _ in range(1000):
            time.sleep(0.05)
            program.begin(0.5, "choose")
            program.finish()

    error = failure(turns)
    assert error.termination is T.TIMEOUT
    assert error.message.startswith("used CPU time between two calls: ")


def test_the_cpu_time_of_all_turns_is_limited(open_program: Open) -> None:
    slow = "while read line; do i=0; while [ $i -lt 100000 ]; do i=$((i+1)); done; echo $line; done"
    program = open_program(slow, limits=replace(SPINNING, match_seconds=0.2))

    def turns() -> None:
        for _ in range(1000):
            program.begin(0.9, "choose")
            program.write(b"go\n")
            program.read_line()
            program.finish()

    error = failure(turns)
    assert error.termination is T.TIMEOUT
    assert "the team used 0." in error.message
    assert "s of CPU time in this match, the limit is 0.2 s (limit match_seconds=0.2: " in error.message


def test_scratch_is_where_it_works_and_files_are_there(open_program: Open) -> None:
    program = open_program("cat weights/a.txt; echo $HOME; pwd; echo x >new; cat new", files=("weights",))
    folder = Path(program.team.folder)
    (folder / "weights").mkdir()
    (folder / "weights" / "a.txt").write_text("working file\n")
    assert program.read_line() == b"working file\n"
    home = program.read_line()
    assert home == program.read_line() != f"{folder}\n".encode()
    assert program.read_line() == b"x\n"


def test_environment(open_program: Open, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SECRET", "of the host")
    program = open_program("env; echo end", environment=(("MODE", "fast"),))
    found = b""
    while not found.endswith(b"end\n"):
        found += program.read_line()
    assert b"MODE=fast\n" in found
    assert b"SECRET" not in found
