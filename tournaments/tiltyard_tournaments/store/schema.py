"""The tables of a store, and the steps from each older version to the next."""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence
from typing import Final

from tiltyard_engine.errors import UserError

APPLICATION_ID: Final = 0x74696C74
"""``tilt``: in the file's header, so that another program's database is not taken for a store."""

MIGRATIONS: Final[Sequence[str]] = (
    """
    CREATE TABLE facts (
        name TEXT PRIMARY KEY,
        value TEXT NOT NULL
    ) WITHOUT ROWID;
    CREATE TABLE matches (
        key TEXT PRIMARY KEY,
        place INTEGER NOT NULL UNIQUE,
        game TEXT NOT NULL,
        manager TEXT NOT NULL,
        map TEXT NOT NULL,
        teams TEXT NOT NULL,
        seed INTEGER NOT NULL,
        held TEXT NOT NULL,
        faults INTEGER NOT NULL,
        seconds REAL NOT NULL,
        played_at TEXT NOT NULL,
        spec BLOB NOT NULL,
        outcome BLOB NOT NULL,
        replay BLOB
    );
    CREATE TABLE incidents (
        place INTEGER PRIMARY KEY,
        key TEXT NOT NULL,
        seen_at TEXT NOT NULL,
        what TEXT NOT NULL
    );
    """,
    """
    CREATE TABLE voids (
        key TEXT PRIMARY KEY,
        seen_at TEXT NOT NULL,
        outcome BLOB NOT NULL
    ) WITHOUT ROWID;
    """,
    """
    CREATE TABLE entries (
        key TEXT PRIMARY KEY,
        team TEXT NOT NULL,
        test TEXT NOT NULL,
        passed INTEGER NOT NULL,
        said TEXT NOT NULL,
        asked_at TEXT NOT NULL
    ) WITHOUT ROWID;
    """,
)
"""Step n brings a file of version n to version n + 1. A step that was released is never changed."""

VERSION: Final = len(MIGRATIONS)


def bring_up_to_date(connection: sqlite3.Connection, name: str, steps: Sequence[str] = MIGRATIONS) -> None:
    """Make the tables of a new file, or take an older one through the steps that it lacks, each a transaction.

    Raises:
        UserError: the file is another program's, or of a newer tiltyard.
    """
    (application,) = connection.execute("PRAGMA application_id").fetchone()
    (version,) = connection.execute("PRAGMA user_version").fetchone()
    (tables,) = connection.execute("SELECT count(*) FROM sqlite_master").fetchone()
    if application != APPLICATION_ID and tables:
        raise UserError(f"{name}: is a database of another program")
    if version > len(steps):
        raise UserError(
            f"{name}: was written by a newer tiltyard (its version is {version}, this one knows {len(steps)}); update it"
        )
    for number in range(version, len(steps)):
        marks = f"PRAGMA application_id = {APPLICATION_ID}; PRAGMA user_version = {number + 1};"
        connection.executescript(f"BEGIN IMMEDIATE; {steps[number]} {marks} COMMIT;")
