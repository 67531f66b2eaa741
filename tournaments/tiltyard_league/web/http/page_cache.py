"""Pages for everybody, kept until something changes: in a lecture sixty people open the standing at the same moment."""

from __future__ import annotations

import sqlite3
import threading
import weakref
from dataclasses import dataclass
from pathlib import Path
from typing import Final, TypeAlias

from starlette.responses import Response

from tiltyard_site.web.answers import mark_of, marked_answer
from tiltyard_site.web.bounded_cache import BoundedCache

MOST_BYTES: Final = 4 << 20
"""Of all pages that are kept."""
OVERHEAD: Final = 1000
"""Bytes around a page."""
Stamp: TypeAlias = tuple[object, ...]


class ChangeWatch:
    """Tells whether somebody has written one of some databases or small files.

    Args:
        databases: files that may not be there yet.
        files: those that are replaced as a whole.
    """

    def __init__(self, databases: tuple[Path, ...], files: tuple[Path, ...]) -> None:
        self._databases = databases
        self._files = files
        self._lock = threading.Lock()
        self._open: dict[Path, tuple[int, sqlite3.Connection]] = {}
        weakref.finalize(self, _close_all, self._open)

    def stamp(self) -> Stamp | None:
        """Another value after each change; None: that can't be told."""
        with self._lock:
            try:
                return (*map(self._version, self._databases), *map(_state, self._files))
            except (OSError, sqlite3.Error):
                return None

    def _version(self, path: Path) -> tuple[int, int]:
        inode = path.stat().st_ino
        entry = self._open.get(path)
        if entry is None or entry[0] != inode:
            if entry is not None:
                entry[1].close()
            # It is told only through one connection whether others have written.
            connection = sqlite3.connect(f"{path.resolve().as_uri()}?mode=ro", uri=True, check_same_thread=False)
            entry = self._open[path] = inode, connection
        (version,) = entry[1].execute("PRAGMA data_version").fetchone()
        return inode, int(version)


def _close_all(connections: dict[Path, tuple[int, sqlite3.Connection]]) -> None:
    for _, connection in connections.values():
        connection.close()


def _state(path: Path) -> tuple[int, int]:
    try:
        info = path.stat()
    except FileNotFoundError:
        return 0, 0
    return info.st_ino, info.st_mtime_ns


@dataclass(frozen=True, slots=True)
class _CachedPage:
    stamp: Stamp
    body: bytes
    kind: str
    mark: str


class PageCache:
    """Answers that are equal for everybody who isn't signed in."""

    def __init__(self, watch: ChangeWatch) -> None:
        self._watch = watch
        self._pages: BoundedCache[_CachedPage] = BoundedCache(MOST_BYTES)

    def stamp(self) -> Stamp | None:
        """To be taken before an answer is made: what changes meanwhile makes it an old one."""
        return self._watch.stamp()

    def find(self, address: str, stamp: Stamp | None, etag: str) -> Response | None:
        """The answer, if nothing has changed; without its body for who has it already."""
        page = self._pages.find(address)
        if page is None or stamp is None or page.stamp != stamp:
            return None
        return marked_answer(etag, page.body, page.kind, page.mark)

    def keep(self, address: str, stamp: Stamp | None, response: Response, etag: str) -> Response:
        """An answer with its mark; it is kept if it is a page."""
        if response.status_code != 200 or stamp is None:
            return response
        body = bytes(response.body)
        kind, mark = response.headers["Content-Type"], response.headers.get("ETag") or mark_of(body)
        self._pages.keep(address, _CachedPage(stamp, body, kind, mark), len(body) + OVERHEAD)
        return marked_answer(etag, body, kind, mark)
