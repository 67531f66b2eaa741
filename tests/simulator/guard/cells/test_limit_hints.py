"""What a crash's text tells of the limit that caused it."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tiltyard_simulator.guard.cells.limit_hints import (
    CLOSED_FILE,
    NO_LOCKS,
    NO_NETWORK,
    NO_PROGRAMS,
    NO_SHARED_MEMORY,
    LimitHints,
)
from tiltyard_simulator.guard.policy import Level
from tiltyard_simulator.match.limits import Limits

HINTS = LimitHints(Limits(processes=3, memory_bytes=100 << 20, file_bytes=1 << 20), Level.A)
PROCESSES = " (limit processes=3: a team's processes and threads together; --limit processes=N allows more)"
MEMORY = " (limit memory_bytes=104857600: memory, 100 MiB; --limit memory_bytes=N allows more)"
FILE = " (limit file_bytes=1048576: one file, 1 MiB; --limit file_bytes=N allows more)"
SCRATCH = " (limit scratch_bytes=67108864: all files of the scratch folder, 64 MiB; --limit scratch_bytes=N allows more)"
OPEN = " (at most 256 files may be open; no option changes that)"
CAUSES = {
    "get_action raised RuntimeError: can't start new thread": PROCESSES,
    "get_action raised CppError: std::system_error: Resource temporarily unavailable": PROCESSES,
    "libgomp: Thread creation failed: Operation not permitted": PROCESSES,
    "get_action raised MemoryError": MEMORY,
    "cannot be imported: MemoryError (bot.py, line 5)": MEMORY,
    "get_action raised _ArrayMemoryError: Unable to allocate 7.45 GiB for an array with shape (1000000000,)": MEMORY,
    "terminate called after throwing an instance of 'std::bad_alloc'": MEMORY,
    "cannot be imported: ImportError: libtorch_cpu.so: failed to map segment from shared object (bot.py, line 1)": MEMORY,
    "get_action raised OSError: [Errno 12] Cannot allocate memory": MEMORY,
    "get_action raised OSError: [Errno 27] File too large": FILE,
    "get_action raised OSError: [Errno 28] No space left on device": SCRATCH,
    "get_action raised OSError: [Errno 24] Too many open files: 'a'": OPEN,
    "get_action raised OSError: [Errno 30] Read-only file system: '/teams/log.txt'": CLOSED_FILE,
    "get_action raised PermissionError: [Errno 13] Permission denied: '/teams/log.txt'": CLOSED_FILE,
    "std::filesystem::filesystem_error: filesystem error: cannot create directory: Permission denied [/logs]": CLOSED_FILE,
    "line 1953, in _execute_child\n    raise child\nPermissionError: [Errno 1] Operation not permitted: 'true'": NO_PROGRAMS,
    "in _fork_exec\n    return _fork_exec(\nPermissionError: [Errno 1] Operation not permitted": NO_PROGRAMS,
    "os.fork()\nPermissionError: [Errno 1] Operation not permitted": PROCESSES,
    "fcntl.flock(file, fcntl.LOCK_SH)\nPermissionError: [Errno 1] Operation not permitted": NO_LOCKS,
    "fcntl.lockf(file, fcntl.LOCK_EX)\nPermissionError: [Errno 1] Operation not permitted": NO_LOCKS,
    "get_action raised OperationalError: access permission denied": NO_LOCKS,
    'File "/usr/lib/python3/socket.py", line 2\nPermissionError: [Errno 1] Operation not permitted': NO_NETWORK,
    "get_action raised gaierror: [Errno -3] Temporary failure in name resolution": NO_NETWORK,
}


@pytest.mark.parametrize("text", CAUSES)
def test_each_cause_is_found(text: str) -> None:
    assert HINTS.find(text) == CAUSES[text]


def test_each_limit_of_time_is_named_with_its_value_and_how_to_raise_it() -> None:
    start = " (limit startup_seconds=5: seconds of CPU time to start; --limit startup_seconds=N allows more)"
    assert [HINTS.time(doing) for doing in ("the import", "loading", "starting up")] == [start] * 3
    assert "1: seconds of CPU time a call, and 2 were made at once; --limit" in HINTS.time("get_action", calls=2)
    assert HINTS.time("get_action") == " (limit move_seconds=1: seconds of CPU time a call; --limit move_seconds=N allows more)"
    whole = " (limit match_seconds=120: seconds of CPU time for all calls of a match; --limit match_seconds=N allows more)"
    assert HINTS.time("get_action", of_the_match=True) == whole
    waited = " (limit wall_factor=5: times startup_seconds=5 until an answer; --limit wall_factor=N allows more)"
    assert HINTS.time("loading", waited=True) == waited
    assert replace(HINTS, whose="manager:").time("loading").endswith("; --limit manager:startup_seconds=N allows more)")
    assert replace(HINTS, is_of_a_build=True).time("g++") == ""


@pytest.mark.parametrize(
    "text",
    [
        "get_action raised ValueError: 24",
        "get_action raised MemoryError: none left",
        "get_action raised OwnMemoryErrors",
        "get_action raised PermissionError: no",
        "get_action raised PermissionError: [Errno 1] Operation not permitted",
        "get_action raised FileNotFoundError: [Errno 2] No such file or directory: 'weights.json'",
    ],
)
def test_other_crashes_name_nothing(text: str) -> None:
    assert HINTS.find(text) == ""


def test_a_disk_is_only_limited_in_a_sandbox_with_a_file_system_of_its_own() -> None:
    assert replace(HINTS, level=Level.B).find("[Errno 28] No space left on device") == ""


def test_without_a_sandbox_nothing_is_closed() -> None:
    causes = [text for text, hint in CAUSES.items() if hint in (CLOSED_FILE, NO_LOCKS, NO_NETWORK)]
    assert {replace(HINTS, level=Level.C).find(text) for text in causes} == {""}


@pytest.mark.parametrize(
    "error", ["PermissionError: [Errno 13] Permission denied", "FileNotFoundError: [Errno 2] No such file: '/psm_1'"]
)
def test_only_level_b_lacks_shared_memory(error: str) -> None:
    text = f'File "/usr/lib/python3/multiprocessing/synchronize.py", line 57, in __init__\n{error}'
    assert replace(HINTS, level=Level.B).find(text) == NO_SHARED_MEMORY
    assert NO_SHARED_MEMORY not in (HINTS.find(text), replace(HINTS, level=Level.C).find(text))


def test_a_managers_limits_have_another_option() -> None:
    assert "; --limit manager:memory_bytes=N allows more)" in replace(HINTS, whose="manager:").memory()


@pytest.mark.timeout(20)
def test_no_text_takes_long() -> None:
    """Texts are a team's, and as long as it likes up to the limit of a traceback."""
    for part in ('socket.py", line ', "[Errno 13] ", "filesystem error: ", "std::system_error'   ", "_", " " * 100):
        HINTS.find(part * (64_000 // len(part)))
