"""How much a team may hand in, and the account of what was written. What an archive says about its own sizes is not believed."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from tiltyard_simulator.intake.unpack_errors import Cause, UnpackError

MIB: Final = 2**20


@dataclass(frozen=True, kw_only=True, slots=True)
class Bounds:
    """The bounds for one team, all its archives together."""

    size: int = 256 * MIB
    """Bytes written."""
    files: int = 20_000
    """Files written."""
    listed: int = 200_000
    """Members of one archive, those that are left out among them."""
    depth: int = 32
    """Folders in folders."""
    nesting: int = 3
    """Archives in archives: 1 is an archive that contains none."""
    ratio: int = 200
    """How many times larger the contents may be than the archive ..."""
    ratio_from: int = 16 * MIB
    """... once they have so many bytes: a small file of zeros is no attack."""


BOUNDS: Final = Bounds()
"""The bounds where nobody chose others."""
EXPORT_BOUNDS: Final = Bounds(size=16 * 1024 * MIB, files=500_000, listed=1_000_000, depth=64, ratio_from=1024 * MIB)
"""For an export of a whole class that is one archive. What each team handed in has the usual bounds afterwards."""


@dataclass(slots=True)
class Account:
    """What was written for one team so far. Each method raises UnpackError where a bound is passed."""

    bounds: Bounds
    files: int = 0
    size: int = 0

    def add_file(self, name: str) -> None:
        """Count a file of what is called ``name``."""
        self.files += 1
        if self.files > self.bounds.files:
            raise UnpackError(name, Cause.TOO_MANY, f"{self.bounds.files:,}")

    def add_bytes(self, name: str, count: int) -> None:
        """Count bytes of what is called ``name``."""
        self.size += count
        if self.size > self.bounds.size:
            raise UnpackError(name, Cause.TOO_LARGE, in_words(self.bounds.size))


def in_words(size: int) -> str:
    """A number of bytes as people say it, such as ``256 MB``; a MB has 2**20 bytes, as file managers of Windows count."""
    return f"{size // MIB:,} MB" if size >= MIB else f"{size:,} bytes"
