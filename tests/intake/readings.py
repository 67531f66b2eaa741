"""What the process that reads archives is asked to do in tests."""

from __future__ import annotations

import os
import signal
import time
from pathlib import Path
from typing import Final, NoReturn

from tiltyard_engine.errors import UserError
from tiltyard_intake.archives.unpack_errors import Cause, UnpackError

MEMORY: Final = 96 << 20


def own_number() -> int:
    return os.getpid()


def compute() -> NoReturn:
    while True:
        pass


def wait(note: Path | None = None) -> NoReturn:
    """Wait for ever; ``note`` has this process's number first."""
    if note is not None:
        note.with_suffix(".new").write_text(str(os.getpid()))
        note.with_suffix(".new").rename(note)
    while True:
        time.sleep(1)


def take_memory() -> int:
    return len(bytearray(MEMORY))


def fall() -> None:
    os.kill(os.getpid(), signal.SIGSEGV)


def stumble() -> None:
    raise KeyError("a key")


def refuse() -> None:
    raise UnpackError("in.zip", Cause.NESTED, "3")


def complain() -> None:
    raise UserError("the disk is full")


def answer_much() -> bytes:
    return bytes(100 << 20)
