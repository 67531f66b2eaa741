"""Programs that keep their lines in a buffer: they are told so soon, and whoever may still answer has the whole time."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from tests.simulator.guard.programs.conftest import PYTHON, failure, write_program

from tiltyard_engine.errors import UserError
from tiltyard_engine.programs import ProgramTeam
from tiltyard_engine.registry.sources import Origin, Source
from tiltyard_engine.results import Termination
from tiltyard_simulator.guard.cell_pool import CellPool
from tiltyard_simulator.guard.confinement.probes import probe_confinement
from tiltyard_simulator.guard.policy import Level
from tiltyard_simulator.guard.programs.flushing import how_to_flush
from tiltyard_simulator.guard.programs.program_client import ProgramClient
from tiltyard_simulator.match.isolation import Isolation
from tiltyard_simulator.match.limits import Limits

PATIENT = Limits(move_seconds=20.0, wall_factor=5.0)
"""A test that waits for all of it fails."""
Start = Callable[..., ProgramClient]


@pytest.fixture(scope="module", params=[Level.A, Level.B, Level.C], ids=["A", "B", "process"])
def cells_of_level(request: pytest.FixtureRequest, program_folder: Path) -> Iterator[CellPool]:
    try:
        probe_confinement(request.param)
    except UserError as error:
        pytest.skip(str(error))
    with CellPool(level=request.param, readable=[str(program_folder)]) as held:
        yield held


@pytest.fixture
def start(cells_of_level: CellPool, program_folder: Path, request: pytest.FixtureRequest) -> Start:
    """``start(language, text)``: a program of that text, its first turn begun."""
    folder = program_folder / str(len(list(program_folder.iterdir())))
    folder.mkdir()
    isolation = Isolation.PROCESS if cells_of_level.confinement.level is Level.C else Isolation.SANDBOX

    def started(
        language: str, text: str, command: tuple[str, ...] = (), limits: Limits = PATIENT, **fields: object
    ) -> ProgramClient:
        path = write_program(folder, text, "sh" if language == "sh" else "c" if language == "c" else "python")
        if not command:
            command = (f"./{path.name}",) if language in ("sh", "c") else (language, path.name)
        if "/" not in command[0] and shutil.which(command[0], path="/usr/bin:/bin:/usr/local/bin") is None:
            pytest.skip(f"no {command[0]}")
        team = ProgramTeam(name="bot", game="none", command=command, folder=str(folder), **fields)  # type: ignore[arg-type]
        source = Source(name="bot", origin=Origin.PROGRAM, value=str(folder / "program.toml"), folder=str(folder))
        program = cells_of_level.open_program(team, source, limits, isolation)
        program.begin(limits.move_seconds, "answering")
        return program

    return started


PERL = "while (<STDIN>) { print qq(7 2\\n) }"
C = '#include <stdio.h>\nint main(void) { char line[99]; while (fgets(line, 99, stdin)) puts("7 2"); }'
READER = "import sys\nfor line in sys.stdin:\n    sys.stdout.write('7 2\\n')\n"
KEPT: dict[str, tuple[str, str, tuple[str, ...], str]] = {
    "c": ("c", C, (), ", with fflush(stdout)"),
    "perl": ("perl", PERL, (), ", with $| = 1"),
    "python, isolated": ("python3", READER, ("python3", "-I", "bot.python"), ", with print(..., flush=True)"),
    "awk": ("mawk", "{ print 7, 2 }", ("mawk", "-f", "bot.python"), ", with fflush()"),
    "below a shell": ("sh", f"perl -e '{PERL}'\ntrue", (), ""),
    "behind another": ("sh", f"tee log | perl -e '{PERL}'", (), ""),
    "beside a thread": (
        "python3",
        f"import threading\nthreading.Thread(target=threading.Event().wait, daemon=True).start()\n{READER}",
        ("python3", "-I", "bot.python"),
        ", with print(..., flush=True)",
    ),
}


@pytest.mark.parametrize("name", KEPT)
def test_an_answer_in_a_buffer_is_found_without_waiting_for_the_limit(start: Start, name: str) -> None:
    language, text, command, how = KEPT[name]
    program = start(language, text, command)
    program.write(b"go\n")
    error = failure(program.read_line)
    said = (
        f"its answer came when its input ended, b'7 2\\n': it reads more lines than were sent, or must flush after each line{how}"
    )
    expected = f"answering: no answer, and it waits for more input; {said}"
    assert (error.termination, error.message) == (Termination.STALL, expected)


def test_an_answer_without_its_end(start: Start) -> None:
    program = start("perl", "while (<STDIN>) { print '7 2' }")
    program.write(b"go\n")
    error = failure(program.read_line)
    assert error.message.endswith(
        "b'7 2': it reads more lines than were sent, or must end each line with \\n and flush after each line, with $| = 1"
    )


def test_one_that_waits_for_more_lines_than_were_sent_is_not_told_that_a_buffer_alone_is_to_blame(start: Start) -> None:
    text = "import sys\nsys.stdin.readline() and sys.stdin.readline()\nprint(7, 2, flush=True)\n"
    program = start("python3", text)
    program.write(b"go\n")
    error = failure(program.read_line)
    assert "input ended, b'7 2\\n': it reads more lines than were sent, or must flush after each line" in error.message


def test_half_an_answer(start: Start) -> None:
    program = start("perl", "$| = 1; print '7'; while (<STDIN>) {} print ' 2', qq(\\n)")
    error = failure(program.read_line)
    said = "the line was still incomplete when it waited for more input: b'7'; its answer came when its input ended, b'7 2\\n'"
    assert error.termination is Termination.PROTOCOL
    assert error.message == f"answering: {said}: it reads more lines than were sent, or must flush after each line, with $| = 1"


def test_one_that_has_no_answer_is_told_no_more(start: Start) -> None:
    error = failure(start("perl", "while (<STDIN>) { print STDERR 'what?' }").read_line)
    assert (error.termination, error.message) == (Termination.STALL, "answering: no answer, and it waits for more input")


def test_at_the_limit_too_the_input_is_closed(start: Start) -> None:
    """A wait with an end of its own may bring an answer, so it has its whole time; this one ends with the input."""
    text = """
import select, sys
while not select.select([0], [], [], 60)[0] or sys.stdin.readline(): pass
print(7, 2)
"""
    program = start("python3", text, limits=Limits(move_seconds=0.1, startup_seconds=0.2, wall_factor=5.0))
    error = failure(program.read_line)
    assert error.termination is Termination.STALL
    assert error.message.startswith("answering: no answer within ")
    assert error.message.endswith("or must flush after each line, with print(..., flush=True)")


THREAD = """
import sys, threading, time
threading.Thread(target=lambda: (time.sleep(0.6), print("late")), daemon=True).start()
sys.stdin.read()
"""
ALARM = """
import signal, sys
signal.signal(signal.SIGALRM, lambda *_: print("late"))
signal.setitimer(signal.ITIMER_REAL, 0.6)
sys.stdin.read()
"""
LATE: dict[str, tuple[str, str]] = {
    "a thread": ("python3", THREAD),
    "a child": ("sh", "(sleep 0.6; echo late) &\nread a\nread b"),
    "an alarm": ("python3", ALARM),
    "a sleep": ("sh", "read a; sleep 0.6; echo late; read b"),
    "a timeout": ("python3", "import select\nselect.select([0], [], [], 0.6)\nprint('late')"),
    "a wait of a thread": ("python3", "import sys, threading\nthreading.Timer(0.6, print, ['late']).start()\nsys.stdin.read()"),
}


@pytest.mark.parametrize("name", LATE)
def test_whoever_may_still_answer_has_its_whole_time(start: Start, name: str) -> None:
    program = start(*LATE[name])
    if name == "a sleep":
        program.write(b"go\n")
    assert program.read_line() == b"late\n"


def test_input_that_is_not_read_is_no_wait_for_more(start: Start) -> None:
    program = start("sh", "sleep 0.6; read a; echo $a")
    program.write(b"unread\n")
    assert program.read_line() == b"unread\n"


PLAIN = "for line in open(0):\n    print(line, end='')\n"
STARTS: dict[str, tuple[str, str, tuple[str, ...]]] = {
    "by name": ("python3", PLAIN, ()),
    "by its first line": ("sh", "", ("./bot",)),
    "by env": ("python3", PLAIN, ("env", "python3", "bot.python")),
    "by a shell": ("sh", "exec python3 ${0%.sh}", ()),
    "pypy": ("pypy3", PLAIN, ()),
}


@pytest.mark.parametrize("name", STARTS)
def test_python_need_not_flush(start: Start, program_folder: Path, name: str) -> None:
    language, text, command = STARTS[name]
    program = start(language, text, command)
    own = Path(program.team.folder) / "bot"
    own.write_text(f"#!/usr/bin/env python3\n{PLAIN}")
    own.chmod(0o755)
    if PYTHON is None:
        pytest.skip("no Python that programs may read")
    for line in (b"one\n", b"two\n"):
        program.write(line)
        assert program.read_line() == line


def test_a_manifest_may_ask_for_a_buffer(start: Start) -> None:
    program = start("python3", PLAIN, environment=(("PYTHONUNBUFFERED", ""),))
    program.write(b"one\n")
    assert failure(program.read_line).termination is Termination.STALL


FLUSHES = {
    "#!/usr/bin/perl -w\n": "$| = 1",
    "#!/usr/bin/env -S X=1 ruby3.1\n": "$stdout.sync = true",
    "#! /usr/bin/python3.13 -u\n": "print(..., flush=True)",
    "#!/bin/sh\n": "",
    "#!/usr/bin/env\n": "",
    "\x7fELF ... /rustc/ ... libc.so.6 ... fflush": "std::io::stdout().flush()",
    "\x7fELF ... libstdc++.so.6 libc.so.6": "std::flush",
    "\x7fELF ... libc.so.6": "fflush(stdout)",
    "\x7fELF": "",
    "": "",
}


@pytest.mark.parametrize("text", FLUSHES)
def test_how_a_language_flushes(tmp_path: Path, text: str) -> None:
    file = tmp_path / "bot"
    file.write_text(text)
    assert how_to_flush([str(file)]) == FLUSHES[text]
    assert how_to_flush(["java", "-jar", "bot.jar"]) == "System.out.flush()"
    assert how_to_flush([str(tmp_path)]) == how_to_flush(["./missing"]) == ""
