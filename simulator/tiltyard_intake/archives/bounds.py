"""How much a team may hand in, and the account of what was written. What an archive says about its own sizes is not believed."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from tiltyard_intake.archives.unpack_errors import ArchiveRefusedError, Cause, UnpackError

MIB: Final = 2**20
READ_FOR_WRITTEN: Final = 4
"""Of what is compressed as a whole, so many times the bytes may be read that may be written: what is left out has to be read."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Bounds:
    """The bounds for one team, all its archives together."""

    size: int = 256 * MIB
    """Bytes written."""
    files: int = 20_000
    """Files written."""
    folders: int = 4_000
    """Folders made: a file system takes longer for one than for a file."""
    members: int = 100_000
    """Members of one archive, those that are left out among them."""
    depth: int = 32
    """Folders in folders."""
    nesting: int = 3
    """Archives in archives: 1 is an archive that contains none."""
    ratio: int = 200
    """How many times larger the contents may be than the archive ..."""
    ratio_from: int = 16 * MIB
    """... once they have so many bytes: a small file of zeros is no attack."""
    cpu_seconds: int = 20
    """CPU time of all reading."""
    seconds: int = 300
    """Time on the clock for it: a disk may be slow."""
    memory: int = 512 * MIB
    """Bytes of memory for it."""


BOUNDS: Final = Bounds()
"""The bounds where nobody chose others."""
EXPORT_BOUNDS: Final = Bounds(
    size=16 * 1024 * MIB,
    files=500_000,
    folders=100_000,
    members=1_000_000,
    depth=64,
    ratio_from=1024 * MIB,
    cpu_seconds=900,
    seconds=4 * 3600,
    memory=2048 * MIB,
)
"""For an export of a whole class that is one archive. What each team handed in has the usual bounds afterwards."""


@dataclass(slots=True)
class Account:
    """What was written for one team so far. Each method raises UnpackError where a bound is passed."""

    bounds: Bounds
    files: int = 0
    folders: int = 0
    size: int = 0
    read: int = 0
    """Bytes that were decompressed, also of what is left out."""

    def add_file(self, name: str) -> None:
        """Count a file of what is called ``name``."""
        self.files += 1
        if self.files > self.bounds.files:
            raise UnpackError(name, Cause.TOO_MANY, f"{self.bounds.files:,}")

    def add_folder(self, name: str) -> None:
        """Count a folder of what is called ``name``."""
        self.folders += 1
        if self.folders > self.bounds.folders:
            raise UnpackError(name, Cause.MANY_FOLDERS, f"{self.bounds.folders:,}")

    def add_bytes(self, name: str, count: int) -> None:
        """Count bytes of what is called ``name``."""
        self.size += count
        if self.size > self.bounds.size:
            raise UnpackError(name, Cause.TOO_LARGE, in_words(self.bounds.size))

    def add_read(self, count: int) -> None:
        """Count bytes that were decompressed."""
        self.read += count
        if self.read > READ_FOR_WRITTEN * self.bounds.size:
            raise ArchiveRefusedError(Cause.TOO_LARGE, in_words(READ_FOR_WRITTEN * self.bounds.size))


def in_words(size: int) -> str:
    """A number of bytes as people say it, such as ``256 MB``; a MB has 2**20 bytes, as file managers of Windows count."""
    return f"{size // MIB:,} MB" if size >= MIB else f"{size:,} bytes"
