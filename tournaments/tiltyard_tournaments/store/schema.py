"""The tables of a store, and the steps from each older version to the next."""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence
from importlib.resources import files
from typing import Final

from tiltyard_engine.errors import UserError

APPLICATION_ID: Final = 0x74696C74
"""``tilt``: in the file's header, so that another program's database is not taken for a store."""

MIGRATIONS: Final[Sequence[str]] = tuple(
    files(__package__).joinpath("migrations", name).read_text(encoding="utf-8")
    for name in ("1-matches.sql", "2-voids.sql", "3-entries.sql", "4-teams.sql", "5-rounds.sql", "6-decisions.sql")
)
"""Step n brings a file of version n to version n + 1. A step that was released is never changed."""

VERSION: Final = len(MIGRATIONS)


def check_version(connection: sqlite3.Connection, name: str, newest: int = VERSION) -> int:
    """The version of a file's tables; 0 if it has none yet.

    Raises:
        UserError: the file is another program's, or of a newer tiltyard.
    """
    (application,) = connection.execute("PRAGMA application_id").fetchone()
    (version,) = connection.execute("PRAGMA user_version").fetchone()
    (tables,) = connection.execute("SELECT count(*) FROM sqlite_master").fetchone()
    if application != APPLICATION_ID and tables:
        raise UserError(f"{name}: is another program's database")
    if version > newest:
        raise UserError(
            f"{name}: was written by a newer tiltyard (format {version}; this one reads up to {newest}); update tiltyard",
            see="newer-store",
        )
    return int(version) if tables else 0


def bring_up_to_date(connection: sqlite3.Connection, name: str, steps: Sequence[str] = MIGRATIONS) -> None:
    """Make the tables of a new file, or take an older one through the steps that it lacks, in one transaction.

    Raises:
        UserError: the file is another program's, or of a newer tiltyard.
    """
    lacking = steps[check_version(connection, name, len(steps)) :]
    if lacking:
        marks = f"PRAGMA application_id = {APPLICATION_ID}; PRAGMA user_version = {len(steps)};"
        connection.executescript(f"BEGIN IMMEDIATE; {' '.join(lacking)} {marks} COMMIT;")
