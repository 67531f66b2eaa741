"""Removing a folder in which a team could write: whatever it has made there, and whatever rights it has taken away."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from itertools import count


def remove(folder: str) -> None:
    """Remove a folder with all that it holds, or as much of it as possible.

    A team may have nested thousands of folders, so nothing here calls itself, and no path gets long. It may also have locked
    its folders.
    """
    with suppress(OSError):
        # Most are empty.
        os.rmdir(folder)  # noqa: PTH106 -- a match waits for it
        return
    # Names that nobody has taken.
    mark = os.urandom(8).hex()
    new_names = (f"{mark}-{number}" for number in count())
    with suppress(OSError), _open_folder(folder) as top:
        while _remove_layer(top, new_names):
            pass
    with suppress(OSError):
        os.rmdir(folder)  # noqa: PTH106 -- likewise


def _remove_layer(top: int, new_names: Iterator[str]) -> bool:
    """Remove what lies in a folder and in its folders; what these have of folders takes their place. Whether anything changed."""
    changed = False
    for name in os.listdir(top):
        if _removed(name, top):
            changed = True
            continue
        with suppress(OSError), _open_folder(name, top) as folder:
            for inner in os.listdir(folder):  # noqa: PTH208 -- as above
                if not _removed(inner, folder):
                    # To move a folder takes the right to write to it.
                    with suppress(OSError), _open_folder(inner, folder):
                        pass
                    with suppress(OSError):
                        os.rename(inner, next(new_names), src_dir_fd=folder, dst_dir_fd=top)
                        changed = True
            with suppress(OSError):
                os.rmdir(name, dir_fd=top)
                changed = True
    return changed


def _removed(name: str, folder: int) -> bool:
    """Whether it was a file or an empty folder, and is gone."""
    for remove_one in (os.unlink, os.rmdir):
        with suppress(OSError):
            remove_one(name, dir_fd=folder)
            return True
    return False


@contextmanager
def _open_folder(name: str, folder: int | None = None) -> Iterator[int]:
    """Open a folder, never one that a link leads to, with all rights for its owner."""
    place = os.open(name, os.O_PATH | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC, dir_fd=folder)
    try:
        # Of the folder itself, whatever has its name now. Not all who come here may.
        with suppress(OSError):
            os.chmod(f"/proc/self/fd/{place}", 0o700)  # noqa: PTH101 -- likewise
        readable = os.open(".", os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC, dir_fd=place)
    finally:
        os.close(place)
    try:
        yield readable
    finally:
        os.close(readable)
