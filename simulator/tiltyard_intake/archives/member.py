"""One member of an archive or a folder, and how what a reader raises for it becomes an error for people."""

from __future__ import annotations

import gzip
import io
import lzma
import struct
import tarfile
import zipfile
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from enum import Enum, auto
from pathlib import Path
from typing import IO, Final

import zstandard

from tiltyard_intake.archives.unpack_errors import ArchiveRefusedError, Cause, UnpackError

_DAMAGE: Final = (
    zipfile.BadZipFile,
    tarfile.TarError,
    zlib.error,
    lzma.LZMAError,
    zstandard.ZstdError,
    gzip.BadGzipFile,
    struct.error,
    EOFError,
    ValueError,
    OverflowError,
    IndexError,
    KeyError,
    RecursionError,
    OSError,
)
"""All that the readers raise for bytes that are not as they should be; bz2 and tarfile raise OSError and ValueError too."""


class What(Enum):
    """What a member is."""

    FILE = auto()
    FOLDER = auto()
    LINK = auto()
    SPECIAL = auto()
    """A device, a pipe, a socket."""


@dataclass(frozen=True, slots=True)
class Member:
    """One member, while its archive is open and before the next one is asked for."""

    name: str
    """As the archive has it, with ``/`` between folders: not safe."""
    what: What
    executable: bool = False
    open: Callable[[], IO[bytes]] = io.BytesIO
    modified: float = 0.0
    """When it was last changed, as a zip says, as if its clock had shown UTC; 0: not known. This process may not know the zone."""


@contextmanager
def damage(name: str) -> Iterator[None]:
    """Raise UnpackError for whatever a reader of archives raises inside."""
    try:
        yield
    except UnpackError:
        raise
    except NotImplementedError as error:
        raise UnpackError(name, Cause.METHOD, str(error)) from error
    except ArchiveRefusedError as error:
        raise UnpackError(name, error.cause, str(error)) from error
    except _DAMAGE as error:
        raise UnpackError(name, Cause.DAMAGED, str(error) or type(error).__name__) from error


@dataclass(frozen=True, order=True, slots=True)
class HandedInFile:
    """A file, a folder or an archive.

    Exports put the names of students and numbers before the names of files. The tree of a team has the names that its members gave.
    """

    path: Path
    name: str
    """Such as ``Tank.h`` for ``smith_17_23_Tank.h``. Empty for a folder that the export made: what counts is in it."""
