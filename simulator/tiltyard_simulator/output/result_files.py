"""Writing result files over those of an earlier run. No file is ever half written."""

from __future__ import annotations

import os
from contextlib import suppress
from datetime import datetime
from pathlib import Path

from tiltyard_engine.errors import UserError
from tiltyard_engine.texts.names import file_name


def write_over(path: Path, text: str) -> None:
    """Write ``text`` to a file, over an existing one. A reader sees either the old or the new file, which survives a power cut.

    Raises:
        UserError: it cannot be written.
    """
    new = path.with_name(file_name(f".{path.name}", ".new"))
    try:
        new.write_bytes(encode(text))
        sync_file(new)
        new.replace(path)
        sync_file(path.parent)
    except OSError as error:
        with suppress(OSError):
            new.unlink()
        raise UserError(f"{path}: cannot be written: {error.strerror}") from error


def sync_file(path: Path) -> None:
    """Wait until all bytes of a file, or all names in a folder, are on the disk.

    Raises:
        OSError: it can't be read, or the disk fails.
    """
    descriptor = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def sync_tree(folder: Path) -> None:
    """Wait until all files and folders in a folder are on the disk.

    Raises:
        OSError: one can't be read, or the disk fails.
    """
    for path in (*folder.rglob("*"), folder):
        if not path.is_symlink() and (path.is_file() or path.is_dir()):
            sync_file(path)


def encode(text: str) -> bytes:
    """UTF-8. Bytes of a path that are not UTF-8 stay as they are. Other characters that cannot be encoded are escaped."""
    try:
        return text.encode("utf-8", "surrogateescape")
    except UnicodeEncodeError:
        return text.encode("utf-8", "backslashreplace")


def time_stamp() -> str:
    """The time to the microsecond, in a form for file names that sorts."""
    return datetime.now().strftime("%Y%m%d_%H%M%S_%f")
