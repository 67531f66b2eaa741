"""The process that reads archives: no bound can be passed, and nothing of it is left."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from tests.intake import readings

from tiltyard_engine.errors import UserError
from tiltyard_intake.archives.bounds import BOUNDS, MIB, Bounds
from tiltyard_intake.archives.unpack_errors import Cause, UnpackError
from tiltyard_intake.trees.bounded_reading import GivenUpError, never, read_bounded

ENOUGH = replace(BOUNDS, seconds=60)


@pytest.mark.parametrize(
    ("does", "bounds", "cause", "said"),
    [
        (
            readings.compute,
            replace(ENOUGH, cpu_seconds=1),
            Cause.TOO_LONG,
            "is damaged: reading it takes more than 1 second of CPU",
        ),
        (
            readings.wait,
            replace(ENOUGH, seconds=2),
            Cause.TOO_LONG,
            "is damaged: reading it takes more than 2 seconds; make",
        ),
        (
            readings.take_memory,
            replace(ENOUGH, memory=64 * MIB),
            Cause.TOO_LONG,
            "reading it takes more than 64 MB of memory; make",
        ),
        (readings.fall, ENOUGH, Cause.DAMAGED, "a.zip: is damaged (its reader ended with SIGSEGV); send it again"),
        (readings.stumble, ENOUGH, Cause.DAMAGED, "a.zip: is damaged (KeyError: 'a key'); send it again"),
        (readings.answer_much, ENOUGH, Cause.LONG_LIST, "a.zip: has too long a list of contents (more than 64 MB)"),
        (readings.refuse, ENOUGH, Cause.NESTED, "in.zip: contains archives in archives, more than 3 deep; send one zip"),
    ],
)
def test_what_breaks_a_bound_is_damaged_and_the_next_one_is_read(
    does: Callable[[], object], bounds: Bounds, cause: Cause, said: str
) -> None:
    with pytest.raises(UnpackError) as raised:
        read_bounded("a.zip", bounds, never, does)
    assert (raised.value.cause, said in str(raised.value)) == (cause, True), str(raised.value)
    assert read_bounded("b.zip", ENOUGH, never, readings.own_number) != os.getpid()


def test_a_full_disk_is_nobodys_fault() -> None:
    with pytest.raises(UserError, match="the disk is full") as raised:
        read_bounded("a.zip", ENOUGH, never, readings.complain)
    assert not isinstance(raised.value, UnpackError)


def test_bounds_are_for_each_call() -> None:
    """Also those that are higher than the ones before."""
    first = read_bounded("a.zip", replace(ENOUGH, cpu_seconds=1, memory=64 * MIB, size=MIB), never, readings.own_number)
    assert read_bounded("a.zip", ENOUGH, never, readings.take_memory) == readings.MEMORY
    assert read_bounded("a.zip", ENOUGH, never, readings.own_number) == first


def test_one_that_was_killed_while_nobody_asked_is_replaced() -> None:
    first = read_bounded("a.zip", ENOUGH, never, readings.own_number)
    os.kill(first, signal.SIGKILL)
    os.waitid(os.P_PID, first, os.WEXITED | os.WNOWAIT)
    assert read_bounded("a.zip", ENOUGH, never, readings.own_number) != first


def test_whoever_gives_up_waits_no_longer(tmp_path: Path) -> None:
    raised: list[BaseException] = []
    stop = threading.Event()

    def ask() -> None:
        try:
            read_bounded("a.zip", ENOUGH, stop.is_set, readings.wait, tmp_path / "number")
        except GivenUpError as error:
            raised.append(error)

    thread = threading.Thread(target=ask)
    thread.start()
    number = number_in(tmp_path / "number")
    stop.set()
    thread.join()
    assert len(raised) == 1
    assert not is_running(number)


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGKILL])
def test_it_ends_with_whoever_asked(number: signal.Signals, tmp_path: Path) -> None:
    script = (
        "import sys; from pathlib import Path; from tests.intake import readings\n"
        "from tiltyard_intake.trees.bounded_reading import never, read_bounded\n"
        "from tiltyard_intake.archives.bounds import BOUNDS\n"
        "read_bounded('a.zip', BOUNDS, never, readings.wait, Path(sys.argv[1]))"
    )
    root = Path(__file__).resolve().parents[3]
    with subprocess.Popen([sys.executable, "-c", script, str(tmp_path / "number")], cwd=root, stderr=subprocess.DEVNULL) as parent:
        reader = number_in(tmp_path / "number")
        parent.send_signal(number)
        parent.wait()
    while is_running(reader):
        time.sleep(0.01)


def is_running(number: int) -> bool:
    """Whether a process has not ended, waited for or not."""
    try:
        return Path(f"/proc/{number}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except (FileNotFoundError, ProcessLookupError):
        return False


def number_in(path: Path) -> int:
    """What a process wrote there, once it is there."""
    while not path.exists():
        time.sleep(0.01)
    return int(path.read_text())
