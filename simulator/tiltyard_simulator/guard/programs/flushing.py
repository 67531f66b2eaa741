"""How a program's language is told to write at once what it keeps in a buffer, for messages."""

from __future__ import annotations

import os
import re
import stat
from collections.abc import Sequence
from pathlib import Path
from typing import Final

_BY_INTERPRETER: Final = {
    "awk": "fflush()",
    "dotnet": "Console.Out.Flush()",
    "gawk": "fflush()",
    "java": "System.out.flush()",
    "julia": "flush(stdout)",
    "lua": "io.stdout:flush()",
    "mawk": "fflush()",
    "mono": "Console.Out.Flush()",
    "perl": "$| = 1",
    "php": "fflush(STDOUT)",
    "pypy": "print(..., flush=True)",
    "python": "print(..., flush=True)",
    "ruby": "$stdout.sync = true",
}
_BY_MARK: Final = (
    (b"\xff Go buildinf:", "Flush() of its bufio.Writer"),
    (b"/rustc/", "std::io::stdout().flush()"),
    (b"libstdc++.so", "std::flush"),
    (b"libgfortran.so", "flush(6)"),
    (b"fflush", "fflush(stdout)"),
    (b"libc.so", "fflush(stdout)"),
)
"""What compiled programs contain, by language, the surest first."""
_SHEBANG: Final = re.compile(rb"#!\s*(\S+)(?:[ \t]+([^\n]*))?")
_LETTERS: Final = re.compile(r"[a-z]+")
_MOST_READ: Final = 16 << 20


def how_to_flush(command: Sequence[str]) -> str:
    """What a program writes in its language to flush its output; empty if the language isn't recognised.

    Args:
        command: the words that start it, with the paths of its own files.
    """
    begin = _begin_of(command[0]) if "/" in command[0] else b""
    if begin.startswith(b"\x7fELF"):
        by_mark = next((words for mark, words in _BY_MARK if mark in begin), "")
        return _of_interpreter(command[0]) or by_mark
    shebang = _SHEBANG.match(begin)
    if shebang is None:
        return _of_interpreter(command[0])
    words = [shebang[1].decode("utf-8", "replace"), *(shebang[2] or b"").decode("utf-8", "replace").split()]
    if Path(words[0]).name == "env":
        words = [word for word in words[1:] if not word.startswith("-") and "=" not in word] or [""]
    return _of_interpreter(words[0])


def _of_interpreter(path: str) -> str:
    name = _LETTERS.match(Path(path).name.lower())
    return _BY_INTERPRETER.get(name[0], "") if name is not None else ""


def _begin_of(path: str) -> bytes:
    """Of a regular file; nothing of all others, which might have no end."""
    try:
        # A FIFO would else be waited for.
        descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
    except OSError:
        return b""
    try:
        return os.read(descriptor, _MOST_READ) if stat.S_ISREG(os.fstat(descriptor).st_mode) else b""
    finally:
        os.close(descriptor)
