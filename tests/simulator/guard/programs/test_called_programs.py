"""Programs of which one process is run a move: what goes in, what comes out, what is left behind."""

from __future__ import annotations

import os
from dataclasses import replace
from pathlib import Path

import pytest
from tests.engine.environments import make_environment
from tests.simulator.guard.programs.conftest import LIMITS, SHORT, SPINNING, Open
from tests.simulator.guard.test_cell_pool import eventually

from tiltyard_engine.errors import ContractError
from tiltyard_engine.programs import ProgramError, ProgramTeam
from tiltyard_engine.registry.sources import Origin, Source
from tiltyard_engine.results import Termination
from tiltyard_intake.environments.team_environments import add_interpreter
from tiltyard_simulator.guard.cell_pool import CellPool
from tiltyard_simulator.guard.cells.process_watch import descendants_of
from tiltyard_simulator.match.isolation import Isolation

T = Termination


def test_arguments_files_streams_and_exit_code(open_program: Open) -> None:
    program = open_program('echo "$# $1 $2"; cat in.txt - >out.txt; echo complaint >&2; exit 5')
    call = program.call(["a b", "c"], {"in.txt": b"board\n"}, ["out.txt", "missing.txt"], b"input")
    assert (call.exit_code, call.signal) == (5, 0)
    assert (call.stdout, call.stderr) == (b"2 a b c\n", b"complaint\n")
    assert call.files == {"out.txt": b"board\ninput"}
    assert 0 <= call.cpu_seconds <= 1
    assert call.wall_seconds > 0
    call.expect(0, 5)
    with pytest.raises(ProgramError, match="the program exited with code 5: complaint") as caught:
        call.expect(0, 1)
    assert caught.value.termination is T.CRASH


def test_without_input_standard_input_is_at_its_end(open_program: Open) -> None:
    assert open_program("cat; echo end").call([], {}).stdout == b"end\n"


def test_input_that_nobody_reads(open_program: Open) -> None:
    assert open_program("echo done").call([], {}, stdin=b"x" * 1_000_000).stdout == b"done\n"


def test_scratch_lasts_for_the_match_and_begins_empty(open_program: Open) -> None:
    program = open_program("ls; echo >state")
    assert program.call([], {}).stdout == b""
    assert program.call([], {}).stdout == b"state\n"


def test_the_same_name_in_and_out(open_program: Open) -> None:
    program = open_program("echo more >>$1")
    for count in range(3):
        assert program.call(["board"], {"board": b"%d\n" % count}, ["board"]).files["board"] == b"%d\nmore\n" % count


@pytest.mark.parametrize(
    ("trick", "left"),
    [
        ("ln -s /etc/hostname out", "a symbolic link"),
        ("mkdir out", "a directory"),
        ("mkfifo out", "a FIFO"),
        ("ln -s nowhere out", "a symbolic link"),
        ("mkdir out; touch out/a", "a directory"),
    ],
)
def test_what_is_no_file_is_no_output_and_is_written_over(open_program: Open, trick: str, left: str) -> None:
    program = open_program(f'[ "$1" = plain ] && cat out || {{ rm -rf out; {trick}; }}')
    tricked = program.call([], {}, ["out", "nothing"])
    assert (tricked.files, tricked.left) == ({}, {"out": left})
    assert tricked.missing("out") == f"left {left} as out, expected a regular file"
    assert tricked.missing("nothing") == "did not write nothing"
    call = program.call(["plain"], {"out": b"written"}, ["out"])
    assert (call.stdout, call.files) == (b"written", {"out": b"written"})


def test_an_output_that_is_too_large(open_program: Open) -> None:
    program = open_program("head -c 2000000 /dev/zero >out")
    with pytest.raises(ProgramError, match="choose: wrote more than 1048576 bytes into out") as caught:
        program.call([], {}, ["out"])
    assert caught.value.termination is T.PROTOCOL


def test_a_file_larger_than_the_limit_is_an_error(open_program: Open) -> None:
    program = open_program("exec head -c 2000000 /dev/zero >out", limits=replace(LIMITS, file_bytes=1_000_000))
    call = program.call([], {}, ["out"])
    assert (call.exit_code, call.signal) == (1, 0)
    assert b"File too large" in call.stderr
    assert len(call.files["out"]) == 1_000_000


DOUBLE_MAPPING = """
#define _GNU_SOURCE
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
int main() {
    int file = memfd_create("doublemapper", 1);
    if (file >= 0 && ftruncate(file, 2048L << 20) == 0) {
        char *code = mmap(0, 4096, PROT_READ | PROT_EXEC, MAP_SHARED, file, 0);
        char *data = mmap(0, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
        strcpy(data, "twice");
        puts(code);
    } else puts("once");
    return 0;
}
"""


def test_a_runtime_that_cannot_map_its_code_twice_goes_on(open_program: Open) -> None:
    """What .NET does at its start since 7: room for all code that may ever be compiled, in a file without a name."""
    call = open_program(DOUBLE_MAPPING, "c").call([], {})
    assert (call.exit_code, call.signal, call.stdout) == (0, 0, b"once\n")


def test_megabytes_of_output_a_call_block_nobody(open_program: Open) -> None:
    program = open_program("yes | head -c 3000000; yes | head -c 3000000 >&2; echo the end >out")
    for _ in range(3):
        call = program.call([], {}, ["out"])
        assert (len(call.stdout), len(call.stderr)) == (LIMITS.reply_bytes, LIMITS.output_bytes)
        assert call.files == {"out": b"the end\n"}


def test_a_signal_is_told_by_name(open_program: Open) -> None:
    call = open_program("echo TERM is not set >&2; kill -ABRT $$").call([], {})
    assert (call.exit_code, call.signal) == (0, 6)
    # What it printed is not why.
    with pytest.raises(ProgramError, match=r"^the program was killed by SIGABRT, after it printed: TERM is not set$"):
        call.expect(0)


def test_a_call_that_hangs(open_program: Open) -> None:
    program = open_program("exec sleep 60", limits=SHORT)
    with pytest.raises(ProgramError, match="choose: no answer within") as caught:
        program.call([], {})
    assert caught.value.termination is T.STALL
    with pytest.raises(ProgramError):
        program.call([], {})


@pytest.mark.parametrize("text", ["while :; do :; done", "trap '' TERM INT HUP; while :; do :; done"])
def test_a_call_that_spins(open_program: Open, text: str) -> None:
    with pytest.raises(ProgramError, match=r"choose used [01]\.\d* s of CPU time, the limit is 0\.2 s") as caught:
        open_program(text, limits=SPINNING).call([], {})
    assert caught.value.termination is T.TIMEOUT


@pytest.mark.parametrize(
    "text",
    ["sleep 60 & sleep 60 &", "(sleep 60 & sleep 60) &", "setsid sleep 60 &", "trap '' TERM; (trap '' TERM; sleep 60; :) &"],
)
def test_nothing_that_a_call_left_behind_lives_on(open_program: Open, text: str) -> None:
    program = open_program(f"{text}\necho left")
    for _ in range(2):
        assert program.call([], {}).stdout == b"left\n"
        # The kernel may need a moment for what has been killed.
        assert eventually(lambda: all(map(_is_ended, descendants_of(program.cell.launcher))))


def _is_ended(process: int) -> bool:
    try:
        return Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0] in "ZX"
    except OSError:
        return True


def test_a_command_that_cannot_be_started(open_program: Open) -> None:
    program = open_program("", command=("no-such-program",))
    with pytest.raises(ProgramError, match="cannot start no-such-program: No such file") as caught:
        program.call([], {})
    assert caught.value.termination is T.CRASH


def test_a_file_that_is_no_program(open_program: Open) -> None:
    program = open_program("")
    (Path(program.team.folder) / "bot.sh").write_bytes(os.urandom(100))
    with pytest.raises(ProgramError, match="Exec format error"):
        program.call([], {})


def test_calls_and_lines_do_not_mix(open_program: Open) -> None:
    program = open_program("read line; echo $line")
    program.write(b"x\n")
    with pytest.raises(ContractError, match="either resident or run for each call"):
        program.call([], {})


def test_what_it_prints_is_kept_with_the_seat(open_program: Open) -> None:
    program = open_program("echo secret thoughts >&2")
    program.call([], {})
    program.cell.retire()
    assert program.cell.output == b"secret thoughts\n"


def test_python_is_that_of_the_teams_environment(cells: CellPool, program_folder: Path) -> None:
    folder = program_folder / "on-an-environment"
    folder.mkdir()
    (folder / "bot.py").write_text("import shared, sys\nprint(shared.VERSION, sys.prefix)\n")
    environment = make_environment(folder, {"shared": "VERSION = 2\n"})
    add_interpreter(environment)
    team = ProgramTeam(name="bot", game="none", command=("python3", "bot.py"), folder=str(folder))
    for words in ((), ("/usr/bin/env", "python3", "bot.py")):
        source = Source(
            name="bot", origin=Origin.PROGRAM, value=str(folder / "program.toml"), folder=str(folder), environment=str(environment)
        )
        program = cells.open_program(replace(team, command=words or team.command), source, LIMITS, Isolation.SANDBOX)
        program.begin(LIMITS.move_seconds, "choose")
        call = program.call([], {})
        assert call.stdout.decode() == f"2 {environment}\n", call.stderr.decode()
