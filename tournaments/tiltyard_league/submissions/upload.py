"""Keeping what is uploaded: bytes, counted while they come, and never read as anything else here."""

from __future__ import annotations

import errno
import hashlib
import os
import re
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Final

from tiltyard_engine.errors import UserError, file_errors
from tiltyard_simulator.output.result_files import sync_file
from tiltyard_site.pages.labels import line

UPLOADS: Final = "uploads"
NEW: Final = ".new-"
LONGEST_NAME: Final = 80
_ENDING: Final = re.compile(r"(?:\.tar)?\.[A-Za-z0-9]{1,8}$")


class TooLargeError(UserError):
    """More bytes than one upload may have."""


class DiskFullError(UserError):
    """There is no room for uploads."""


class Upload:
    """Bytes on their way to the folder of uploads.

    Args:
        file: where they are written.
        path: of that file.
        most: how many there may be.
        least_free: bytes that stay free on the disk.
    """

    def __init__(self, file: int, path: Path, most: int, least_free: int) -> None:
        self._file = file
        self._path = path
        self._most = most
        self._least_free = least_free
        self._digest = hashlib.sha256()
        self._is_stored = False
        self.size = 0

    def write(self, data: bytes) -> None:
        """Take more bytes.

        Raises:
            TooLargeError: they are more than allowed.
            DiskFullError: less would be free than must be.
            OSError: they cannot be written.
        """
        self.size += len(data)
        if self.size > self._most:
            raise TooLargeError(
                f"larger than {self._most:,} bytes; leave out files that aren't needed to play, such as pictures or builds"
            )
        # Many may come at once, of which each began when there was room for it.
        if free_bytes(self._path.parent) < self._least_free:
            raise _full()
        self._digest.update(data)
        view = memoryview(data)
        while view:
            view = view[os.write(self._file, view) :]

    @property
    def digest(self) -> str:
        """The SHA-256 of all bytes so far."""
        return self._digest.hexdigest()

    def sync(self) -> None:
        """Make sure that all bytes are on the disk."""
        os.fsync(self._file)

    def keep(self) -> None:
        """Let the bytes lie in the folder of uploads under their digest, where they survive a power cut.

        Raises:
            OSError: they cannot be written.
        """
        if self._is_stored:
            return
        self.sync()
        self._path.replace(self._path.with_name(self.digest))
        sync_file(self._path.parent)
        self._is_stored = True


def _full() -> DiskFullError:
    return DiskFullError("the disk of the league's server is nearly full, so you can't hand in now; tell the staff")


@contextmanager
def receive_upload(folder: Path, most: int, least_free: int) -> Iterator[Upload]:
    """What is written inside lies in the folder of uploads afterwards, under its digest, and survives a power cut.

    ``keep`` does so earlier. After an error inside there is nothing of it, unless it was kept before.

    Raises:
        DiskFullError: less would be free than must be.
        UserError: it cannot be written.
    """
    place = folder / UPLOADS
    with file_errors(place, "written"):
        place.mkdir(mode=0o700, exist_ok=True)
        if free_bytes(folder) < least_free + most:
            raise _full()
        descriptor, name = tempfile.mkstemp(prefix=NEW, dir=place)
        try:
            upload = Upload(descriptor, Path(name), most, least_free)
            yield upload
            upload.keep()
        except OSError as error:
            if error.errno in (errno.ENOSPC, errno.EDQUOT):
                raise _full() from error
            raise
        finally:
            os.close(descriptor)
            with suppress(FileNotFoundError):
                Path(name).unlink()


def free_bytes(folder: Path) -> int:
    """What is free on the disk."""
    return shutil.disk_usage(folder).free


def sweep(folder: Path, digests: set[str]) -> int:
    """Remove what no version is of: halves of uploads, and those whose row was never written. How many there were.

    Not while anything is received.
    """
    removed = 0
    for path in (folder / UPLOADS).glob("*"):
        if path.name not in digests:
            path.unlink()
            removed += 1
    return removed


def shown_name(name: str) -> str:
    """What an upload is called on pages: the last part of what somebody said, made harmless."""
    return line(name.replace("\\", "/").rpartition("/")[2], LONGEST_NAME) or "upload"


def ending_of(name: str) -> str:
    """The ending of a name, which says how it is to be read."""
    ending = _ENDING.search(name)
    return ending[0].lower() if ending else ""
