"""Finding the files that another one needs, in the order in which the system's loader looks for them.

Source: ld.so(8): the file's own search folders, ``LD_LIBRARY_PATH``, the loader's cache, the default folders. The cache is a file
of the GNU C library (its elf/cache.c): a header, entries of two offsets into strings, and the strings.
"""

from __future__ import annotations

import os
import platform
import struct
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Final

from tiltyard_tanks_native.elf.image import Image, NotLoadableError, read_image

CACHE_FILE: Final = Path("/etc/ld.so.cache")
DEFAULT_FOLDERS: Final = ("/lib64", "/usr/lib64", "/lib", "/usr/lib", "/usr/local/lib")
_MAGIC: Final = b"glibc-ld.so.cache1.1"
_HEADER: Final = struct.Struct("<20sII5I")
_ENTRY: Final = struct.Struct("<iIIIQ")


def find_library(name: str, image: Image) -> Path | None:
    """The file that the loader would take for ``name``, needed by ``image``; None if it finds none that fits this machine."""
    if "/" in name:
        return Path(name) if Path(name).is_file() else None
    for path in _candidates(name, image):
        try:
            if path.is_file():
                read_library(path)
                return path
        except (OSError, NotLoadableError):
            continue
    return None


def _candidates(name: str, image: Image) -> Iterator[Path]:
    origin = str(image.path.resolve().parent)
    for folder in image.search:
        yield Path(folder.replace("${ORIGIN}", origin).replace("$ORIGIN", origin)) / name
    for folder in filter(None, os.environ.get("LD_LIBRARY_PATH", "").split(":")):
        yield Path(folder) / name
    for cached_path in cached_libraries().get(name, ()):
        yield Path(cached_path)
    machine = platform.machine()
    for folder in (f"/lib/{machine}-linux-gnu", f"/usr/lib/{machine}-linux-gnu", *DEFAULT_FOLDERS):
        yield Path(folder) / name


@cache
def read_library(path: Path) -> Image:
    """A library's image, without its symbols' names.

    Raises:
        NotLoadableError: it is none for this machine.
    """
    return read_image(path)


@cache
def exports_of(path: Path) -> frozenset[str]:
    """The names of a library's symbols.

    Raises:
        NotLoadableError: it is none for this machine.
    """
    return frozenset(read_image(path, exports=True).exported)


@cache
def cached_libraries() -> dict[str, list[str]]:
    """The loader's cache: short name to files; empty where it cannot be read."""
    try:
        return read_cache(CACHE_FILE.read_bytes())
    except OSError:
        return {}


def read_cache(content: bytes) -> dict[str, list[str]]:
    """Read the loader's cache; what is damaged is left out."""
    paths: dict[str, list[str]] = {}
    start = content.find(_MAGIC)
    if start < 0 or len(content) < start + _HEADER.size:
        return paths
    _, count, *_ = _HEADER.unpack_from(content, start)
    for number in range(min(count, (len(content) - start) // _ENTRY.size)):
        place = start + _HEADER.size + number * _ENTRY.size
        if place + _ENTRY.size > len(content):
            break
        _, key, value, _, _ = _ENTRY.unpack_from(content, place)
        name, path = _text(content, start + key), _text(content, start + value)
        if name and path:
            paths.setdefault(name, []).append(path)
    return paths


def _text(content: bytes, start: int) -> str:
    end = content.find(b"\0", start)
    return content[start:end].decode("utf-8", "surrogateescape") if end >= 0 else ""
