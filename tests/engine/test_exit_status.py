from __future__ import annotations

import contextlib
import errno
import io
import resource
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from tiltyard_engine.errors import UserError
from tiltyard_engine.exit_status import discard_output, end_well, errors_told, raised_by_signals, said_if_interrupted

OPEN_FILES = resource.getrlimit(resource.RLIMIT_NOFILE)[0]


def raising(error: BaseException) -> Callable[[], int]:
    def command() -> int:
        raise error

    return command


@pytest.mark.parametrize(
    ("error", "status", "message"),
    [
        (UserError("no such thing"), 2, "error: no such thing\n"),
        (UserError("no sandbox here", see="no-sandbox"), 2, "error: no sandbox here\nhelp: tiltyard explain no-sandbox\n"),
        (KeyboardInterrupt(), 130, "interrupted\n"),
        (BrokenPipeError(errno.EPIPE, "Broken pipe"), 141, ""),
        (OSError(errno.ENOSPC, "No space left on device"), 2, "error: No space left on device\n"),
        (
            OSError(errno.EMFILE, "Too many open files"),
            2,
            (
                f"error: too many open files: the limit is {OPEN_FILES} (ulimit -n); raise it, for example with 'ulimit -n 1024',"
                " or use fewer workers\n"
            ),
        ),
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


def test_a_closed_pipe_that_a_command_line_library_has_turned_into_a_status_of_its_own() -> None:
    def command() -> int:
        try:
            raise BrokenPipeError(errno.EPIPE, "Broken pipe")
        except OSError:
            sys.exit(1)

    assert end_well(command) == 141


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
from tiltyard_engine.exit_status import end_well

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


def test_a_command_may_have_its_own_words_for_errors(capfd: pytest.CaptureFixture[str]) -> None:
    assert end_well(raising(UserError("no such thing")), name="game", failed=1) == 1
    assert capfd.readouterr().err == "game: no such thing\n"


def test_a_mistake_within_a_command_is_told_without_what_could_steer_a_terminal(capfd: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as stop, errors_told():
        raise UserError("no \x1b[2Jsuch\nthing")
    assert stop.value.code == 2
    assert capfd.readouterr().err == "error: no \N{REPLACEMENT CHARACTER}[2Jsuch\nthing\n"


def test_a_signal_leaves_every_context() -> None:
    before = signal.getsignal(signal.SIGTERM)
    left: list[str] = []
    stack = contextlib.ExitStack()
    stack.callback(left.append, "left")
    with pytest.raises(SystemExit) as stop, raised_by_signals(), stack:
        signal.raise_signal(signal.SIGTERM)
    assert (stop.value.code, left) == (128 + signal.SIGTERM, ["left"])
    with pytest.raises(KeyboardInterrupt), raised_by_signals(KeyboardInterrupt):
        signal.raise_signal(signal.SIGHUP)
    assert signal.getsignal(signal.SIGTERM) is before


def test_output_that_nobody_reads_is_dropped(tmp_path: Path) -> None:
    path = tmp_path / "out.txt"
    with path.open("w") as stream:
        stream.write("buffered")
        discard_output(stream)
    assert path.read_text() == ""
    discard_output(io.StringIO())


DROPPED = """
import os, signal, time
from tiltyard_engine.exit_status import end_well

class Dropped:
    def __del__(self):
        os.kill(os.getpid(), signal.SIGINT)
        time.sleep(0.001)

def command():
    Dropped()
    time.sleep(300)
    return 0

raise SystemExit(end_well(command))
"""


def test_an_interrupt_while_an_object_is_destroyed_is_not_lost() -> None:
    done = subprocess.run([sys.executable, "-c", DROPPED], capture_output=True, text=True, timeout=120, check=False)
    assert (done.returncode, done.stderr) == (130, "interrupted\n")


def test_of_an_interrupted_command_only_the_innermost_words_are_said(capfd: pytest.CaptureFixture[str]) -> None:
    def command() -> int:
        with said_if_interrupted("all is saved"), said_if_interrupted("5 games are saved"):
            raise KeyboardInterrupt

    assert end_well(command) == 130
    assert capfd.readouterr().err == "5 games are saved\n"
