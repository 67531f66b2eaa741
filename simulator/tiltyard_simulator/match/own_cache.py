"""Files that this user's commands keep for each other, and that nobody else could have written."""

from __future__ import annotations

import hashlib
import os
import stat
import sys
import tempfile
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import Final, TypeVar

T = TypeVar("T")

FRESH_VARIABLE: Final = "TILTYARD_PROBES"
FRESH: Final = "fresh"
"""The variable's value with which nothing is kept or read."""
MOST_BYTES: Final = 1 << 24
"""Of a value's file. The shipped maps are in one."""
_OTHERS_MAY_WRITE: Final = stat.S_IWGRP | stat.S_IWOTH


def cached(
    name: str,
    key: str,
    make: Callable[[], T],
    *,
    is_sound: Callable[[T], bool],
    pack: Callable[[T], bytes],
    unpack: Callable[[bytes], T],
) -> T:
    """What ``make`` gives, or gave an earlier command for the same key.

    Args:
        name: of the file, which has one value, the last one.
        key: a digest of all that the value follows from; see ``digest_of`` and ``code_state``.
        make: makes the value.
        is_sound: whether it may be kept. The next command asks again about anything that the machine may have caused.
        pack: the value as bytes.
        unpack: the value again.
    """
    folder = own_cache_folder()
    if folder is None:
        return make()
    path = folder / name
    with suppress(OSError, ValueError, RecursionError):
        data = read_own(path, MOST_BYTES)
        if data.startswith(key.encode()):
            return unpack(data[len(key) :])
    value = make()
    if is_sound(value):
        write_own(path, key.encode() + pack(value))
    return value


def comes_back(pack: Callable[[T], bytes], unpack: Callable[[bytes], T]) -> Callable[[T], bool]:
    """Tells whether a value comes back as it is, unlike one with dates in it, which come back as texts."""

    def does(value: T) -> bool:
        with suppress(TypeError, ValueError, OverflowError, RecursionError):
            return bool(unpack(pack(value)) == value)
        return False

    return does


def digest_of(parts: Iterable[str | bytes]) -> str:
    """A digest of texts, each by itself."""
    whole = hashlib.blake2b(digest_size=16)
    for part in parts:
        data = part.encode("utf-8", "surrogateescape") if isinstance(part, str) else part
        whole.update(b"%d:%b" % (len(data), data))
    return whole.hexdigest()


def code_state(packages: Iterable[str]) -> Iterator[str]:
    """What tells that code has changed: Python, what is installed, and the files of these packages."""
    yield sys.version
    for folder in sys.path:
        if folder.endswith("-packages"):
            # It changes when something is installed in it.
            yield stamp_of(folder)
    for package in sorted(set(packages)):
        yield from _state_of(package)


@cache
def _state_of(package: str) -> list[str]:
    spec = find_spec(package)
    folders = (spec.submodule_search_locations or ()) if spec is not None else ()
    return [stamp for folder in folders for stamp in _stamps_in(folder)]


def _stamps_in(folder: str) -> Iterator[str]:
    with os.scandir(folder) as entries:
        for entry in sorted(entries, key=lambda entry: entry.name):
            if entry.is_dir(follow_symlinks=False):
                if entry.name != "__pycache__":
                    yield from _stamps_in(entry.path)
            else:
                yield _stamp(entry.path, entry.stat)


def own_cache_folder() -> Path | None:
    """The folder of these files; None if there may be none, or if it or what it would be made in is somebody else's."""
    if os.environ.get(FRESH_VARIABLE, "").strip().lower() == FRESH:
        return None
    base = os.environ.get("XDG_CACHE_HOME", "")
    try:
        folder = (Path(base) if base.startswith("/") else Path.home() / ".cache") / "tiltyard"
        there = next(place for place in (folder, *folder.parents) if place.exists())
        about = there.stat()
    except (OSError, RuntimeError):
        return None
    is_own = about.st_uid == os.getuid() and not (there == folder and about.st_mode & _OTHERS_MAY_WRITE)
    return folder if is_own else None


def write_own(path: Path, data: bytes) -> None:
    """Write a file of the folder, whole or not at all: another command may be reading. Where that fails, there is none."""
    with suppress(OSError):
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        # Made for this user alone.
        descriptor, name = tempfile.mkstemp(prefix=f".{path.stem}-", dir=path.parent)
        try:
            with os.fdopen(descriptor, "wb") as file:
                file.write(data)
            Path(name).replace(path)
        except BaseException:
            Path(name).unlink(missing_ok=True)
            raise


def read_own(path: Path, most: int) -> bytes:
    """The bytes of a regular file of at most so many bytes that nobody but this user can have written.

    Raises:
        OSError: it cannot be read, or isn't such a file.
    """
    descriptor = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    with os.fdopen(descriptor, "rb") as file:
        about = os.fstat(descriptor)
        is_own = stat.S_ISREG(about.st_mode) and about.st_uid == os.getuid() and not about.st_mode & _OTHERS_MAY_WRITE
        if not is_own or about.st_size > most:
            raise PermissionError(f"{path}: not written by this user alone")
        return file.read(most)


def stamp_of(path: str | None) -> str:
    """A file's path, and what changes when it is replaced."""
    if path is None:
        return "none"
    return _stamp(path, Path(path).stat)


def _stamp(path: str, stat_of: Callable[[], os.stat_result]) -> str:
    try:
        about = stat_of()
    except OSError as error:
        return f"{path} {error.strerror}"
    return f"{path} {about.st_dev} {about.st_ino} {about.st_mtime_ns} {about.st_size} {about.st_mode:o} {about.st_uid}"
