"""Putting matches in and getting them out: one transaction a match."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Final, TypeVar

import msgspec

from tiltyard_engine.errors import UserError
from tiltyard_engine.replay import Replay
from tiltyard_simulator.kept_replays import pack, unpack
from tiltyard_simulator.specs import MatchOutcome, MatchSpec
from tiltyard_tournaments.store.schema import bring_up_to_date

STORE_NAME: Final = "tournament.sqlite"
PATIENCE_SECONDS: Final = 10.0
"""How long to wait for somebody who reads or writes at the same moment."""
T = TypeVar("T")

_ADD: Final = """
    INSERT OR IGNORE INTO matches
    (place, key, game, manager, map, teams, seed, held, faults, seconds, played_at, spec, outcome, replay)
    VALUES ((SELECT ifnull(max(place), 0) + 1 FROM matches), ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
"""
_ONE: Final = "SELECT key, spec, outcome, played_at, replay IS NOT NULL FROM matches WHERE key = ?"
_ENCODER: Final = msgspec.msgpack.Encoder()
_SPECS: Final = msgspec.msgpack.Decoder(MatchSpec)
_OUTCOMES: Final = msgspec.msgpack.Decoder(MatchOutcome)


@dataclass(frozen=True, slots=True)
class StoredMatch:
    """A match as it lies in the store; its replay is read when it is wanted."""

    key: str
    spec: MatchSpec
    outcome: MatchOutcome
    played_at: str
    """ISO 8601, UTC."""
    has_replay: bool


@dataclass(frozen=True, slots=True)
class EntryRow:
    """What a team was asked before it played."""

    team: str
    """Its registered name."""
    test: str
    """The test's name; ``name`` where it was asked for its own."""
    passed: bool
    said: str
    """What came of it, or the name."""


class Store:
    """The store in a tournament's folder.

    Args:
        folder: the tournament's output folder.
        writable: whether it is made if it is missing, and brought up to date if it is old.

    Raises:
        UserError: from every method, if the file cannot be read or written: what, where, and what to do.
    """

    def __init__(self, folder: Path, writable: bool = True) -> None:
        self.path = folder / STORE_NAME
        if not writable and not self.path.is_file():
            raise UserError(f"{folder}: nothing has been played there yet ({STORE_NAME} is missing)")
        with self._explaining():
            mode = "rwc" if writable else "ro"
            address = f"{self.path.resolve().as_uri()}?mode={mode}"
            self._connection = sqlite3.connect(address, uri=True, timeout=PATIENCE_SECONDS, isolation_level=None)
            try:
                self._prepare(writable)
            except BaseException:
                self._connection.close()
                raise

    def _prepare(self, writable: bool) -> None:
        self._has_voids = self._has_entries = True
        if writable:
            bring_up_to_date(self._connection, str(self.path))
            # A killed process loses nothing that was committed; a power cut may lose the last matches, never the file.
            self._connection.execute("PRAGMA journal_mode = WAL")
            self._connection.execute("PRAGMA synchronous = NORMAL")
        else:
            self._connection.execute("SELECT count(*) FROM matches").fetchone()
            # An older store that is only looked at stays as it is.
            self._has_voids, self._has_entries = (
                bool(self._connection.execute("SELECT 1 FROM sqlite_master WHERE name = ?", (table,)).fetchone())
                for table in ("voids", "entries")
            )

    def __enter__(self) -> Store:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Give the file back."""
        self._connection.close()

    # Facts about the tournament as a whole

    def set_fact(self, name: str, value: str) -> None:
        """Remember something, such as the tournament's title."""
        with self._explaining():
            self._connection.execute("INSERT OR REPLACE INTO facts VALUES (?, ?)", (name, value))

    def facts(self) -> dict[str, str]:
        """All that is remembered."""
        with self._explaining():
            return dict(self._connection.execute("SELECT name, value FROM facts ORDER BY name").fetchall())

    # What teams are asked before they play

    def add_entry(self, key: str, team: str, test: str, passed: bool, said: str) -> None:
        """Keep what came of a question."""
        with self._explaining():
            row = (key, team, test, passed, said, _now())
            self._connection.execute("INSERT OR REPLACE INTO entries VALUES (?, ?, ?, ?, ?, ?)", row)

    def entry(self, key: str) -> EntryRow | None:
        """What came of it; None if it was not asked."""
        if not self._has_entries:
            return None
        with self._explaining():
            row = self._connection.execute("SELECT team, test, passed, said FROM entries WHERE key = ?", (key,)).fetchone()
        return None if row is None else EntryRow(row[0], row[1], bool(row[2]), row[3])

    def entries(self) -> list[EntryRow]:
        """All of them, by team and test."""
        if not self._has_entries:
            return []
        with self._explaining():
            rows = self._connection.execute("SELECT team, test, passed, said FROM entries ORDER BY team, test, key").fetchall()
        return [EntryRow(row[0], row[1], bool(row[2]), row[3]) for row in rows]

    # Matches

    def add(self, key: str, spec: MatchSpec, outcome: MatchOutcome) -> None:
        """Keep a match that was played. One of the same key stays as it is: it was reported already.

        A replay that cannot be written, as its GameManager recorded what is no board, is left out with an incident that says so.
        """
        replay = self._packed(key, outcome.replay) if outcome.replay is not None else None
        plain = replace(outcome, replay=None)
        faults = sum(1 for fault in outcome.faults if fault.seat)
        texts = (spec.game.name, spec.manager.name, spec.map.name, json.dumps(spec.names), spec.seed, "; ".join(outcome.held))
        row = (key, *texts, faults, outcome.seconds, _now(), _ENCODER.encode(spec), _ENCODER.encode(plain), replay)
        with self._explaining(), self._at_once():
            self._connection.execute(_ADD, row)
            self._connection.execute("DELETE FROM voids WHERE key = ?", (key,))

    def add_void(self, key: str, outcome: MatchOutcome) -> None:
        """Keep that the machine did not let a match come to an end, until it was played."""
        with self._explaining():
            row = (key, _now(), _ENCODER.encode(replace(outcome, replay=None)))
            self._connection.execute("INSERT OR REPLACE INTO voids VALUES (?, ?, ?)", row)

    def add_incident(self, key: str, what: str) -> None:
        """Keep what the machine did to a match, whether that was played in the end or not."""
        with self._explaining():
            self._connection.execute("INSERT INTO incidents (key, seen_at, what) VALUES (?, ?, ?)", (key, _now(), what))

    def incidents(self) -> list[tuple[str, str, str]]:
        """(key, when, what), in the order seen."""
        with self._explaining():
            return self._connection.execute("SELECT key, seen_at, what FROM incidents ORDER BY place").fetchall()

    def keys(self) -> set[str]:
        """The keys of all matches that were played."""
        with self._explaining():
            return {key for (key,) in self._connection.execute("SELECT key FROM matches")}

    def stamp(self) -> tuple[int, int, int]:
        """How many matches, spoilt ones and entries there are: changes when one is added; quick, however many there are."""
        with self._explaining():
            (matches,) = self._connection.execute("SELECT ifnull(max(place), 0) FROM matches").fetchone()
            voids = self._connection.execute("SELECT count(*) FROM voids").fetchone()[0] if self._has_voids else 0
            entries = self._connection.execute("SELECT count(*) FROM entries").fetchone()[0] if self._has_entries else 0
        return int(matches), int(voids), int(entries)

    def replayed(self) -> set[str]:
        """The keys of all matches with a replay."""
        with self._explaining():
            return {key for (key,) in self._connection.execute("SELECT key FROM matches WHERE replay IS NOT NULL")}

    def outcome(self, key: str) -> MatchOutcome | None:
        """What came of a match, without its replay; None if it was not played."""
        with self._explaining():
            row = self._connection.execute("SELECT outcome FROM matches WHERE key = ?", (key,)).fetchone()
        return None if row is None else self._decode(_OUTCOMES, row[0], key)

    def ended(self, key: str) -> MatchOutcome | None:
        """What came of a match, also if the machine spoilt it; None if it was not tried."""
        outcome = self.outcome(key)
        if outcome is not None or not self._has_voids:
            return outcome
        with self._explaining():
            row = self._connection.execute("SELECT outcome FROM voids WHERE key = ?", (key,)).fetchone()
        return None if row is None else self._decode(_OUTCOMES, row[0], key)

    def replay(self, key: str) -> Replay | None:
        """A match's replay; None if it has none."""
        with self._explaining():
            row = self._connection.execute("SELECT replay FROM matches WHERE key = ?", (key,)).fetchone()
        if row is None or row[0] is None:
            return None
        return unpack(row[0], f"{self.path}: the replay of match {key}")

    def matches(self, keys: Iterable[str] | None = None) -> Iterator[StoredMatch]:
        """Matches by their keys, in that order; without keys all, in the order in which they were stored."""
        with self._explaining():
            wanted = (
                [key for (key,) in self._connection.execute("SELECT key FROM matches ORDER BY place")] if keys is None else keys
            )
            for key in wanted:
                row = self._connection.execute(_ONE, (key,)).fetchone()
                if row is not None:
                    spec, outcome = self._decode(_SPECS, row[1], key), self._decode(_OUTCOMES, row[2], key)
                    yield StoredMatch(row[0], spec, outcome, row[3], bool(row[4]))

    # Encoding

    def _packed(self, key: str, replay: Replay) -> bytes | None:
        try:
            return pack(replay)
        except UserError as error:
            self.add_incident(key, str(error))
            return None

    def _decode(self, decoder: msgspec.msgpack.Decoder[T], data: bytes, key: str) -> T:
        try:
            return decoder.decode(data)
        except msgspec.DecodeError as error:
            raise UserError(f"{self.path}: match {key} is damaged: {error}") from error

    @contextmanager
    def _at_once(self) -> Iterator[None]:
        """All of it or nothing."""
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
    def _explaining(self) -> Iterator[None]:
        try:
            yield
        except sqlite3.Error as error:
            raise UserError(f"{self.path}: {_explain(error)}") from error


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="milliseconds")


_EXPLANATIONS: Final[tuple[tuple[str, str], ...]] = (
    ("SQLITE_FULL", "cannot be written: the disk is full; what was stored before is safe. Make room and run it again"),
    ("SQLITE_READONLY", "cannot be written: it, or its folder, is read-only"),
    ("SQLITE_CANTOPEN", "cannot be opened: is its folder there, and may it be written?"),
    ("SQLITE_BUSY", f"another process has kept it locked for {PATIENCE_SECONDS:.0f} s"),
    ("SQLITE_NOTADB", "is no SQLite database"),
    ("SQLITE_CORRUPT", "is damaged; 'sqlite3 FILE .recover' may save what is in it"),
    ("SQLITE_IOERR", "cannot be read or written: the disk failed, or is full"),
)
"""The beginning of SQLite's error name, and what to tell."""


def _explain(error: sqlite3.Error) -> str:
    name = getattr(error, "sqlite_errorname", "")
    return next((text for begin, text in _EXPLANATIONS if name.startswith(begin)), f"{error} ({name or type(error).__name__})")
