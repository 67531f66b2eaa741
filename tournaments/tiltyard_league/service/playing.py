"""Matches of the league: how games become matches with keys, and what becomes of those that have ended."""

from __future__ import annotations

import sqlite3
import time
from collections import Counter, deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Final

from tiltyard_engine.errors import UserError
from tiltyard_engine.match_record import MatchRecord, Outcome
from tiltyard_engine.texts.quantities import counted
from tiltyard_league.database.clock import now
from tiltyard_league.database.database import Database, Row
from tiltyard_league.database.games import RATED, REQUESTED, Games, Seats
from tiltyard_league.database.log_lines import Emit
from tiltyard_league.database.versions import ENABLED
from tiltyard_league.matchmaking.fixtures import Fixtures
from tiltyard_league.rating.fit import Fit
from tiltyard_league.service.active_versions import ActiveVersions
from tiltyard_league.service.game_writing import forget_games, game_writer
from tiltyard_league.service.matches import match_of
from tiltyard_simulator.match.key import KeyMaker
from tiltyard_simulator.match.spec import MatchSpec
from tiltyard_simulator.play.executor import Executor, record_refusal
from tiltyard_simulator.play.failure_watch import FailureWatch
from tiltyard_tournaments.store import Store

MOST_SPOILT: Final = 3
"""A game that the machine spoils so many times counts for nobody."""
REQUEST_EVERY: Final = 10
"""Every so many games at most one was asked for."""
FILL_SECONDS: Final = 0.5
"""So long at most are games handed out at once; then checks and games that have ended are looked at."""
REST_SECONDS: Final = 10.0
"""After a game that can't be played here, for a reason that lies with neither version."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Rerun:
    """A match that staff want to have played again. It stays as it is until that has been done."""

    override: int
    """The number of the wish."""
    key: str
    """Of the match."""
    games: Sequence[Seats]
    """All that were this match: several if teams have equal code."""


@dataclass(frozen=True, slots=True, kw_only=True)
class MatchInFlight:
    """A match that is being played."""

    games: list[Seats]
    """What it is: several games if teams have equal code."""
    spec: MatchSpec
    rerun: Rerun | None = None


@dataclass(slots=True, kw_only=True)
class Playing:
    """The games that are being played, and those that come next for a reason of their own."""

    active_versions: ActiveVersions
    database: Database
    store: Store
    games: Games
    executor: Executor
    fixtures: Fixtures
    emit: Emit
    return_games: deque[Seats] = field(default_factory=deque)
    """The other games of fixtures, and games that the machine spoilt."""
    reruns: deque[Rerun] = field(default_factory=deque)
    in_flight: dict[int, MatchInFlight] = field(default_factory=dict)
    """By the number under which the executor knows them."""
    games_since_fit: int = 0
    """Games since the last fit."""
    has_dropped: bool = False
    """Whether a version stopped playing here since the active versions were last looked at."""
    stopped: str = ""
    """Why no games are begun but those that staff want again: the GameManager has failed in all. Empty: they are begun."""
    _watch: FailureWatch = field(default_factory=FailureWatch)
    _spoil_counts: Counter[str] = field(default_factory=Counter)
    _again: set[str] = field(default_factory=set)
    """Keys of matches that wait to be played again, or are."""
    _replaced: int = 0
    """Matches that were played again since staff's wishes were last looked at."""
    _damaged: set[str] = field(default_factory=set)
    """Keys of matches that are stored but can't be read."""
    _rests_until: float = 0.0
    _number: int = 0
    _requested_at: int = -REQUEST_EVERY
    _keys: KeyMaker = field(default_factory=KeyMaker)

    def fill(self, fit: Fit | None, room: int) -> None:
        """Hand out games while there is room for them."""
        while room > 0 and self.reruns:
            room -= self._begin_again(self.reruns.popleft())
        if self.stopped:
            return
        # A team with code of another one has thousands of games at once that needn't be played.
        until = time.monotonic() + FILL_SECONDS
        # With a version less, another choice may be due.
        while room > 0 and not self.has_dropped and self._rests_until <= time.monotonic() < until:
            seats = self._next(fit)
            if seats is None:
                return
            room -= self._begin(seats)

    def store_finished(self, timeout: float) -> int:
        """Store every match that has finished, after ``timeout`` seconds at the latest; how many these are."""
        results = self.executor.poll(timeout)
        if not results:
            return 0
        with self.store.together():
            finished = [self._store(spec, outcome) for spec, outcome in results]
        # What is said elsewhere about a game is said when the game is on the disk.
        for match, record in finished:
            if record.outcome.is_void:
                # Each is tried again several times: the machine may recover.
                self._retry_later(match, record)
                continue
            self._look_at_failure(match.spec, record.outcome)
            if match.rerun is not None:
                self._settle_rerun(match.rerun, "")
                self._replaced += 1
            self._count(match.games, record.outcome)
            self._spoil_counts.pop(match.spec.place.key, None)
            self._damaged.discard(match.spec.place.key)
        return len(finished)

    def _store(self, spec: MatchSpec, result: MatchRecord | UserError) -> tuple[MatchInFlight, MatchRecord]:
        """Store the outcome of a match; the match as it was begun, and its record."""
        match = self.in_flight.pop(spec.place.number)
        record = record_refusal(spec, result) if isinstance(result, UserError) else result
        for incident in record.outcome.incidents:
            self.store.add_incident(spec.place.key, incident)
        if not record.outcome.is_void:
            keep = self._keep_all(match.games, spec.place.key, record.outcome)
            instead = spec.place.key if spec.place.key in self._damaged else ""
            if match.rerun is not None:
                keep, instead = _instead_of(match.rerun.key, keep), match.rerun.key
            self.store.add(spec.place.key, match.spec, record, keep, instead_of=instead)
        return match, record

    def _look_at_failure(self, spec: MatchSpec, outcome: Outcome) -> None:
        """Begin no more games where the GameManager fails in each one, until one succeeds, such as one that is played again."""
        fault = self._watch.add(spec, outcome)
        if not self.stopped and self._watch.is_hopeless(fault):
            self.stopped = outcome.message
            self.emit("no more games are started: the GameManager failed in all", reason=outcome.message)
        elif self.stopped and self._watch.is_over:
            self.stopped = ""
            self.emit("games are started again")

    def _next(self, fit: Fit | None) -> Seats | None:
        active = self.active_versions.numbers
        players = self.active_versions.league.settings.players
        while self.return_games:
            seats = self.return_games.popleft()
            # A version that no longer plays leaves its fixture half done.
            if seats.kind != RATED or set(seats.versions) <= set(active):
                return seats
        if self._number - self._requested_at >= REQUEST_EVERY and (request := self._next_request(fit)) is not None:
            self._requested_at = self._number
            return request
        candidates = [version for version in active if fit is not None and version in fit.place]
        if fit is None or len(candidates) < players:
            return self._next_request(fit)
        fixture = self.fixtures.choose(candidates, fit, self.active_versions.league.tournament.field.seed)
        if fixture is None:
            # Where there is nothing else to play, nobody has to wait for other games.
            return self._next_request(fit)
        self.return_games.extend(fixture[1:])
        return fixture[0]

    def _next_request(self, fit: Fit | None) -> Seats | None:
        in_flight = {seats.kind for match in self.in_flight.values() for seats in match.games}
        for row in self.database.rows("SELECT * FROM requests WHERE state = 'open' ORDER BY id LIMIT ?", len(in_flight) + 1):
            kind = f"{REQUESTED} {row['id']}"
            if kind not in in_flight:
                seats = Seats(versions=self._versions_of(row, fit), map=row["map"], kind=kind)
                if len(seats.versions) == self.active_versions.league.settings.players:
                    return seats
                self._refuse(seats, "too few teams are playing now for a game with that opponent")
        return None

    def _versions_of(self, request: Row, fit: Fit | None) -> tuple[int, ...]:
        """Who plays in a game that was asked for: the two that it names, and in other seats those rated nearest to the first."""
        own, opponent = int(request["version"]), int(request["opponent"])
        others = {
            version
            for team, version in self.active_versions.active.items()
            if team != request["team"] and version not in (own, opponent)
        }

        def distance(version: int) -> tuple[float, int]:
            is_rated = fit is not None and {own, version} <= fit.place.keys()
            return (abs(fit.chance(own, version) - 0.5) if fit is not None and is_rated else 1.0), version

        more = self.active_versions.league.settings.players - 2
        return own, opponent, *sorted(others, key=distance)[:more]

    def _begin(self, seats: Seats) -> int:
        """Hand a game out, or take its result from a match with the same key; how many workers that takes."""
        self._number += 1
        try:
            spec = self.spec(seats).at(self._number)
        except UserError as error:
            self._refuse(seats, str(error))
            return 0
        # Equal code of another team plays it, or has played it: it would be the same game again.
        same = next((match for match in self.in_flight.values() if match.spec.place.key == spec.place.key), None)
        if same is not None and same.rerun is None:
            same.games.append(seats)
            return 0
        record = self._stored_record(spec.place.key)
        if record is not None:
            self.store.write(self._keep_all([seats], spec.place.key, record))
            self._count([seats], record)
            return 0
        self.in_flight[self._number] = MatchInFlight(games=[seats], spec=spec)
        self.executor.submit(spec)
        return 1

    def _keep_all(self, games: Sequence[Seats], key: str, outcome: Outcome) -> Callable[[sqlite3.Connection], None]:
        """What writes the rows of all games that are one match."""
        at = self.database.time_of_result()
        writers = [game_writer(seats, key, outcome, at) for seats in games]

        def write(connection: sqlite3.Connection) -> None:
            for each in writers:
                each(connection)

        return write

    def _stored_record(self, key: str) -> Outcome | None:
        """What came of a match that is stored, if it can be read; else it will be played, and replaced."""
        try:
            record = self.store.record(key)
        except UserError as error:
            self.emit("stored match can't be read", key=key, reason=str(error))
            self._damaged.add(key)
            return None
        return None if record is None else record.outcome

    def _refuse(self, seats: Seats, reason: str) -> None:
        """Leave out a game that can't be played here, and see to it that it isn't chosen again and again."""
        self._settle_request(seats, "refused", reason)
        self.emit("game refused", versions=list(seats.versions), map=seats.map, reason=reason)
        if seats.kind == RATED:
            if self.active_versions.drop_broken(seats.versions):
                self.has_dropped = True
            else:
                # It may be possible later.
                self._rests_until = time.monotonic() + REST_SECONDS
                self.return_games.appendleft(seats)

    def spec(self, seats: Seats) -> MatchSpec:
        """The match of a game; errors are those of ``match_of``."""
        return match_of(self.active_versions, self._keys, seats)

    def _retry_later(self, match: MatchInFlight, record: MatchRecord) -> None:
        """Have a match played once more that the machine didn't let end; after several times it counts for nobody."""
        key = match.spec.place.key
        self._spoil_counts[key] += 1
        versions = [list(seats.versions) for seats in match.games]
        self.emit("game spoilt", key=key, versions=versions, times=self._spoil_counts[key], why=record.outcome.message)
        if self._spoil_counts[key] >= MOST_SPOILT:
            del self._spoil_counts[key]
            if match.rerun is not None:
                self._settle_rerun(match.rerun, f"the machine failed {MOST_SPOILT} times during it: {record.outcome.message}")
                return
            self.store.add_void(key, record, self._keep_all(match.games, key, record.outcome))
            self._count(match.games, record.outcome)
        elif match.rerun is not None:
            self.reruns.append(match.rerun)
        else:
            self.return_games.extend(match.games)

    def _count(self, games: Sequence[Seats], outcome: Outcome) -> None:
        self.games_since_fit += len(games)
        for seats in games:
            self._settle_request(seats, "played", "")
            if seats.kind == RATED and outcome.faults:
                self.look_at_faults(seats.versions)

    def look_at_faults(self, versions: Sequence[int]) -> None:
        """Disable those of some versions that have failed too often. What has ended since staff enabled one counts again."""
        most = self.active_versions.league.tournament.quarantine
        for version in versions if most else ():
            if self.games.faults_of(version, self._enabled_after(version)) >= most:
                self._quarantine(version, most)

    def _enabled_after(self, version: int) -> int:
        """The number of the newest game when staff enabled a version; 0 if they never did."""
        fact = self.database.fact(ENABLED.format(version))
        return int(fact) if fact.isdigit() else 0

    def see_enabled(self) -> None:
        """Keep after which game staff enabled versions: they wrote the time, but a clock may be set."""
        for row in self.database.rows("SELECT name FROM facts WHERE name LIKE ? AND value LIKE '%-%'", ENABLED.format("%")):
            self.database.set_fact(row["name"], str(self.games.newest()))

    def _quarantine(self, version: int, most: int) -> None:
        """A version that fails again and again no longer plays; the team's version before goes on."""
        reason = f"failed in {counted(most, 'game')}, so it stops playing; the previous version plays again if there is one"
        with self.database.writing():
            number = self.database.changed(
                "UPDATE versions SET state = 'disabled', reason = ? WHERE id = ? AND state = 'accepted'"
                " AND (SELECT kind FROM teams WHERE teams.id = versions.team) = 'student'",
                *(reason, version),
            )
            if number:
                self.database.log("league", "version disabled", version=version, reason=reason)
                self.has_dropped = True
                self.emit("version disabled", version=version, reason=reason)

    def _settle_request(self, seats: Seats, state: str, reason: str) -> None:
        if seats.kind.startswith(f"{REQUESTED} "):
            with self.database.writing():
                self.database.run(
                    "UPDATE requests SET state = ?, reason = ? WHERE id = ?", state, reason, int(seats.kind.rpartition(" ")[2])
                )

    # What staff want

    def apply_overrides(self) -> int:
        """Do what staff want with single matches; how many have changed since this was last asked."""
        changed, self._replaced = self._replaced, 0
        for row in self.database.rows("SELECT * FROM overrides WHERE done_at = '' ORDER BY id"):
            number, key, what = int(row["id"]), str(row["key"]), str(row["what"])
            if key in self._again:
                # Whatever else is wanted of it is meant for the one that will take its place.
                continue
            if what == "rerun" and (games := self.games.of_key(key)):
                seats = [Seats(versions=game.versions, map=game.map, kind=game.kind) for game in games]
                self._again.add(key)
                self.reruns.append(Rerun(override=number, key=key, games=seats))
                continue
            if what != "rerun":
                voided = int(what == "void")
                self.store.write(lambda connection: _set_voided(connection, voided, key))  # noqa: B023 -- called at once
            # Last: if this process ends before, it is done once more, which changes nothing.
            self.settle_override(number)
            self.emit("override applied", key=key, what=what)
            changed += 1
        return changed

    def settle_override(self, number: int) -> None:
        """Write that a wish of the staff has been done."""
        with self.database.writing():
            self.database.run("UPDATE overrides SET done_at = ? WHERE id = ?", now(), number)

    def _begin_again(self, rerun: Rerun) -> int:
        """Hand out a match for the second time, whoever plays now; how many workers that takes."""
        self._number += 1
        try:
            spec = self.spec(rerun.games[0]).at(self._number)
        except UserError as error:
            self._settle_rerun(rerun, str(error))
            return 0
        self.in_flight[self._number] = MatchInFlight(games=list(rerun.games), spec=spec, rerun=rerun)
        self.executor.submit(spec)
        return 1

    def _settle_rerun(self, rerun: Rerun, failed: str) -> None:
        # If this process ends before, it is played once more.
        self.settle_override(rerun.override)
        self._again.discard(rerun.key)
        if failed:
            with self.database.writing():
                self.database.log("league", "game not played again", key=rerun.key, reason=failed)
        self.emit("override applied", key=rerun.key, what="rerun", reason=failed)


def _instead_of(key: str, keep: Callable[[sqlite3.Connection], None]) -> Callable[[sqlite3.Connection], None]:
    """What puts the rows of a match in place of those of the one before, which are there until then."""

    def write(connection: sqlite3.Connection) -> None:
        forget_games(connection, "key = ?", key)
        keep(connection)

    return write


def _set_voided(connection: sqlite3.Connection, voided: int, key: str) -> None:
    connection.execute("UPDATE league_games SET voided = ? WHERE key = ?", (voided, key))
