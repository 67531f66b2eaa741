"""What programs do that take more than they may, reach for what is not theirs, or will not go away."""

from __future__ import annotations

import os
import re
import signal
import socket
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from tests.simulator.guard.conftest import zygote_pid
from tests.simulator.guard.programs.conftest import LIMITS, SPINNING, Open, failure

from tiltyard_engine.results import Termination
from tiltyard_simulator.guard.cell_pool import CellPool
from tiltyard_simulator.guard.policy import Level
from tiltyard_simulator.guard.programs.program_client import ProgramClient
from tiltyard_simulator.match.isolation import Isolation

T = Termination
BOMB = '#include <unistd.h>\nint main() { write(1, "go\\n", 3); for (;;) fork(); }'
MEMORY = """
import os, sys, time
{before}
blocks = []
while True:
    blocks.append(bytearray(b"x") * (1 << 20))
"""


@pytest.fixture
def is_sandbox(open_program: Open, request: pytest.FixtureRequest, cells: CellPool) -> bool:
    isolation: Isolation = request.node.callspec.params["open_program"]
    return isolation is Isolation.SANDBOX and cells.confinement.level is not Level.C


def processes_marked(mark: str) -> Iterator[int]:
    """Living processes with a word among those of their command."""
    for entry in Path("/proc").iterdir():
        if entry.name.isdecimal() and int(entry.name) != os.getpid():
            try:
                state = (entry / "stat").read_text().rpartition(")")[2].split()[0]
                if mark.encode() in (entry / "cmdline").read_bytes() and state not in "ZX":
                    yield int(entry.name)
            except OSError:
                continue


def gone(mark: str, seconds: float = 10.0) -> bool:
    until = time.monotonic() + seconds
    while list(processes_marked(mark)) and time.monotonic() < until:
        time.sleep(0.02)
    return not list(processes_marked(mark))


def speak_for_ever(program: ProgramClient) -> None:
    while True:
        program.read_line()


def take_turn(program: ProgramClient) -> None:
    program.begin(1.0, "choose")
    program.read_line()


def test_a_fork_bomb_is_bounded_and_leaves_nothing(open_program: Open) -> None:
    program = open_program(BOMB, "c", replace(LIMITS, program_processes=20, move_seconds=0.2))
    error = failure(lambda: speak_for_ever(program))
    # Where the kernel bounds it, it goes on failing to fork until its time is over.
    assert error.termination in (T.CRASH, T.TIMEOUT), error
    if error.termination is T.CRASH:
        assert error.message == "choose: more than 20 processes and threads: killed (--limit program_processes=N allows more)"
    assert gone(program.team.folder)


@pytest.mark.parametrize("before", ["", "os.fork(); os.fork(); os.fork()"])
def test_memory_is_limited_for_all_processes_together(open_program: Open, before: str) -> None:
    limits = replace(LIMITS, memory_bytes=100 << 20, move_seconds=20.0)
    program = open_program(MEMORY.format(before=before), "python", limits)
    error = failure(lambda: speak_for_ever(program))
    assert error.termination is T.OUT_OF_MEMORY, error
    assert error.message.startswith("choose: killed while it used 1")
    assert error.message.endswith(" MiB, the limit is 100 MiB (--limit memory_bytes=N allows more)")


def test_memory_is_limited_while_the_program_is_not_asked(open_program: Open) -> None:
    program = open_program("import sys; print(1, flush=True); sys.stdin.readline()" + MEMORY.format(before=""), "python")
    program.read_line()
    program.write(b"x\n")
    program.finish()
    assert gone(program.team.folder)
    error = failure(lambda: take_turn(program))
    assert error.termination is T.OUT_OF_MEMORY, error


def test_memory_that_children_share_counts_once(open_program: Open) -> None:
    text = (
        "import os, time\nblock = bytearray(b'x') * (60 << 20)\nfor _ in range(3): os.fork()\ntime.sleep(0.5)\nprint(1, flush=True)"
    )
    program = open_program(text, "python", replace(LIMITS, memory_bytes=120 << 20))
    assert program.read_line() == b"1\n"
    assert 60 << 20 < program.cell.peak_bytes < 120 << 20


SOCKETS = """
import os, socket, time
for _ in range(11):
    if not os.fork():
        break
kept = []
try:
    while True:
        pair = socket.socketpair()
        kept.append(pair)
        for end in pair:
            end.setblocking(False)
            try:
                while True: end.send(bytes(1 << 15))
            except BlockingIOError:
                pass
except OSError:
    time.sleep(600)
"""


def test_memory_in_sockets_is_limited_for_all_processes_together(open_program: Open) -> None:
    program = open_program(SOCKETS, "python", replace(LIMITS, memory_bytes=300 << 20, move_seconds=20.0))
    error = failure(lambda: speak_for_ever(program))
    assert error.termination is T.OUT_OF_MEMORY, error
    found = re.fullmatch(
        r"choose: killed while its sockets could hold (\d+) MiB, the limit is 300 MiB \(--limit memory_bytes=N allows more\)",
        error.message,
    )
    assert found is not None, error
    # The limit counts bytes, and the message whole MiB.
    assert int(found[1]) >= 300


def test_address_space_is_not_limited(open_program: Open) -> None:
    text = "import mmap\nmap = mmap.mmap(-1, 1 << 36, flags=mmap.MAP_PRIVATE, prot=mmap.PROT_READ)\nprint(len(map))"
    assert open_program(text, "python").read_line() == b"%d\n" % (1 << 36)


DAEMON = """
import os, signal, sys, time
for number in (signal.SIGTERM, signal.SIGHUP, signal.SIGINT):
    signal.signal(number, signal.SIG_IGN)
if os.fork():
    sys.exit()
try:
    os.setsid()
except PermissionError:
    pass
if os.fork():
    sys.exit()
print("alive", flush=True)
while True:
    time.sleep(60)
"""


def test_a_daemon_does_not_outlive_the_match(open_program: Open, cells: CellPool) -> None:
    program = open_program(DAEMON, "python")
    assert failure(lambda: speak_for_ever(program)).message == "choose: the program exited with code 0"
    cells.end_match()
    assert gone(program.team.folder)


def test_a_robot_that_ignores_everything_does_not_outlive_the_match(open_program: Open, cells: CellPool) -> None:
    program = open_program("trap '' TERM INT HUP PIPE; echo here; while :; do sleep 1; done")
    assert program.read_line() == b"here\n"
    assert list(processes_marked(program.team.folder))
    scratch = [Path(folder) for _, folder in cells._playing]
    assert scratch
    assert all(folder.is_dir() for folder in scratch)
    cells.end_match()
    assert gone(program.team.folder)
    assert not any(folder.exists() for folder in scratch)


def test_nothing_outlives_a_killed_zygote(open_program: Open, cells: CellPool, request: pytest.FixtureRequest) -> None:
    program = open_program("trap '' TERM INT HUP PIPE; echo here; while :; do sleep 1; done")
    assert program.read_line() == b"here\n"
    os.kill(zygote_pid(cells, request.node.callspec.params["open_program"]), signal.SIGKILL)
    assert failure(lambda: take_turn(program)).termination is T.VOID
    assert gone(program.team.folder)


def test_it_reads_its_own_folder_and_no_other(open_program: Open, program_folder: Path, is_sandbox: bool) -> None:
    secret = program_folder / "secret"
    secret.write_text("of another team\n")
    program = open_program(f"cat {secret} /etc/shadow /proc/1/environ; ls {program_folder}; cat ${{0}} | head -1")
    first = program.read_line()
    assert first == (b"#!/bin/sh\n" if is_sandbox else b"of another team\n")


def test_it_writes_into_its_scratch_folder_alone(open_program: Open, program_folder: Path, is_sandbox: bool) -> None:
    if not is_sandbox:
        pytest.skip("not confined")
    program = open_program(
        f"for f in {program_folder}/new $(dirname $0)/new /tmp/new /usr/new; do echo x >$f; done; echo x >new && echo done"
    )
    assert program.read_line() == b"done\n"
    assert not (program_folder / "new").exists()
    assert not (Path(program.team.folder) / "new").exists()


def test_no_network(open_program: Open, is_sandbox: bool) -> None:
    if not is_sandbox:
        pytest.skip("not confined")
    with socket.create_server(("127.0.0.1", 0)) as listener:
        text = (
            "import socket\n"
            "for family, kind in ((2, 1), (2, 2), (10, 1), (1, 1)):\n"
            "    try:\n"
            f"        s = socket.socket(family, kind); s.connect(('127.0.0.1', {listener.getsockname()[1]}))\n"
            "        print('connected')\n"
            "    except OSError as error:\n"
            "        pass\n"
            "print('end')\n"
        )
        assert open_program(text, "python").read_line() == b"end\n"


def test_it_sees_no_other_processes_to_signal(open_program: Open, is_sandbox: bool) -> None:
    if not is_sandbox:
        pytest.skip("not confined")
    text = f"kill -0 {os.getpid()} && echo reached; kill -0 {os.getppid()} && echo reached; echo end"
    assert open_program(text).read_line() == b"end\n"


def test_it_may_signal_its_own_children(open_program: Open, cells: CellPool) -> None:
    assert open_program("sleep 60 & kill $!; wait $!; echo $?").read_line() == b"143\n"


def test_who_ends_its_own_cell_by_a_signal_is_charged_with_it(open_program: Open, cells: CellPool, is_sandbox: bool) -> None:
    program = open_program("echo go\nread n\nkill -SEGV $PPID\nread n")
    assert program.read_line() == b"go\n"
    program.write(b"1\n")
    error = failure(program.read_line)
    if is_sandbox and cells.confinement.level is Level.A:
        # There the launcher is the first process of a namespace, which such signals do not reach.
        assert error.termination is T.STALL, error
    else:
        assert error.termination is T.CRASH, error
        assert error.message == "choose: the program's cell was killed by SIGSEGV"


IGNORED_CHILDREN = """
import os, signal, time
signal.signal(signal.SIGCHLD, signal.SIG_IGN)
print("go", flush=True)
while True:
    if not os.fork():
        while time.process_time() < 0.1: pass
        os._exit(0)
    try:
        os.wait()
    except ChildProcessError:
        pass
"""


def test_time_of_children_that_nobody_waits_for_counts(open_program: Open) -> None:
    program = open_program(IGNORED_CHILDREN, "python", replace(SPINNING, wall_factor=100.0))
    error = failure(lambda: speak_for_ever(program))
    assert error.termination is T.TIMEOUT, error
