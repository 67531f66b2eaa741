"""Takes over the terminal, reads keys from it, and restores it afterwards, whatever happens.

Plain escape sequences, which work over ssh and in tmux: the alternate screen, no cursor, no line wrap. Signals only leave
a note and wake the waiting program, so that nothing is ever interrupted half-way through drawing.
"""

from __future__ import annotations

import contextlib
import os
import select
import signal
import termios
import threading
import tty
from collections.abc import Sequence
from types import FrameType, TracebackType
from typing import Any, Final

from tiltyard_viewer.player.keys import KeyDecoder

ENTER: Final = "\x1b[?1049h\x1b[?25l\x1b[?7l"
LEAVE: Final = "\x1b[0m\x1b[?7h\x1b[?25h\x1b[?1049l"

ESCAPE_DELAY: Final = 0.05
"""Seconds after which an escape character is a key by itself."""

ENDING: Final = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
HANDLED: Final = (*ENDING, signal.SIGWINCH, signal.SIGTSTP)


class Terminal:
    """A context that takes over the screen. ``keys`` is the descriptor of a terminal to read keys from, if there is one."""

    def __init__(self, output: int, keys: int | None, encoding: str = "utf-8") -> None:
        self._output = output
        self._keys = keys
        self._encoding = encoding
        self._decoder = KeyDecoder()
        self._lines: list[str] | None = None
        """The lines on the screen; None: it must be drawn again."""
        self._shown_size = (0, 0)
        self._old_mode: list[Any] | None = None
        self._old_handlers: dict[int, Any] = {}
        self._ended_by: int | None = None
        self._suspended = False
        self._wake_read, self._wake_write = -1, -1
        self._old_wakeup: int | None = None

    def __enter__(self) -> Terminal:
        self._wake_read, self._wake_write = os.pipe()
        os.set_blocking(self._wake_read, False)
        os.set_blocking(self._wake_write, False)
        try:
            self._install_handlers()
            self._take_screen()
        except BaseException:
            self._restore()
            raise
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self._restore()
        if kind is None:
            self._raise_if_ended()

    def _take_screen(self) -> None:
        if self._keys is not None:
            self._old_mode = termios.tcgetattr(self._keys)
            tty.setcbreak(self._keys, termios.TCSANOW)
        self._lines = None
        self._write(ENTER)

    def _give_screen_back(self) -> None:
        # A terminal that is gone needs no restoring.
        with contextlib.suppress(OSError):
            self._write(LEAVE)
        if self._keys is not None and self._old_mode is not None:
            with contextlib.suppress(OSError, termios.error):
                # Not TCSADRAIN: it would wait for ever for a terminal that was stopped with Ctrl-S.
                termios.tcsetattr(self._keys, termios.TCSANOW, self._old_mode)
        self._old_mode = None

    def _restore(self) -> None:
        self._give_screen_back()
        for number, handler in self._old_handlers.items():
            signal.signal(number, handler)
        self._old_handlers.clear()
        if self._old_wakeup is not None:
            signal.set_wakeup_fd(self._old_wakeup)
            self._old_wakeup = None
        os.close(self._wake_read)
        os.close(self._wake_write)
        self._wake_write = -1

    # Signals

    def _install_handlers(self) -> None:
        if threading.current_thread() is not threading.main_thread():
            return
        # A signal that comes just before a select begins runs its handler only after it: the interpreter itself must end that wait.
        self._old_wakeup = signal.set_wakeup_fd(self._wake_write, warn_on_full_buffer=False)
        for number in HANDLED:
            old = signal.getsignal(number)
            # Ignored on purpose, as by nohup; or set from outside Python, which could not be put back.
            if old is not signal.SIG_IGN and old is not None:
                self._old_handlers[number] = signal.signal(number, self._note_signal)

    def _note_signal(self, number: int, frame: FrameType | None) -> None:
        if number == signal.SIGTSTP:
            self._suspended = True
        elif number in ENDING:
            self._ended_by = number

    def _raise_if_ended(self) -> None:
        number, self._ended_by = self._ended_by, None
        if number == signal.SIGINT:
            raise KeyboardInterrupt
        if number is not None:
            raise SystemExit(128 + number)

    def _suspend(self) -> None:
        """Ctrl-Z: stop as any program does, with the shell's screen back, and take the screen again afterwards."""
        self._suspended = False
        self._give_screen_back()
        signal.signal(signal.SIGTSTP, signal.SIG_DFL)
        os.kill(os.getpid(), signal.SIGTSTP)
        signal.signal(signal.SIGTSTP, self._note_signal)
        self._take_screen()

    def wake(self) -> None:
        """End a ``wait``; from any thread. Not to be called after the context has ended."""
        # A full pipe wakes too.
        with contextlib.suppress(BlockingIOError):
            os.write(self._wake_write, b"w")

    # Keys

    @property
    def has_keys(self) -> bool:
        """Whether keys can come at all."""
        return self._keys is not None

    def wait(self, timeout: float | None) -> list[str]:
        """The keys pressed, as soon as there are any; empty after a wake or ``timeout`` seconds.

        Raises:
            KeyboardInterrupt: Ctrl-C was pressed.
            SystemExit: the program was told to end, or its terminal was closed.
        """
        pressed = self._read(timeout)
        if self._decoder.pending:
            pressed += self._read(ESCAPE_DELAY)
            pressed += self._decoder.flush()
        self._raise_if_ended()
        if self._suspended:
            self._suspend()
        return pressed

    def _read(self, timeout: float | None) -> list[str]:
        sources = [self._wake_read] if self._keys is None else [self._wake_read, self._keys]
        ready, _, _ = select.select(sources, [], [], timeout)
        if self._wake_read in ready:
            with contextlib.suppress(BlockingIOError):
                os.read(self._wake_read, 4096)
        if self._keys not in ready:
            return []
        try:
            data = os.read(self._keys, 1024)
        except OSError:
            data = b""
        if not data:
            # The end of input is readable for ever: looking at it again would be a busy loop.
            self._keys = None
        return self._decoder.feed(data)

    # Screen

    def size(self) -> tuple[int, int]:
        """Columns and rows; 80 x 24 where the terminal does not say."""
        try:
            columns, rows = os.get_terminal_size(self._output)
        except OSError:
            return 80, 24
        return columns or 80, rows or 24

    def show(self, lines: Sequence[str], size: tuple[int, int]) -> None:
        """Put ``lines`` on the screen: one write, and only of those that have changed."""
        parts: list[str] = []
        if self._lines is None or size != self._shown_size:
            parts.append("\x1b[2J")
            self._lines = []
        for number, line in enumerate(lines):
            if number >= len(self._lines) or self._lines[number] != line:
                parts.append(f"\x1b[{number + 1};1H\x1b[2K{line}")
        if len(lines) < len(self._lines):
            parts.append(f"\x1b[{len(lines) + 1};1H\x1b[J")
        self._lines, self._shown_size = list(lines), size
        if parts:
            self._write("".join(parts))

    def _write(self, text: str) -> None:
        data = text.encode(self._encoding, "replace")
        while data:
            try:
                data = data[os.write(self._output, data) :]
            except BlockingIOError:
                # Another program on this terminal may have made it non-blocking.
                select.select([], [self._output], [], 1)
