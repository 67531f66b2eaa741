"""Putting matches in and getting them out: one transaction a match."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Final, TypeVar

import msgspec

from tiltyard_engine.data_classes import dataclass
from tiltyard_engine.match_record import MatchRecord, Outcome
from tiltyard_engine.replay import Replay
from tiltyard_simulator.match.spec import MatchSpec
from tiltyard_simulator.output.spec_form import SpecForm, form_of
from tiltyard_simulator.replays.files import unpack
from tiltyard_tournaments.store.contradictions import contradiction, of_another_match
from tiltyard_tournaments.store.failures import contradictory, damaged
from tiltyard_tournaments.store.row_form import RESULTS, SPECS, StoredResult, StoredSpec, columns_of, result_bytes
from tiltyard_tournaments.store.store_file import Also, StoreFile, now

T = TypeVar("T")

_ADD: Final = """
    INSERT OR IGNORE INTO matches
    (place, key, game, manager, map, teams, seed, held, faults, seconds, played_at, spec, outcome, replay)
    VALUES ((SELECT ifnull(max(place), 0) + 1 FROM matches), ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
"""
_ONE: Final = """
    SELECT game, manager, map, teams, seed, held, faults, spec, outcome, played_at, replay IS NOT NULL FROM matches WHERE key = ?
"""
_ONE_TYPES: Final = (str, str, str, str, int, str, int, bytes, bytes, str, int)
_ENCODER: Final = msgspec.msgpack.Encoder()
_WHOLE_SPECS: Final = msgspec.msgpack.Decoder(SpecForm)


@dataclass(frozen=True, slots=True)
class StoredMatch:
    """A match as it lies in the store; its replay is read when it is wanted."""

    key: str
    spec: MatchSpec
    record: MatchRecord
    played_at: str
    """ISO 8601, UTC."""
    has_replay: bool


class Store(StoreFile):
    """The store in a tournament's folder.

    Raises:
        UserError: from every method, if the file cannot be read or written: what, where, and what to do.
    """

    def add(self, key: str, spec: MatchSpec, record: MatchRecord, also: Also | None = None, *, instead_of: str = "") -> None:
        """Keep a match that was played. One of the same key stays as it is: it was reported already.

        A replay that cannot be written, as its GameManager recorded what is no board, is left out with an incident that says so.

        Args:
            key: the match's key.
            spec: the match.
            record: the result.
            also: called with the connection in the same transaction: what it writes is there with the match, or neither is.
            instead_of: the key of a match, or this one's, that is forgotten in the same transaction.
        """
        outcome, evidence = record.outcome, record.evidence
        columns = columns_of(spec.input, outcome.held, outcome.faults)
        row = (
            key,
            *columns,
            outcome.seconds,
            now(),
            _ENCODER.encode(form_of(spec)),
            result_bytes(record),
            evidence.replay or None,
        )
        if evidence.replay_problem:
            self.add_incident(key, evidence.replay_problem)
        with self._writing(), self._at_once():
            self._connection.execute("DELETE FROM matches WHERE key = ?", (instead_of,))
            self._connection.execute("DELETE FROM voids WHERE key IN (?, ?)", (instead_of, key))
            self._connection.execute(_ADD, row)
            if also is not None:
                also(self._connection)

    def add_void(self, key: str, record: MatchRecord, also: Also | None = None) -> None:
        """Keep that the machine did not let a match come to an end, until it was played; ``also`` as of ``add``."""
        with self._writing(), self._at_once():
            row = (key, now(), result_bytes(record))
            self._connection.execute("INSERT OR REPLACE INTO voids VALUES (?, ?, ?)", row)
            if also is not None:
                also(self._connection)

    def add_incident(self, key: str, what: str) -> None:
        """Keep what the machine did to a match, whether that was played in the end or not."""
        with self._writing():
            self._connection.execute("INSERT INTO incidents (key, seen_at, what) VALUES (?, ?, ?)", (key, now(), what))

    def incidents(self) -> list[tuple[str, str, str]]:
        """(key, when, what), in the order seen."""
        return self._rows((str, str, str), "SELECT key, seen_at, what FROM incidents ORDER BY place")

    def keys(self) -> set[str]:
        """The keys of all matches that were played."""
        return {key for (key,) in self._rows((str,), "SELECT key FROM matches")}

    def void_keys(self) -> set[str]:
        """The keys of all matches that the machine spoilt."""
        return {key for (key,) in self._rows((str,), "SELECT key FROM voids")} if self._has_voids else set()

    def stamp(self) -> tuple[int, int, int]:
        """How many matches, spoilt ones, and entries and changes of decisions there are; quick, however many there are."""
        with self._explaining():
            (matches,) = self._connection.execute("SELECT ifnull(max(place), 0) FROM matches").fetchone()
            voids = self._connection.execute("SELECT count(*) FROM voids").fetchone()[0] if self._has_voids else 0
            entries = self._connection.execute("SELECT count(*) FROM entries").fetchone()[0] if self._has_entries else 0
            query = "SELECT count(*) + ifnull(sum(taken_back_at != ''), 0) FROM decisions"
            decisions = self._connection.execute(query).fetchone()[0] if self._has_decisions else 0
        return int(matches), int(voids), int(entries) + int(decisions)

    def period(self) -> tuple[str, str]:
        """When the first and the last match were added, in ISO 8601 with the time zone; empty if there is none."""
        with self._explaining():
            first, last = self._connection.execute("SELECT min(played_at), max(played_at) FROM matches").fetchone()
        return str(first or ""), str(last or "")

    def keys_after(self, stamp: int) -> set[str]:
        """The keys of all matches that were kept after a ``stamp``, of which this is the first number; 0: of all."""
        with self._explaining():
            rows = self._connection.execute("SELECT key FROM matches WHERE place > ?", (stamp,)).fetchall()
        return {str(key) for (key,) in rows}

    def replayed(self) -> set[str]:
        """The keys of all matches with a replay."""
        return {key for (key,) in self._rows((str,), "SELECT key FROM matches WHERE replay IS NOT NULL")}

    def record(self, key: str, *, with_replay: bool = False) -> MatchRecord | None:
        """The result of a match; None if it was not played."""
        row = self._row(key)
        if row is None:
            return None
        return row[1].record(self.replay_bytes(key) if with_replay else b"")

    def ended(self, key: str) -> MatchRecord | None:
        """The result of a match, also if the machine failed in it; None if it was not tried."""
        return self.record(key) or _record(self._void(key))

    def ended_as(self, spec: MatchSpec) -> Outcome | None:
        """The outcome of a match of a schedule under its key; None if it was not tried. Another match under its key is an error."""
        result = self._ended_as(spec)
        return None if result is None else result.outcome

    def record_as(self, spec: MatchSpec) -> MatchRecord | None:
        """All that is known of such a match, without its replay."""
        return _record(self._ended_as(spec))

    def _ended_as(self, spec: MatchSpec) -> StoredResult | None:
        row = self._row(spec.place.key)
        if row is None:
            return self._void(spec.place.key)
        names, result = row
        if differs := of_another_match(names, spec.input):
            raise contradictory(self.path, _match_in_words(spec.place.key, names), differs, needs_file=True)
        return result

    def _row(self, key: str) -> tuple[StoredSpec, StoredResult] | None:
        for *columns, spec, outcome, _, _ in self._rows(_ONE_TYPES, _ONE, key):
            names, result = self._decode(SPECS, spec, key), self._decode(RESULTS, outcome, key)
            self._check(key, tuple(columns), names, result)
            return names, result
        return None

    def _void(self, key: str) -> StoredResult | None:
        rows = self._rows((bytes,), "SELECT outcome FROM voids WHERE key = ?", key) if self._has_voids else []
        if not rows:
            return None
        result = self._decode(RESULTS, rows[0][0], key)
        if not result.is_void:
            raise contradictory(self.path, f"match {key}", "it was played, but is stored as spoilt by the machine")
        return result

    def _check(self, key: str, columns: tuple[object, ...], spec: SpecForm | StoredSpec, result: StoredResult) -> None:
        if contradicts := contradiction(key, columns, spec, result):
            raise contradictory(self.path, _match_in_words(key, spec), contradicts)

    def replay(self, key: str) -> Replay | None:
        """A match's replay; None if it has none."""
        data = self.replay_bytes(key)
        return unpack(data, f"{self.path}: the replay of match {key}") if data else None

    def replay_bytes(self, key: str) -> bytes:
        """A match's replay as it is stored, compressed; empty if it has none."""
        rows = self._rows((bytes,), "SELECT replay FROM matches WHERE key = ? AND replay IS NOT NULL", key)
        return bytes(rows[0][0]) if rows else b""

    def matches(self) -> Iterator[StoredMatch]:
        """All matches in the order in which they were stored, read one by one."""
        for (key,) in self._rows((str,), "SELECT key FROM matches ORDER BY place"):
            match = self.match(key)
            if match is not None:
                yield match

    def match(self, key: str) -> StoredMatch | None:
        """A match with all that is known of it; None if it was not played."""
        for *columns, packed, outcome, played_at, has_replay in self._rows(_ONE_TYPES, _ONE, key):
            spec, result = self._decode(_WHOLE_SPECS, packed, key), self._decode(RESULTS, outcome, key)
            self._check(key, tuple(columns), spec, result)
            return StoredMatch(key, spec.spec, result.record(), played_at, bool(has_replay))
        return None

    def specs(self, keys: Iterable[str]) -> list[tuple[str, StoredSpec]]:
        """Of those of these matches that were played, in the order in which they were stored: key, and with which code."""
        query = "SELECT place, spec FROM matches WHERE key = ?"
        rows = sorted((*row, key) for key in keys for row in self._rows((int, bytes), query, key))
        return [(key, self._decode(SPECS, spec, key)) for _, spec, key in rows]

    def remove(self, key: str, also: Also | None = None) -> None:
        """Forget a match, so that the next run plays it again; ``also`` as of ``add``."""
        with self._writing(), self._at_once():
            self._connection.execute("DELETE FROM matches WHERE key = ?", (key,))
            self._connection.execute("DELETE FROM voids WHERE key = ?", (key,))
            if also is not None:
                also(self._connection)

    def remove_replay(self, key: str) -> None:
        """Forget a match's replay."""
        with self._writing():
            self._connection.execute("UPDATE matches SET replay = NULL WHERE key = ?", (key,))

    def _decode(self, decoder: msgspec.msgpack.Decoder[T], data: bytes, key: str) -> T:
        try:
            return decoder.decode(data)
        except (msgspec.DecodeError, ValueError, TypeError, RecursionError) as error:
            # Also what is no text, or no bytes at all.
            raise damaged(self.path, f"match {key}: {error}") from error


def _record(result: StoredResult | None) -> MatchRecord | None:
    return None if result is None else result.record()


def _match_in_words(key: str, spec: SpecForm | StoredSpec) -> str:
    return f"match {key} ({' - '.join(spec.names)} on {spec.map.name})"
