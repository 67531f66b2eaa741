"""The file of a store: opening it, what survives a power cut, and the tables beside the matches."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager, suppress
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Final, Self, TypeAlias

import msgspec

from tiltyard_engine.data_classes import dataclass
from tiltyard_engine.decisions import DecidedGame, Decision, DecisionKind
from tiltyard_engine.errors import UserError
from tiltyard_simulator.output.result_files import sync_file
from tiltyard_tournaments.store.failures import PATIENCE_SECONDS, damaged, explaining
from tiltyard_tournaments.store.opening import WAL, open_to_read
from tiltyard_tournaments.store.schema import bring_up_to_date, check_version

STORE_NAME: Final = "tournament.sqlite"
Also: TypeAlias = Callable[[sqlite3.Connection], object]
_OF_DECISION: Final = ("number", "made_at", "about", "team", "why", "taken_back_at")
_GAMES: Final = msgspec.json.Decoder(tuple[DecidedGame, ...])


@dataclass(frozen=True, slots=True)
class EntryRow:
    """What a team was asked before it played."""

    team: str
    """Its registered name."""
    test: str
    """The test's name; ``name`` where it was asked for its own."""
    passed: bool
    said: str
    """The result of the question, or the name."""


class StoreFile:
    """The file of a store, in a tournament's folder, without its matches.

    Args:
        folder: the tournament's output folder.
        writable: whether it is made if it is missing, and brought up to date if it is old.

    Raises:
        UserError: from every method, if the file cannot be read or written: what, where, and what to do.
    """

    def __init__(self, folder: Path, writable: bool = True) -> None:
        self.path = folder / STORE_NAME
        # An observer may change the current folder.
        self._place = self.path.absolute()
        self._writable = writable
        self._new_pages = Path(f"{self.path.resolve()}{WAL}")
        self._has_unsynced = False
        if not writable and not self.path.is_file():
            raise UserError(f"{folder}: nothing has been played here yet ({STORE_NAME} is missing)", see="nothing-played")
        with self._explaining():
            self._connection = self._opened() if writable else open_to_read(self.path)
            try:
                self._prepare(writable)
            except BaseException:
                self._connection.close()
                raise
            self._identity = self._found_identity()

    def _opened(self) -> sqlite3.Connection:
        address = f"{self.path.resolve().as_uri()}?mode=rwc"
        return sqlite3.connect(address, uri=True, timeout=PATIENCE_SECONDS, isolation_level=None)

    def _prepare(self, writable: bool) -> None:
        self._has_voids = self._has_entries = self._has_teams = self._has_rounds = self._has_decisions = True
        if writable:
            bring_up_to_date(self._connection, str(self.path))
            self._connection.execute("PRAGMA journal_mode = WAL")
            # What has been written survives a power cut.
            self._connection.execute("PRAGMA synchronous = FULL")
        else:
            if not check_version(self._connection, str(self.path)):
                raise UserError(
                    f"{self.path.parent}: nothing has been played here yet ({STORE_NAME} is empty)", see="nothing-played"
                )
            self._connection.execute("SELECT count(*) FROM matches").fetchone()
            # An older store that is only looked at stays as it is.
            self._has_voids, self._has_entries, self._has_teams, self._has_rounds, self._has_decisions = (
                bool(self._connection.execute("SELECT 1 FROM sqlite_master WHERE name = ?", (table,)).fetchone())
                for table in ("voids", "entries", "teams", "rounds", "decisions")
            )
            self._sync_for_others()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Give the file back. If nobody else has it open, all is in this one file then, which whoever may read it can read."""
        if self._writable:
            with suppress(sqlite3.Error):
                self._connection.execute("PRAGMA busy_timeout = 0")
                self._connection.execute("PRAGMA journal_mode = DELETE")
        else:
            self._sync_for_others()
        self._connection.close()

    def check_place(self) -> None:
        """Make sure that the file at the path is still the one that was opened: whoever opens it later finds what was written here.

        Raises:
            UserError: it was removed, moved or replaced.
        """
        if self._found_identity() != self._identity:
            raise UserError(
                f"{self.path}: was removed, moved or replaced during the run, so results can no longer be saved; run the same"
                " command again to play the missing matches",
                see="store-moved",
            )

    def _found_identity(self) -> tuple[int, int] | None:
        try:
            status = self._place.stat()
        except OSError:
            return None
        return status.st_dev, status.st_ino

    # What survives a power cut

    @contextmanager
    def synced_later(self) -> Iterator[None]:
        """What is written inside survives a killed process at once, but a power cut only after ``sync`` or the end of this."""
        with self._explaining():
            (mode,) = self._connection.execute("PRAGMA journal_mode").fetchone()
            if mode == "wal":
                self._connection.execute("PRAGMA synchronous = NORMAL")
                # Whatever is synced later is in a file that has its name.
                self._connection.execute("SELECT count(*) FROM facts").fetchone()
                sync_file(self._new_pages.parent)
        try:
            yield
        finally:
            self.sync()
            with self._explaining():
                self._connection.execute("PRAGMA synchronous = FULL")

    @contextmanager
    def together(self) -> Iterator[None]:
        """All that is written inside, or nothing; the disk is waited for once."""
        with self._writing(), self._at_once():
            yield

    def sync(self) -> None:
        """Wait until all that was written is on the disk; from any thread."""
        if not self._has_unsynced:
            return
        self._has_unsynced = False
        try:
            # New matches go into this file, and from there into the other one, for which SQLite waits itself.
            sync_file(self._new_pages)
        except FileNotFoundError:
            self.check_place()
        except OSError as error:
            raise UserError(f"{self.path}: cannot be written: {error.strerror}") from error

    def _sync_for_others(self) -> None:
        """What is shown of a run that still goes on survives a power cut too, although the run may not have waited for that."""
        with suppress(OSError):
            sync_file(self._new_pages)

    # Facts about the tournament as a whole

    def set_fact(self, name: str, value: str) -> None:
        """Remember something, such as the tournament's title."""
        with self._writing():
            self._connection.execute("INSERT OR REPLACE INTO facts VALUES (?, ?)", (name, value))

    def facts(self) -> dict[str, str]:
        """All that is remembered."""
        return dict(self._rows((str, str), "SELECT name, value FROM facts ORDER BY name"))

    def add_tables(self, owner: str, steps: Sequence[str], functions: Mapping[str, Callable[[str], str]] | None = None) -> None:
        """Make the tables of somebody who keeps more beside the matches, or take older ones through the steps that they lack.

        Args:
            owner: whose tables they are; a fact says how many steps were taken.
            steps: SQL; each is a transaction, and one that was released is never changed.
            functions: what the steps call by name with one text, such as to read what lies packed in a match.

        Raises:
            UserError: the tables are of a newer tiltyard.
        """
        for name, function in (functions or {}).items():
            self._connection.create_function(name, 1, function)
        fact = f"tables of {owner}"
        version = int(self.facts().get(fact, "0"))
        if version > len(steps):
            raise UserError(f"{self.path}: was written by a newer tiltyard ({fact}: {version}); update tiltyard", see="newer-store")
        with self._writing():
            for number in range(version, len(steps)):
                mark = f"INSERT OR REPLACE INTO facts VALUES ('{fact}', '{number + 1}');"  # noqa: S608 -- the owner is a word of ours
                self._connection.executescript(f"BEGIN IMMEDIATE; {steps[number]} {mark} COMMIT;")

    def write(self, also: Also) -> None:
        """Write in tables that were added, in a transaction."""
        with self._writing(), self._at_once():
            also(self._connection)

    # What teams are asked before they play

    def add_entry(self, key: str, team: str, test: str, passed: bool, detail: str) -> None:
        """Save the result of a question."""
        with self._writing():
            row = (key, team, test, passed, detail, now())
            self._connection.execute("INSERT OR REPLACE INTO entries VALUES (?, ?, ?, ?, ?, ?)", row)

    def entry(self, key: str) -> EntryRow | None:
        """The result of a question; None if it was not asked."""
        return self._entry("key = ?", key)

    def latest_entry(self, team: str, test: str, ending: str) -> EntryRow | None:
        """The last result of a team's test, of those whose keys end like this."""
        return self._entry("team = ? AND test = ? AND key GLOB ? ORDER BY asked_at DESC", team, test, f"*{ending}")

    def _entry(self, condition: str, *values: str) -> EntryRow | None:
        if not self._has_entries:
            return None
        query = f"SELECT team, test, passed, said FROM entries WHERE {condition}"  # noqa: S608 -- the condition is ours
        rows = self._rows((str, str, int, str), query, *values)
        return EntryRow(rows[0][0], rows[0][1], bool(rows[0][2]), rows[0][3]) if rows else None

    def entries(self) -> list[EntryRow]:
        """All of them, by team and test."""
        if not self._has_entries:
            return []
        rows = self._rows((str, str, int, str), "SELECT team, test, passed, said FROM entries ORDER BY team, test, key")
        return [EntryRow(row[0], row[1], bool(row[2]), row[3]) for row in rows]

    # Which teams the tournament's file stood for

    def set_teams(self, rows: Mapping[str, bytes]) -> None:
        """Keep what was found for words of the file, and forget what was found for others."""
        with self._writing(), self._at_once():
            self._connection.execute("DELETE FROM teams")
            self._connection.executemany("INSERT INTO teams VALUES (?, ?)", rows.items())

    def teams(self) -> dict[str, bytes]:
        """What was kept, by words."""
        return dict(self._rows((str, bytes), "SELECT words, found FROM teams ORDER BY words")) if self._has_teams else {}

    # Rounds that were drawn

    def add_round(self, number: int, content: bytes) -> None:
        """Keep a round that was drawn, counted from 1. One that is there stays as it is."""
        with self._writing():
            self._connection.execute("INSERT OR IGNORE INTO rounds VALUES (?, ?, ?)", (number, now(), content))

    def rounds(self) -> list[bytes] | None:
        """All of them, the first one first. None: the store was never asked to keep or to forget any."""
        rows = self._rows((bytes,), "SELECT drawn FROM rounds ORDER BY number") if self._has_rounds else []
        return [content for (content,) in rows if content] if rows else None

    def remove_rounds(self) -> None:
        """Forget them, so that the next run draws all again; an empty row says so."""
        with self._writing(), self._at_once():
            self._connection.execute("DELETE FROM rounds")
            self._connection.execute("INSERT INTO rounds VALUES (0, ?, ?)", (now(), b""))

    # What was decided about matches

    def add_decision(self, decision: Decision) -> int:
        """Keep a decision, at this time, under the next number; the number."""
        with self._writing(), self._at_once():
            row = (now(), decision.kind, decision.about, decision.team, decision.why, msgspec.json.encode(decision.games).decode())
            query = "INSERT INTO decisions (made_at, kind, about, team, why, games) VALUES (?, ?, ?, ?, ?, ?)"
            return self._connection.execute(query, row).lastrowid or 0

    def take_back(self, number: int) -> None:
        """Let a decision count no more, from this time on."""
        with self._writing():
            self._connection.execute("UPDATE decisions SET taken_back_at = ? WHERE number = ?", (now(), number))

    def decisions(self) -> tuple[Decision, ...]:
        """All of them, the first one first."""
        query = f"SELECT kind, games, {', '.join(_OF_DECISION)} FROM decisions ORDER BY number"  # noqa: S608 -- names of ours
        rows = self._rows((str, str, int, *(str,) * 5), query) if self._has_decisions else []
        try:
            return tuple(
                Decision(kind=DecisionKind(kind), games=_GAMES.decode(games), **dict(zip(_OF_DECISION, others, strict=True)))
                for kind, games, *others in rows
            )
        except (msgspec.MsgspecError, ValueError) as error:
            raise damaged(self.path, f"a decision cannot be read: {error}") from error

    def _rows(self, kinds: tuple[type, ...], query: str, *values: str) -> list[Any]:
        """Rows whose cells are of these kinds, which only damage changes: SQLite keeps anything in any column."""
        with self._explaining():
            rows = self._connection.execute(query, values).fetchall()
        for row in rows:
            if not all(map(isinstance, row, kinds)):
                raise damaged(self.path, "a cell of a table has another type than was written")
        return rows

    @contextmanager
    def _at_once(self) -> Iterator[None]:
        """All of it or nothing."""
        if self._connection.in_transaction:
            # It is a part of a larger one.
            yield
            return
        self._connection.execute("BEGIN IMMEDIATE")
        try:
            yield
        except BaseException:
            # A full disk has ended the transaction already.
            if self._connection.in_transaction:
                self._connection.rollback()
            raise
        self._connection.commit()

    @contextmanager
    def _writing(self) -> Iterator[None]:
        # SQLite would go on with a file that has no name any more, and nobody would find what it writes.
        self.check_place()
        try:
            with self._explaining():
                yield
        finally:
            self._has_unsynced = True

    def _explaining(self) -> AbstractContextManager[None]:
        return explaining(self.path)


def now() -> str:
    """The time for a row: ISO 8601, UTC."""
    return datetime.now(UTC).isoformat(timespec="milliseconds")
