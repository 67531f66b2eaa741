"""Opening a database to read it, also where nothing may be written: on a read-only disk, or in another user's folder.

SQLite itself wants to write beside a file that was not closed properly, or that somebody else may write to at the same time.
"""

from __future__ import annotations

import shutil
import sqlite3
import tempfile
from pathlib import Path
from typing import Final

from tiltyard_engine.errors import UserError
from tiltyard_tournaments.store.failures import PATIENCE_SECONDS

WAL: Final = "-wal"
"""Ending of the file with what was written last."""
UNFINISHED: Final = (WAL, "-journal")
"""Endings of files that have to be worked into the database, if they are there and not empty."""
_NO_RIGHT: Final = ("SQLITE_CANTOPEN", "SQLITE_READONLY")
"""The beginnings of SQLite's error names where it may not write."""
MOST_COPIES: Final = 5
"""So many times a file is copied that somebody writes to meanwhile."""


def open_to_read(path: Path) -> sqlite3.Connection:
    """A connection that never writes to the file or beside it, for any thread.

    Raises:
        sqlite3.Error: it isn't there, can't be read, or is damaged.
        UserError: it has to be copied, which is not possible.
    """
    file = path.resolve()
    try:
        return _open(f"{file.as_uri()}?mode=ro")
    except sqlite3.OperationalError as error:
        if not getattr(error, "sqlite_errorname", "").startswith(_NO_RIGHT) or not file.is_file():
            raise
        if any(_size(Path(f"{file}{ending}")) for ending in UNFINISHED):
            try:
                return _copy_of(file, error)
            except OSError as problem:
                place = f"{tempfile.gettempdir()} (TMPDIR names another folder)"
                raise UserError(
                    f"{file}: was not closed properly, and can be neither repaired in place nor copied to {place}:"
                    f" {problem.strerror}"
                ) from problem
        # All is in the one file, and who may not write can't be in the way of those who may.
        return _open(f"{file.as_uri()}?immutable=1")


def _open(address: str) -> sqlite3.Connection:
    connection = sqlite3.connect(address, uri=True, timeout=PATIENCE_SECONDS, isolation_level=None, check_same_thread=False)
    try:
        # Nothing is opened before it is needed.
        connection.execute("SELECT count(*) FROM sqlite_master").fetchone()
    except BaseException:
        connection.close()
        raise
    return connection


def _copy_of(file: Path, error: sqlite3.Error) -> sqlite3.Connection:
    """A copy in which all is worked in; its folder is gone when this returns, the copy when the connection is closed."""
    for _ in range(MOST_COPIES):
        with tempfile.TemporaryDirectory(prefix="tiltyard-store-") as folder:
            copy = Path(folder, file.name)
            before = _states(file)
            for ending in ("", *UNFINISHED):
                if _size(Path(f"{file}{ending}")):
                    shutil.copyfile(f"{file}{ending}", f"{copy}{ending}")
            if _states(file) != before:
                continue
            connection = _open(f"{copy.as_uri()}?mode=rw")
            connection.execute("PRAGMA journal_mode = DELETE")
            connection.execute("PRAGMA query_only = ON")
            return connection
    raise error


def _states(file: Path) -> list[tuple[int, int]]:
    """What changes when somebody writes."""
    states: list[tuple[int, int]] = []
    for ending in ("", *UNFINISHED):
        path = Path(f"{file}{ending}")
        status = path.stat() if path.exists() else None
        states.append((0, 0) if status is None else (status.st_size, status.st_mtime_ns))
    return states


def _size(path: Path) -> int:
    return path.stat().st_size if path.exists() else 0
