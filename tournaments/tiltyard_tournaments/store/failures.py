"""What SQLite's errors, and damage that it does not see, mean for whoever runs a tournament."""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

from tiltyard_engine.errors import UserError
from tiltyard_engine.texts.sanitize import one_line

PATIENCE_SECONDS: Final = 10.0
"""How long to wait for somebody who reads or writes at the same moment."""

MENDED_BY: Final = "tiltyard recover"
MOST_PATH_BYTES: Final = 504
"""Of a database, all links followed. Source: SQLite's os_unix.c, MAX_PATHNAME, less what it adds for ``-journal`` and an end."""

_EXPLANATIONS: Final[tuple[tuple[str, str], ...]] = (
    (
        "SQLITE_FULL",
        "cannot be written: the disk is full; stored results are safe. Free some space and run the same command again",
    ),
    ("SQLITE_READONLY", "cannot be written: it, or its folder, is read-only"),
    ("SQLITE_CANTOPEN", "cannot be opened; check that its folder exists and is writable"),
    ("SQLITE_BUSY", f"has been locked by another process for {PATIENCE_SECONDS:.0f} s"),
    ("SQLITE_NOTADB", "isn't an SQLite database, or its beginning is damaged"),
    ("SQLITE_IOERR", "cannot be read or written: the disk failed, or is full"),
)
"""The beginning of SQLite's error name, and what to tell."""

DAMAGE: Final = ("SQLITE_CORRUPT", "SQLITE_ERROR", "SQLITE_MISMATCH", "SQLITE_FORMAT")
"""Errors of a damaged file. SQLITE_ERROR is one: it says that a statement, which never changes, does not fit the tables."""


def damaged(path: Path, what: str, mended_by: str = MENDED_BY) -> UserError:
    """The error about a store that is damaged."""
    see = "damaged-store" if mended_by == MENDED_BY else ""
    return UserError(f"{path}: is damaged: {what}; '{mended_by} {path.parent}' saves everything that is intact", see=see)


def contradictory(path: Path, match: str, what: str, *, needs_file: bool = False) -> UserError:
    """The error about a match whose row cannot be as it was written.

    Args:
        path: the store.
        match: which match.
        what: what contradicts what.
        needs_file: whether that is only known to whoever has the tournament file.
    """
    command = "'tiltyard recover FILE', with the tournament's file as FILE," if needs_file else f"'tiltyard recover {path.parent}'"
    return UserError(
        f"{path}: was edited or is damaged: {one_line(match)}: {one_line(what)};"
        f" {command} saves all others, and the next run plays this one again",
        see="damaged-store",
    )


def check_length(path: Path) -> None:
    """Make sure that SQLite can open a file of that path, whether or not it is there.

    Raises:
        UserError: the path is too long; SQLite itself would only say that it is unable to open the file.
    """
    length = len(os.fsencode(path.resolve()))
    if length > MOST_PATH_BYTES:
        raise UserError(
            f"{path}: can't be opened, because its path has {length} bytes and SQLite allows {MOST_PATH_BYTES}; choose, or move it"
            f" to, a folder whose path is at least {length - MOST_PATH_BYTES} bytes shorter (a link doesn't help)"
        )


@contextmanager
def explaining(path: Path, mended_by: str = MENDED_BY) -> Iterator[None]:
    """Raise a UserError for what SQLite raises inside; ``mended_by`` is the command that saves what is whole of a damaged file."""
    try:
        yield
    except sqlite3.Error as error:
        raise _explained(path, error, mended_by) from error
    except UnicodeDecodeError as error:
        # Texts of a damaged file, and SQLite's own message about them.
        raise damaged(path, "a text is not UTF-8", mended_by) from error


def _explained(path: Path, error: sqlite3.Error, mended_by: str) -> UserError:
    name = getattr(error, "sqlite_errorname", "")
    if name.startswith("SQLITE_CANTOPEN"):
        check_length(path)
    if name.startswith(DAMAGE) or "decode to UTF-8" in str(error):
        return damaged(path, " ".join(str(error).split()), mended_by)
    for begin, text in _EXPLANATIONS:
        if name.startswith(begin):
            return UserError(f"{path}: {text}", see="disk-full" if begin == "SQLITE_FULL" else "")
    return UserError(f"{path}: {error} ({name or type(error).__name__})")
