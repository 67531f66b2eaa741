from __future__ import annotations

import errno
import signal
import subprocess
import sys
from collections.abc import Callable

import pytest

from tiltyard_engine.errors import UserError
from tiltyard_simulator.ending import end_well


def raising(error: BaseException) -> Callable[[], int]:
    def command() -> int:
        raise error

    return command


@pytest.mark.parametrize(
    ("error", "status", "message"),
    [
        (UserError("no such thing"), 2, "error: no such thing\n"),
        (KeyboardInterrupt(), 130, "interrupted\n"),
        (BrokenPipeError(errno.EPIPE, "Broken pipe"), 141, ""),
        (OSError(errno.ENOSPC, "No space left on device"), 2, "error: No space left on device\n"),
        (OSError(errno.EACCES, "Permission denied", "x.txt"), 2, "error: x.txt: Permission denied\n"),
        (SystemExit(3), 3, ""),
        (SystemExit(), 0, ""),
        (SystemExit("why"), 1, "why\n"),
    ],
)
def test_what_stops_a_command_is_a_status_and_a_message(
    capfd: pytest.CaptureFixture[str], error: BaseException, status: int, message: str
) -> None:
    assert end_well(raising(error)) == status
    assert capfd.readouterr().err == message


def test_the_commands_own_status_stands() -> None:
    assert [end_well(lambda: 0), end_well(lambda: 1)] == [0, 1]


def test_a_mistake_of_ours_is_not_hidden() -> None:
    with pytest.raises(ZeroDivisionError):
        end_well(raising(ZeroDivisionError()))


def speak() -> int:
    print("x")
    return 0


def test_closed_streams_stop_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdout", None)
    monkeypatch.setattr(sys, "stderr", None)
    assert end_well(speak) == 0
    sys.stdout.close()
    sys.stderr.close()


STUBBORN = """
import sys, time
from tiltyard_simulator.ending import end_well

def command():
    try:
        print("begun", flush=True)
        time.sleep(60)
    finally:
        print("tidying up", flush=True)
        time.sleep(60)

sys.exit(end_well(command))
"""


def test_the_second_interrupt_ends_at_once() -> None:
    process = subprocess.Popen([sys.executable, "-c", STUBBORN], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    with process:
        assert process.stdout is not None
        for line in ("begun\n", "tidying up\n"):
            assert process.stdout.readline() == line
            process.send_signal(signal.SIGINT)
        _, err = process.communicate(timeout=30)
    assert (process.returncode, err) == (-signal.SIGINT, "")
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler
