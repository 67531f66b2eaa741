"""What a team's import leaves in a folder, such as a library's cache, and whether it is still the same after a match.

Times alone don't show it: what is written to a mapped file may leave them as they were. So contents are compared too.
"""

from __future__ import annotations

import hashlib
import os
import stat
from collections.abc import Iterator
from typing import Final, TypeAlias

MOST_FILES: Final = 200
MOST_BYTES: Final = 4 << 20
"""More is not compared after each match: reading this takes some milliseconds."""
MOST_DEPTH: Final = 16
_READ: Final = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
_CHUNK: Final = 1 << 16

Identity: TypeAlias = tuple[int, ...]
Entry: TypeAlias = tuple[str, Identity, bytes]
"""Path, status, and the digest of a file's contents."""


class UnseenError(Exception):
    """It can't be compared later. The message says why, for people."""


def identity_of(status: os.stat_result) -> Identity:
    """Changes with all that can be done to a file or a folder, but for writing to a mapped file."""
    times = (status.st_mtime_ns, status.st_ctime_ns, status.st_atime_ns)
    return (status.st_ino, status.st_mode, status.st_nlink, status.st_size, *times)


def entries_in(folder: int, *, touch: bool = False) -> tuple[Entry, ...]:
    """All files and folders in the folder with this descriptor. Looking changes nothing, not even a time.

    Args:
        folder: the descriptor.
        touch: let the look change their times of access. Most file systems keep only the first one after a change, so that
            whoever reads them later changes nothing.

    Raises:
        UnseenError: there is too much, or something that is no file and no folder.
    """
    look = _Look(_READ if touch else _READ | os.O_NOATIME)
    try:
        return tuple(look.entries(folder, ".", "", 0))
    except OSError as error:
        raise UnseenError(f"what it keeps in its scratch folder can't be read: {error.strerror}") from error


class _Look:
    def __init__(self, flags: int) -> None:
        self._flags = flags
        self._files = 0
        self._bytes = 0

    def entries(self, parent: int, folder: str, path: str, depth: int) -> Iterator[Entry]:
        if depth > MOST_DEPTH:
            raise UnseenError("it keeps folders in its scratch folder that are too deep")
        # Also the outermost one is opened anew: with its own flags, a look at it would change its times.
        descriptor = os.open(folder, self._flags | os.O_DIRECTORY, dir_fd=parent)
        try:
            with os.scandir(descriptor) as entries:
                names = sorted(self._counted(entry.name) for entry in entries)
            for name in names:
                status = os.stat(name, dir_fd=descriptor, follow_symlinks=False)
                is_file = stat.S_ISREG(status.st_mode)
                yield f"{path}{name}", identity_of(status), self._digest(descriptor, name, status.st_size) if is_file else b""
                if stat.S_ISDIR(status.st_mode):
                    yield from self.entries(descriptor, name, f"{path}{name}/", depth + 1)
                elif not is_file:
                    raise UnseenError("it keeps something in its scratch folder that is neither a file nor a folder")
        finally:
            os.close(descriptor)

    def _counted(self, name: str) -> str:
        self._files += 1
        if self._files > MOST_FILES:
            raise UnseenError(f"it keeps more than {MOST_FILES} files in its scratch folder")
        return name

    def _digest(self, folder: int, name: str, size: int) -> bytes:
        self._bytes += size
        if self._bytes > MOST_BYTES:
            raise UnseenError(f"it keeps more than {MOST_BYTES >> 20} MiB in its scratch folder")
        file = os.open(name, self._flags, dir_fd=folder)
        try:
            digest = hashlib.blake2b(digest_size=16)
            while data := os.read(file, _CHUNK):
                digest.update(data)
            return digest.digest()
        finally:
            os.close(file)
