"""Writing result files: under a name that is new each time, never over another file."""

from __future__ import annotations

from datetime import datetime
from itertools import count
from pathlib import Path

from tiltyard_engine.errors import UserError


def write_new(folder: Path, stem: str, suffix: str, text: str) -> Path:
    """Write ``text`` to a file that did not exist: ``stem + suffix``, or with ``_2``, ``_3`` … before the suffix.

    Raises:
        UserError: it cannot be written; says why.
    """
    for number in count(1):
        path = folder / f"{stem}{f'_{number}' if number > 1 else ''}{suffix}"
        try:
            file = path.open("xb")
        except FileExistsError:
            continue
        except OSError as error:
            raise UserError(f"{path}: cannot be written: {error.strerror}") from error
        try:
            with file:
                file.write(encode(text))
        except OSError as error:
            path.unlink(missing_ok=True)
            raise UserError(f"{path}: cannot be written: {error.strerror}") from error
        return path
    raise AssertionError("unreachable")


def encode(text: str) -> bytes:
    """UTF-8. Bytes of a path that are none come out as they went in; what cannot be written at all is escaped."""
    try:
        return text.encode("utf-8", "surrogateescape")
    except UnicodeEncodeError:
        return text.encode("utf-8", "backslashreplace")


def time_stamp() -> str:
    """The time in a form that sorts and fits in a file name, to the microsecond."""
    return datetime.now().strftime("%Y%m%d_%H%M%S_%f")
