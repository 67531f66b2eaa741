"""Saving what is whole in a damaged store: it is copied row by row into a new one, and the damaged file is kept beside it."""

from __future__ import annotations

import itertools
import shutil
import sqlite3
import tempfile
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import closing
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, Final, TypeAlias

from tiltyard_engine.errors import UserError
from tiltyard_engine.match_record import Outcome
from tiltyard_simulator.match.spec import MatchSpec
from tiltyard_simulator.output.result_files import sync_file
from tiltyard_tournaments.running.schedule import follow
from tiltyard_tournaments.running.tournament import Tournament
from tiltyard_tournaments.store.failures import DAMAGE, PATIENCE_SECONDS, explaining
from tiltyard_tournaments.store.lock import StoreLock
from tiltyard_tournaments.store.schema import check_version
from tiltyard_tournaments.store.store import Store
from tiltyard_tournaments.store.store_file import STORE_NAME

SMALLEST_ROW: Final = 50
"""Bytes; so a file's size says how many rows there can be."""
FILES: Final = ("", "-wal", "-shm", "-journal")
"""Endings of the files of a database."""

_TEXT, _NUMBER, _BYTES = (str,), (int, float), (bytes,)
Columns: TypeAlias = Mapping[str, tuple[type, ...]]
"""Names of columns, and of what types their cells are."""
_MATCHES: Final[Columns] = {
    "place": (int,),
    "key": _TEXT,
    "game": _TEXT,
    "manager": _TEXT,
    "map": _TEXT,
    "teams": _TEXT,
    "seed": (int,),
    "held": _TEXT,
    "faults": (int,),
    "seconds": _NUMBER,
    "played_at": _TEXT,
    "spec": _BYTES,
    "outcome": _BYTES,
    "replay": (bytes, type(None)),
}
_INCIDENTS: Final[Columns] = {"place": (int,), "key": _TEXT, "seen_at": _TEXT, "what": _TEXT}
_WITHOUT_NUMBERS: Final[Mapping[str, Columns]] = {
    "rounds": {"number": (int,), "drawn_at": _TEXT, "drawn": _BYTES},
    "decisions": {"number": (int,), **dict.fromkeys(("made_at", "kind", "about", "team", "why", "games", "taken_back_at"), _TEXT)},
    "facts": {"name": _TEXT, "value": _TEXT},
    "voids": {"key": _TEXT, "seen_at": _TEXT, "outcome": _BYTES},
    "teams": {"words": _TEXT, "found": _BYTES},
    "entries": {"key": _TEXT, "team": _TEXT, "test": _TEXT, "passed": (int,), "said": _TEXT, "asked_at": _TEXT},
}
Misplaced: TypeAlias = Callable[[Store], Iterable[str]]
"""Keys of matches in a store."""


@dataclass(frozen=True, slots=True)
class Recovery:
    """The result of the recovery."""

    matches: int
    """They are whole."""
    lost: int
    """Matches that are not. The next run plays them again."""
    replays: int
    """Replays that are lost, of matches that are whole."""
    damaged: Path | None
    """The damaged file under its new name; None: nothing was damaged, and nothing was changed."""


def recover(folder: Path, misplaced: Misplaced = lambda store: ()) -> Recovery:
    """Put a new store, with all that is whole, into the place of the one in a folder.

    Args:
        folder: the output folder of a tournament.
        misplaced: finds matches that are whole, but lie under another match's key: they are lost too.

    Raises:
        UserError: there is no store, nothing of it can be read, a run is writing it, or the folder cannot be written.
    """
    path = folder / STORE_NAME
    if not path.is_file():
        raise UserError(f"{folder}: there is nothing to recover ({STORE_NAME} is missing)")
    with StoreLock(folder):
        try:
            new = Path(tempfile.mkdtemp(prefix=".recovered-", dir=folder))
            try:
                return _recover(path, new, misplaced)
            finally:
                shutil.rmtree(new, ignore_errors=True)
        except OSError as error:
            raise UserError(f"{folder}: cannot be written: {error.strerror}") from error


def _recover(path: Path, new: Path, misplaced: Misplaced) -> Recovery:
    Store(new).close()
    with (
        explaining(path),
        closing(sqlite3.connect(f"{path.resolve().as_uri()}?mode=ro", uri=True, timeout=PATIENCE_SECONDS)) as old,
        closing(sqlite3.connect(new / STORE_NAME)) as copy,
    ):
        # What cannot be opened in the plain way is damaged, even if all of it can be read as follows.
        opens = _tries(lambda: bool(old.execute("SELECT count(*) FROM sqlite_master").fetchone()), False)
        # Nothing is written. It makes SQLite read a file whose end is missing, or whose list of tables is not quite right.
        old.execute("PRAGMA writable_schema = ON")
        try:
            check_version(old, str(path))
        except sqlite3.Error as error:
            if getattr(error, "sqlite_errorname", "").startswith(DAMAGE):
                raise _hopeless(path, f"its list of tables can't be read: {error}") from error
            raise
        sound = opens and _tries(lambda: old.execute("PRAGMA integrity_check").fetchall(), []) == [("ok",)]
        most = path.stat().st_size // SMALLEST_ROW
        unread = _copy(copy, "matches", _MATCHES, _numbered(old, "matches", _MATCHES, most))
        total = _tries(lambda: _number(old, "SELECT count(*) FROM matches"), 0)
        unread += _copy(copy, "incidents", _INCIDENTS, _numbered(old, "incidents", _INCIDENTS, most))
        for table, columns in _WITHOUT_NUMBERS.items():
            unread += _copy(copy, table, columns, _in_order(old, table, columns))
        unread += _copy_added(old, copy, most)
        copy.commit()
    with Store(new) as store:
        unread += _remove_broken_voids(store)
        replays, broken = _remove_broken(store)
        for key in misplaced(store):
            store.remove(key)
            broken += 1
        matches = len(store.keys())
    lost = max(total - matches, broken)
    if sound and not (unread or lost or replays):
        return Recovery(matches, 0, 0, None)
    if not matches:
        raise _hopeless(path, "no match in it can be read")
    damaged = next(name for number in itertools.count(1) if not (name := path.with_name(f"{STORE_NAME}.damaged-{number}")).exists())
    for ending in FILES:
        source = Path(f"{path}{ending}")
        if source.exists():
            source.rename(f"{damaged}{ending}")
    (new / STORE_NAME).rename(path)
    sync_file(path.parent)
    return Recovery(matches, lost, replays, damaged)


def _hopeless(path: Path, why: str) -> UserError:
    return UserError(f"{path}: {why}; nothing was changed. Move the file to another place and run the tournament again")


def _tries(read: Callable[[], Any], otherwise: Any) -> Any:
    try:
        return read()
    except (sqlite3.Error, UnicodeDecodeError):
        return otherwise


def _number(connection: sqlite3.Connection, query: str) -> int:
    (value,) = connection.execute(query).fetchone()
    return value if isinstance(value, int) else 0


def _select(table: str, columns: Iterable[str]) -> str:
    return f"SELECT {', '.join(columns)} FROM {table}"  # noqa: S608 -- names of this module


def _numbered(old: sqlite3.Connection, table: str, columns: Columns, most: int) -> Iterator[Any]:
    """All rows of a table, each by its number, so that a damaged page costs only its own; None for one that cannot be read."""
    last = min(_tries(lambda: _number(old, _select(table, ("ifnull(max(rowid), 0)",))), most), most)
    query = f"{_select(table, columns)} WHERE rowid = ?"
    for number in range(1, last + 1):
        yield _tries(partial(_row, old, query, number), None)


def _row(old: sqlite3.Connection, query: str, number: int) -> Any:
    return old.execute(query, (number,)).fetchone() or ()


def _in_order(old: sqlite3.Connection, table: str, columns: Columns) -> Iterator[Any]:
    """All rows of a table up to the first one that cannot be read, which is None."""
    rows = _tries(lambda: old.execute(_select(table, columns)), iter(()))
    while (row := _tries(lambda: next(rows, ()), None)) != ():
        yield row
        if row is None:
            return


def _copy(copy: sqlite3.Connection, table: str, columns: Columns, rows: Iterator[Any]) -> int:
    """Put rows with cells of the right kinds into the copy; how many others there were. A number that has no row is ()."""
    unread = 0
    into = f"INSERT OR IGNORE INTO {table} ({', '.join(columns)})"
    query = f"{into} VALUES ({', '.join('?' * len(columns))})"
    for row in rows:
        if row is None or (row and not all(isinstance(cell, kinds) for cell, kinds in zip(row, columns.values(), strict=True))):
            unread += 1
        elif row:
            copy.execute(query, row)
    return unread


def _copy_added(old: sqlite3.Connection, copy: sqlite3.Connection, most: int) -> int:
    """Copy the tables of others (``Store.add_tables``), and forget that there are some where not all could be made again."""
    query = "SELECT name, sql FROM sqlite_master WHERE type = ? AND sql IS NOT NULL AND name NOT LIKE 'sqlite%' ORDER BY rowid"
    own = {name for name, _ in copy.execute(query, ("table",))}
    unread = 0
    tables: list[tuple[str, str]] = []
    try:
        tables = [(name, sql) for name, sql in old.execute(query, ("table",)) if name not in own]
        own_indexes = {name for name, _ in copy.execute(query, ("index",))}
        indexes = [sql for name, sql in old.execute(query, ("index",)) if name not in own_indexes]
        for name, sql in tables:
            copy.execute(sql)
            columns = {row[1]: (str, int, float, bytes, type(None)) for row in copy.execute(f"PRAGMA table_info('{name}')")}
            unread += _copy(copy, name, columns, _numbered(old, name, columns, most))
        for sql in indexes:
            copy.execute(sql)
    except (sqlite3.Error, UnicodeDecodeError):
        # They are made anew by whose they are.
        for name, _ in tables:
            copy.execute(f"DROP TABLE IF EXISTS '{name}'")
        copy.execute("DELETE FROM facts WHERE name LIKE 'tables of %'")
        unread += 1
    return unread


def _remove_broken(store: Store) -> tuple[int, int]:
    """Remove what the store itself refuses to read; how many replays and matches that were."""
    replays = matches = 0
    for key in sorted(store.keys()):
        try:
            store.match(key)
        except UserError:
            matches += 1
            store.remove(key)
            continue
        try:
            store.replay(key)
        except UserError:
            replays += 1
            store.remove_replay(key)
    return replays, matches


def _remove_broken_voids(store: Store) -> int:
    broken = 0
    for key in sorted(store.void_keys()):
        try:
            store.ended(key)
        except UserError:
            broken += 1
            store.remove(key)
    return broken


def misplaced_matches(tournament: Tournament, store: Store) -> list[str]:
    """Keys of the tournament under which the store has another match, as far as the schedule is known."""
    keys: list[str] = []

    def stored(spec: MatchSpec) -> Outcome | None:
        try:
            return store.ended_as(spec)
        except UserError:
            keys.append(spec.place.key)
            return None

    follow(tournament, stored)
    return keys
