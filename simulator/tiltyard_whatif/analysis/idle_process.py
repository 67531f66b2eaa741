"""A process of the lowest priority, in which other answers are tried for a site while nothing waits for the machine."""

from __future__ import annotations

import os
import signal
import threading
from collections.abc import Callable
from contextlib import suppress
from multiprocessing import get_context
from multiprocessing.connection import Connection
from multiprocessing.process import BaseProcess
from typing import Any, Final, TypeVar

from tiltyard_engine.errors import UserError, describe

T = TypeVar("T")
NICE: Final = 19
END_SECONDS: Final = 5.0
LONG: Final = 10.0
"""Nothing may take longer than so many times its CPU seconds: teams may wait."""
LEAST_PATIENCE: Final = 120.0
"""Seconds that everything may take: the match is played again at least once, beside whatever has more to say."""


class IdleProcess:
    """Does one thing after the other; it is started when the first one comes, and again if it fails."""

    def __init__(self) -> None:
        self._turn = threading.Lock()
        self._starting = threading.Lock()
        """Held while the process is started: whoever closes it meanwhile waits until there is something to end."""
        self._process: BaseProcess | None = None
        self._channel: Connection | None = None
        self._is_closed = False

    def __enter__(self) -> IdleProcess:
        """Nothing is started yet."""
        return self

    def __exit__(self, *_: object) -> None:
        """End the process, and what it is doing."""
        self.close()

    def close(self) -> None:
        """End the process, and what it is doing; whoever waits for it hears that. From any thread."""
        self._is_closed = True
        self._end()

    def do(self, function: Callable[..., T], *arguments: Any, cpu_seconds: float) -> T:
        """Call a function of a module there; whoever comes meanwhile waits.

        Args:
            function: what is called; it and all values must be picklable.
            arguments: its arguments.
            cpu_seconds: what it is expected to take.

        Raises:
            UserError: it raised that, it took very long, or the process failed.
        """
        with self._turn:
            if self._is_closed:
                raise UserError("the server is being stopped")
            try:
                channel = self._channel_now()
                channel.send((function, arguments))
                answer = channel.recv() if channel.poll(max(LEAST_PATIENCE, cpu_seconds * LONG)) else None
            except (OSError, EOFError) as error:
                self._end()
                raise UserError("the process that tries other answers has failed; try it again") from error
            if answer is None:
                self._end()
                raise UserError("it took too long: a team waits instead of answering, or the machine has too much to do")
        is_right, value = answer
        if not is_right:
            raise UserError(value)
        result: T = value
        return result

    def _channel_now(self) -> Connection:
        with self._starting:
            if self._is_closed:
                raise EOFError
            if self._channel is None:
                context = get_context("spawn")
                self._channel, theirs = context.Pipe()
                self._process = context.Process(target=_serve, args=(theirs,), daemon=True)
                self._process.start()
                theirs.close()
            return self._channel

    def _end(self) -> None:
        with self._starting:
            process, channel, self._process, self._channel = self._process, self._channel, None, None
        if process is not None:
            # It closes its cells; if it doesn't, these end by themselves when it is gone.
            process.terminate()
            process.join(END_SECONDS)
            if process.is_alive():
                process.kill()
                process.join()
        if channel is not None:
            # Only now: whoever waits at it has heard that there is nobody any more.
            with suppress(OSError):
                channel.close()


def _serve(channel: Connection) -> None:
    """What the process does until nobody asks any more."""
    # Ctrl-C is for whoever started it, and ends it by the signal below.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGTERM, _leave)
    with suppress(OSError):
        os.nice(NICE)
    while True:
        try:
            function, arguments = channel.recv()
        except (EOFError, OSError):
            return
        answer: tuple[bool, Any]
        try:
            answer = True, function(*arguments)
        except UserError as error:
            answer = False, str(error)
        except Exception as error:
            answer = False, describe(error)
        try:
            channel.send(answer)
        except OSError:
            return


def _leave(number: int, frame: object) -> None:
    raise SystemExit(0)
