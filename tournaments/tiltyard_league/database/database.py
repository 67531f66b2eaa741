"""The league's own database: people, tokens, what was handed in, requests, and what staff did.

The web process and the service both write it, each a transaction at a time. What was acknowledged survives a power cut.
"""

from __future__ import annotations

import json
import os
import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime, timedelta
from importlib.resources import files
from pathlib import Path
from typing import Any, Final, Self

from tiltyard_engine.errors import UserError
from tiltyard_league.database.clock import as_stored, now
from tiltyard_tournaments.store.failures import PATIENCE_SECONDS, explaining
from tiltyard_tournaments.store.opening import open_to_read
from tiltyard_tournaments.store.schema import bring_up_to_date, check_version

DATABASE: Final = "league.sqlite"
MIGRATIONS: Final = tuple(
    files(__package__).joinpath("migrations", name).read_text(encoding="utf-8")
    for name in ("1-league.sql", "2-rosters.sql", "3-questions.sql")
)
"""Step n brings a file of version n to version n + 1. A step that was released is never changed."""
RECOVERY_COMMAND: Final = "tiltyard league recover"
"""The command for a damaged one."""
Row = sqlite3.Row


def make_database(folder: Path) -> None:
    """Make the database of a league's folder, or bring an older one up to date.

    Raises:
        UserError: it cannot be written, or is of a newer tiltyard.
    """
    path = folder / DATABASE
    with explaining(path, RECOVERY_COMMAND):
        connection = sqlite3.connect(path, timeout=PATIENCE_SECONDS, isolation_level=None)
        try:
            bring_up_to_date(connection, str(path), MIGRATIONS)
            connection.execute("PRAGMA journal_mode = WAL")
        finally:
            connection.close()
    # It has hashes of tokens, and names of people.
    path.chmod(0o600)


class Database:
    """A connection to it, for one thread.

    Raises:
        UserError: from every method, if the file is missing or cannot be read or written.
    """

    def __init__(self, folder: Path) -> None:
        self.path = folder / DATABASE
        if not self.path.is_file():
            raise UserError(
                f"{folder}: this league has no teams and no games yet ({DATABASE} is missing); use 'tiltyard league roster' or"
                " 'tiltyard league serve' first"
            )
        with explaining(self.path, RECOVERY_COMMAND):
            # Who may write neither the file nor beside it can still read, such as from a backup.
            may_write = os.access(self.path, os.W_OK) and os.access(self.path.parent, os.W_OK)
            self._connection = self._open_to_write() if may_write else open_to_read(self.path)
            self._connection.row_factory = sqlite3.Row
            self._connection.execute("PRAGMA foreign_keys = ON")
            self._connection.execute("PRAGMA synchronous = FULL")
            if check_version(self._connection, str(self.path), len(MIGRATIONS)) < len(MIGRATIONS):
                self._connection.close()
                raise UserError(
                    f"{self.path}: was written by an older tiltyard; 'tiltyard league serve {folder}' brings it up to date"
                )

    def _open_to_write(self) -> sqlite3.Connection:
        return sqlite3.connect(self.path, timeout=PATIENCE_SECONDS, isolation_level=None, check_same_thread=False)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Give the file back."""
        self._connection.close()

    @contextmanager
    def writing(self, *, only_looking: bool = False) -> Iterator[None]:
        """A transaction: all that is written in it is there afterwards, or nothing; ``only_looking``: nothing in any case."""
        with explaining(self.path, RECOVERY_COMMAND):
            self._connection.execute("BEGIN IMMEDIATE")
            try:
                yield
            except BaseException:
                if self._connection.in_transaction:
                    self._connection.rollback()
                raise
            if only_looking:
                self._connection.rollback()
            else:
                self._connection.commit()

    def run(self, query: str, *values: object) -> int:
        """Write; the number of the new row, if there is one."""
        with explaining(self.path, RECOVERY_COMMAND):
            return int(self._connection.execute(query, values).lastrowid or 0)

    def changed(self, query: str, *values: object) -> int:
        """Write; how many rows that changed."""
        with explaining(self.path, RECOVERY_COMMAND):
            return self._connection.execute(query, values).rowcount

    def rows(self, query: str, *values: object) -> list[Row]:
        """All rows that a query has."""
        with explaining(self.path, RECOVERY_COMMAND):
            return self._connection.execute(query, values).fetchall()

    def row(self, query: str, *values: object) -> Row | None:
        """The first row that a query has; None if it has none."""
        with explaining(self.path, RECOVERY_COMMAND):
            row: Row | None = self._connection.execute(query, values).fetchone()
            return row

    def number(self, query: str, *values: object) -> int:
        """The one number that a query has; 0 if it has none."""
        row = self.row(query, *values)
        return 0 if row is None or row[0] is None else int(row[0])

    def stamp(self) -> int:
        """Changes when another connection has written."""
        return self.number("PRAGMA data_version")

    # Facts, such as that the league is frozen

    def fact(self, name: str) -> str:
        """What is remembered; empty if nothing is."""
        row = self.row("SELECT value FROM facts WHERE name = ?", name)
        return "" if row is None else str(row["value"])

    def set_fact(self, name: str, value: str) -> None:
        """Remember something; an empty value forgets it."""
        if value:
            self.run("INSERT OR REPLACE INTO facts VALUES (?, ?)", name, value)
        else:
            self.run("DELETE FROM facts WHERE name = ?", name)

    def time_of_result(self) -> str:
        """The time for what ends or is worked out now: while the league is frozen it is after that, whatever a clock says.

        Else a clock that goes back would show everybody what is kept back from them.
        """
        frozen_at = self.fact("frozen_at")
        return max(now(), as_stored(datetime.fromisoformat(frozen_at) + timedelta(milliseconds=1))) if frozen_at else now()

    # The log of what staff and the league itself did

    def log(self, who: str, what: str, **about: Any) -> None:
        """Write a line of the log, in the transaction that is open."""
        self.run("INSERT INTO log (at, who, what, about) VALUES (?, ?, ?, ?)", now(), who, what, json.dumps(about, sort_keys=True))
