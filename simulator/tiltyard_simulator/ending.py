"""How a command ends: with a status and at most one message, never with a traceback for what users and readers do."""

from __future__ import annotations

import contextlib
import io
import os
import signal
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from threading import current_thread, main_thread
from types import FrameType
from typing import NoReturn

from tiltyard_engine.errors import UserError

FAILED = 2
INTERRUPTED = 128 + signal.SIGINT
READER_GONE = 141
"""What a shell shows for a program that a closed pipe ended."""


def end_well(command: Callable[[], int]) -> int:
    """Run ``command`` and return the exit status, its own or that of what stopped it.

    Standard output is flushed here, so that a full disk or a reader that went away is noticed while it can be said.
    """
    # A stream that the caller closed is None: nobody should have to think of that.
    sys.stdout = sys.stdout or Path(os.devnull).open("w")  # noqa: SIM115
    sys.stderr = sys.stderr or Path(os.devnull).open("w")  # noqa: SIM115
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")
    try:
        with _second_interrupt_ends():
            status = _status_of(command)
            sys.stdout.flush()
    except KeyboardInterrupt:
        _say("interrupted")
        return INTERRUPTED
    except UserError as error:
        _say(f"error: {error}")
        return FAILED
    except BrokenPipeError:
        _forget_output()
        return READER_GONE
    except OSError as error:
        where = f"{error.filename}: " if error.filename else ""
        _say(f"error: {where}{error.strerror or error}")
        _forget_output()
        return FAILED
    return status


@contextlib.contextmanager
def _second_interrupt_ends() -> Iterator[None]:
    """The first Ctrl-C lets the command stop well, whatever that takes; the second one is the end at once."""
    if signal.getsignal(signal.SIGINT) is not signal.default_int_handler or current_thread() is not main_thread():
        yield
        return

    def first(number: int, frame: FrameType | None) -> NoReturn:
        signal.signal(signal.SIGINT, signal.SIG_DFL)
        raise KeyboardInterrupt

    signal.signal(signal.SIGINT, first)
    try:
        yield
    finally:
        if signal.getsignal(signal.SIGINT) is first:
            signal.signal(signal.SIGINT, signal.default_int_handler)


def _status_of(command: Callable[[], int]) -> int:
    try:
        return command()
    except SystemExit as stop:
        if stop.code is None or isinstance(stop.code, int):
            return stop.code or 0
        _say(str(stop.code))
        return 1


def _say(text: str) -> None:
    print(text, file=sys.stderr)


def _forget_output() -> None:
    """What is still buffered for standard output can go nowhere; at exit Python would try once more and complain."""
    try:
        descriptor = sys.stdout.fileno()
    except (OSError, ValueError, AttributeError):
        return
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, descriptor)
    os.close(nowhere)
