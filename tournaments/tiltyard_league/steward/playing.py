"""Matches of the league: how games become matches with keys, and what becomes of those that have ended."""

from __future__ import annotations

import hashlib
from collections import Counter, deque
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Any, Final

from tiltyard_engine.errors import UserError
from tiltyard_engine.match_record import MatchRecord
from tiltyard_league.choosing.fixtures import Fixtures
from tiltyard_league.rating.fit import Fit
from tiltyard_league.records.database import Database, now
from tiltyard_league.records.games import RATED, REQUESTED, Seats, keep_game
from tiltyard_league.steward.lineup import Lineup
from tiltyard_simulator.match.key import KeyMaker
from tiltyard_simulator.match.spec import MatchSpec
from tiltyard_simulator.play.executors import FedExecutor
from tiltyard_simulator.play.quarantine import HARMLESS
from tiltyard_simulator.play.refusals import record_refusal
from tiltyard_tournaments.formats.conditions import match_seed
from tiltyard_tournaments.store import Store

MOST_SPOILT: Final = 3
"""A game that the machine spoils so many times counts for nobody."""
REQUEST_EVERY: Final = 10
"""Every so many games at most one was asked for."""
Tell = Callable[..., None]


@dataclass(slots=True, kw_only=True)
class Playing:
    """The games that are being played, and those that come next for a reason of their own."""

    lineup: Lineup
    database: Database
    store: Store
    executor: FedExecutor
    fixtures: Fixtures
    tell: Tell
    halves: deque[Seats] = field(default_factory=deque)
    """Second halves of fixtures, and games to be played again."""
    flying: dict[int, tuple[Seats, MatchSpec]] = field(default_factory=dict)
    """By the number under which the executor knows them."""
    faults: Counter[int] = field(default_factory=Counter)
    """Games in which each version failed."""
    ended: int = 0
    """Games since the last fit."""
    has_disabled: bool = False
    """Whether a version was disabled here since the lineup was last looked at."""
    _spoilt: Counter[str] = field(default_factory=Counter)
    _number: int = 0
    _requested_at: int = -REQUEST_EVERY
    _keys: KeyMaker = field(default_factory=KeyMaker)

    def fill(self, fit: Fit | None, room: int) -> None:
        """Hand out games while there is room for them."""
        while room > 0 and (seats := self._next(fit)) is not None:
            room -= self._begin(seats)

    def poll(self, timeout: float) -> int:
        """Keep what has ended; how many games that are."""
        played = self.executor.poll(timeout)
        for spec, came in played:
            seats, _ = self.flying.pop(spec.place)
            self._end(seats, spec, record_refusal(spec, came) if isinstance(came, UserError) else came)
        return len(played)

    def _next(self, fit: Fit | None) -> Seats | None:
        active = self.lineup.versions
        while self.halves:
            seats = self.halves.popleft()
            # A version that plays no more leaves its fixture half done.
            if seats.kind != RATED or set(seats.versions) <= set(active):
                return seats
        if self._number - self._requested_at >= REQUEST_EVERY and (asked := self._requested()) is not None:
            self._requested_at = self._number
            return asked
        known = [version for version in active if fit is not None and version in fit.place]
        if fit is None or len(known) < 2:
            return None
        chosen = self.fixtures.choose(known, fit, self.lineup.league.tournament.field.seed)
        if chosen is None:
            return None
        self.halves.append(chosen[1])
        return chosen[0]

    def _requested(self) -> Seats | None:
        flying = {seats.kind for seats, _ in self.flying.values()}
        for row in self.database.rows("SELECT * FROM requests WHERE state = 'open' ORDER BY id LIMIT 20"):
            kind = f"{REQUESTED} {row['id']}"
            if kind not in flying:
                return Seats(versions=(row["version"], row["opponent"]), map=row["map"], kind=kind)
        return None

    def _begin(self, seats: Seats) -> int:
        """Hand a game out, or take its result from a match with the same key; how many workers that takes."""
        self._number += 1
        try:
            spec = replace(self.spec(seats), place=self._number)
        except (UserError, KeyError) as error:
            self._settle_request(seats, "refused", str(error))
            self.tell("game refused", versions=list(seats.versions), map=seats.map, reason=str(error))
            return 0
        known = self.store.record(spec.key)
        if known is not None:
            # Equal code of another team has played it: it would be the same game again.
            self.store.write(keep_game(seats, spec.key, known))
            self._count(seats, known)
            return 0
        self.flying[self._number] = seats, spec
        self.executor.submit(spec)
        return 1

    def spec(self, seats: Seats) -> MatchSpec:
        """The match of a game. Its seed follows from its map alone.

        Raises:
            KeyError: a version or the map is gone.
            UserError: files of a version cannot be read, or this machine cannot confine it.
        """
        tournament = self.lineup.league.tournament
        maps = {source.name: source for source in tournament.maps}
        source = maps[seats.map]
        spec = MatchSpec(
            game=tournament.game,
            manager=tournament.manager,
            map=source,
            algorithms=tuple(self.lineup.reference(version) for version in seats.versions),
            seed=match_seed(tournament.field.seed, hashlib.blake2b(source.data).hexdigest(), 0),
            record=True,
            on_crash=tournament.on_crash,
            stage="" if seats.kind == RATED else REQUESTED,
        )
        return self._keys.with_key(tournament.isolation_policy.apply(spec))

    def _end(self, seats: Seats, spec: MatchSpec, record: MatchRecord) -> None:
        for incident in record.incidents:
            self.store.add_incident(spec.key, incident)
        if record.is_void:
            self._spoilt[spec.key] += 1
            self.tell("game spoilt", key=spec.key, versions=list(seats.versions), times=self._spoilt[spec.key], why=record.message)
            if self._spoilt[spec.key] < MOST_SPOILT:
                self.halves.append(seats)
                return
            self.store.add_void(spec.key, record, keep_game(seats, spec.key, record))
        else:
            self.store.add(spec.key, spec, record, keep_game(seats, spec.key, record))
        self._count(seats, record)

    def _count(self, seats: Seats, record: MatchRecord) -> None:
        self.ended += 1
        self._settle_request(seats, "played", "")
        for fault in record.faults:
            if fault.seat and fault.termination not in HARMLESS:
                version = seats.versions[fault.seat - 1]
                self.faults[version] += 1
                most = self.lineup.league.tournament.quarantine
                if most and self.faults[version] == most:
                    self._quarantine(version, most)

    def _quarantine(self, version: int, most: int) -> None:
        """A version that fails again and again plays no more; the team's version before goes on."""
        reason = f"failed in {most} games, so it stops playing; the version before it keeps playing if there is one"
        with self.database.writing():
            number = self.database.changed(
                "UPDATE versions SET state = 'disabled', reason = ? WHERE id = ? AND state = 'accepted'"
                " AND (SELECT kind FROM teams WHERE teams.id = versions.team) = 'student'",
                *(reason, version),
            )
            if number:
                self.database.log("league", "version disabled", version=version, reason=reason)
                self.has_disabled = True
                self.tell("version disabled", version=version, reason=reason)

    def _settle_request(self, seats: Seats, state: str, reason: str) -> None:
        if seats.kind.startswith(f"{REQUESTED} "):
            with self.database.writing():
                self.database.run(
                    "UPDATE requests SET state = ?, reason = ? WHERE id = ?", state, reason, int(seats.kind.rpartition(" ")[2])
                )

    # What staff want

    def apply_overrides(self) -> int:
        """Do what staff want with single matches; how many wishes there were."""
        rows = self.database.rows("SELECT * FROM overrides WHERE done_at = '' ORDER BY id")
        for row in rows:
            key, what = str(row["key"]), str(row["what"])
            if what == "rerun":
                self._play_again(key)
            else:
                voided = int(what == "void")
                self.store.write(lambda connection: _set_voided(connection, voided, key))  # noqa: B023 -- called at once
            # Last: if this process ends before, it is done once more, which changes nothing.
            with self.database.writing():
                self.database.run("UPDATE overrides SET done_at = ? WHERE id = ?", now(), row["id"])
            self.tell("override applied", key=key, what=what)
        return len(rows)

    def _play_again(self, key: str) -> None:
        found: list[tuple[int, int, str, str]] = []

        def forget(connection: Any) -> None:
            query = "SELECT version_1, version_2, map, kind FROM league_games WHERE key = ?"
            found.extend(connection.execute(query, (key,)).fetchall())
            connection.execute("DELETE FROM league_games WHERE key = ?", (key,))

        self.store.remove(key, forget)
        for one, other, game_map, kind in found:
            self.halves.appendleft(Seats(versions=(one, other), map=game_map, kind=kind))


def _set_voided(connection: Any, voided: int, key: str) -> None:
    connection.execute("UPDATE league_games SET voided = ? WHERE key = ?", (voided, key))
