"""How a command ends: with an exit status and at most one message, and without a traceback for mistakes of users."""

from __future__ import annotations

import contextlib
import errno
import importlib.util
import io
import os
import signal
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from threading import Timer, current_thread, main_thread
from types import FrameType
from typing import IO, Any, Final, NoReturn

from tiltyard_engine.errors import UserError
from tiltyard_engine.texts.sanitize import lines

FAILED: Final = 2
INTERRUPTED: Final = 128 + signal.SIGINT
ENOUGH_OPEN_FILES: Final = 1024
"""For a run on one machine. It is the usual limit."""
AGAIN_SECONDS: Final = 0.05
EXPLAINED_BY: Final = "tiltyard_tournaments"
"""The package that has ``tiltyard explain``. A game's own commands work without it."""
READER_GONE: Final = 141
"""What a shell shows for a program that a closed pipe ended."""


def end_well(command: Callable[[], int], *, name: str = "error", failed: int = FAILED) -> int:
    """Run ``command`` and return the exit status, its own or that of what stopped it.

    Standard output is flushed here, so that a full disk or a closed pipe is noticed while it can still be reported.

    Args:
        command: what is run.
        name: stands before the message of an error.
        failed: the status after a UserError; what cannot be printed is always FAILED.
    """
    # A stream that the caller closed is None; no other code should have to handle that.
    sys.stdout = sys.stdout or Path(os.devnull).open("w")  # noqa: SIM115
    sys.stderr = sys.stderr or Path(os.devnull).open("w")  # noqa: SIM115
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")
    try:
        with _second_interrupt_ends():
            status = _status_of(command)
            sys.stdout.flush()
    except KeyboardInterrupt as stop:
        _say("\n".join(getattr(stop, "__notes__", ())) or "interrupted")
        return INTERRUPTED
    except UserError as error:
        _say(f"{name}: {error}{_help(error) if name == 'error' else ''}")
        return failed
    except BrokenPipeError:
        discard_output()
        return READER_GONE
    except OSError as error:
        if error.errno == errno.EMFILE:
            import resource  # Windows has none, and no such limit

            limit = resource.getrlimit(resource.RLIMIT_NOFILE)[0]
            _say(
                f"{name}: too many open files: the limit is {limit} (ulimit -n); raise it, for example with"
                f" 'ulimit -n {ENOUGH_OPEN_FILES}', or use fewer workers"
            )
            return failed
        where = f"{error.filename}: " if error.filename else ""
        _say(f"{name}: {where}{error.strerror or error}")
        discard_output()
        return FAILED
    return status


@contextlib.contextmanager
def said_if_interrupted(what_is_kept: str) -> Iterator[None]:
    """Where Ctrl-C stops the command, end it with what is kept and how to continue. Of several texts the innermost is said."""
    try:
        yield
    except KeyboardInterrupt as stop:
        if not hasattr(stop, "__notes__"):
            stop.add_note(what_is_kept)
        raise


@contextlib.contextmanager
def errors_told() -> Iterator[None]:
    """Print a user's mistake and end with FAILED; for a command inside another one, which goes on after it."""
    try:
        yield
    except UserError as error:
        _say(f"error: {error}{_help(error)}")
        raise SystemExit(FAILED) from None


def discard_output(stream: IO[Any] | None = None) -> None:
    """Drop what is still buffered for a stream that nobody reads any more; at exit Python would write it, and complain.

    ``stream``: standard output if it is None.
    """
    try:
        descriptor = (stream or sys.stdout).fileno()
    except (OSError, ValueError, AttributeError):
        return
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, descriptor)
    os.close(nowhere)


def exit_by_signal(number: int) -> SystemExit:
    """The end of a command by a signal, with the status that a shell gives it."""
    return SystemExit(128 + number)


@contextlib.contextmanager
def raised_by_signals(error: Callable[[int], BaseException] = exit_by_signal) -> Iterator[None]:
    """A closed window or ``kill`` raises an error, so that every context is left as usual."""

    def stop(number: int, frame: FrameType | None) -> NoReturn:
        raise error(number)

    numbers = (signal.SIGTERM, signal.SIGHUP)
    before = [signal.signal(number, stop) for number in numbers]
    try:
        yield
    finally:
        for number, handler in zip(numbers, before):
            signal.signal(number, handler)


@contextlib.contextmanager
def _second_interrupt_ends() -> Iterator[None]:
    """The first Ctrl-C lets the command clean up, however long that takes; the second one ends it at once."""
    if signal.getsignal(signal.SIGINT) is not signal.default_int_handler or current_thread() is not main_thread():
        yield
        return

    def first(number: int, frame: FrameType | None) -> NoReturn:
        signal.signal(signal.SIGINT, signal.SIG_DFL)
        raise KeyboardInterrupt

    def not_raised(dropped: sys.UnraisableHookArgs) -> None:
        if not isinstance(dropped.exc_value, KeyboardInterrupt):
            hook_before(dropped)
            return
        # Python drops what is raised while it destroys an object. Without this, that Ctrl-C would do nothing.
        signal.signal(signal.SIGINT, first)
        again = Timer(AGAIN_SECONDS, os.kill, (os.getpid(), signal.SIGINT))
        again.daemon = True
        again.start()

    hook_before = sys.unraisablehook
    signal.signal(signal.SIGINT, first)
    sys.unraisablehook = not_raised
    try:
        yield
    finally:
        sys.unraisablehook = hook_before
        if signal.getsignal(signal.SIGINT) is first:
            signal.signal(signal.SIGINT, signal.default_int_handler)


def _status_of(command: Callable[[], int]) -> int:
    try:
        return command()
    except SystemExit as stop:
        # Click turns a closed pipe into status 1.
        if isinstance(stop.__context__, BrokenPipeError):
            raise stop.__context__ from None
        # Typer turns Ctrl-C into a status of its own.
        if stop.__context__ is not None and isinstance(stop.__context__.__cause__, KeyboardInterrupt):
            raise stop.__context__.__cause__ from None
        if stop.code is None or isinstance(stop.code, int):
            return stop.code or 0
        _say(str(stop.code))
        return 1


def _help(error: UserError) -> str:
    """Where the error is explained, as a last line of its message; empty if it isn't, or if nothing here could show it."""
    has_explanation = bool(error.see) and importlib.util.find_spec(EXPLAINED_BY) is not None
    return f"\nhelp: tiltyard explain {error.see}" if has_explanation else ""


def _say(text: str) -> None:
    # What an error says may come from a file or a team.
    print(lines(text), file=sys.stderr)
