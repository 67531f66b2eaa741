"""The games of a league, in the tournament's store: which versions played, why, and the result in short.

A game's row is written in the transaction of its match, so neither is ever there without the other. Pages read rows with a limit,
and never all matches.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from tiltyard_engine.errors import UserError
from tiltyard_engine.match_record import Outcome
from tiltyard_engine.results import Termination
from tiltyard_league.database.clock import now
from tiltyard_simulator.match.eligibility import HARMLESS
from tiltyard_tournaments.store import STORE_NAME, Store
from tiltyard_tournaments.store.failures import explaining
from tiltyard_tournaments.store.opening import open_to_read

RATED: Final = "rated"
REQUESTED: Final = "requested"
STEPS: Final = (
    """
    CREATE TABLE league_games (
        place INTEGER PRIMARY KEY,
        key TEXT NOT NULL,
        version_1 INTEGER NOT NULL,
        version_2 INTEGER NOT NULL,
        map TEXT NOT NULL,
        kind TEXT NOT NULL,
        counts INTEGER NOT NULL,
        voided INTEGER NOT NULL,
        winner INTEGER NOT NULL,
        rounds INTEGER NOT NULL,
        fault INTEGER NOT NULL,
        verdict TEXT NOT NULL,
        ended_at TEXT NOT NULL,
        UNIQUE (kind, version_1, version_2, map)
    );
    CREATE INDEX league_games_of_first ON league_games (version_1, place);
    CREATE INDEX league_games_of_second ON league_games (version_2, place);
    CREATE INDEX league_games_by_key ON league_games (key);
    CREATE INDEX league_games_in_time ON league_games (ended_at);
    """,
    """
    ALTER TABLE league_games ADD COLUMN message TEXT NOT NULL DEFAULT '';
    UPDATE league_games SET message = message_of_match(key) WHERE fault = 0;
    """,
)
"""The tables beside the store's own; each step is a transaction, and one that was released is never changed."""
OWNER: Final = "league"


RESULTS: Final = ("won", "tied", "lost")


@dataclass(frozen=True, slots=True, kw_only=True)
class GameChoice:
    """Which games a list has."""

    versions: Sequence[int] | None = None
    """Games in which one of these plays; None: of anybody."""
    against: Sequence[int] | None = None
    """With ``versions``: only those against one of these."""
    map: str = ""
    seat: int = 0
    """With ``versions``: the seat that they have; 0: any."""
    result: str = ""
    """One of RESULTS, as ``versions`` see it, or of anybody; empty: any."""
    only_faults: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Seats:
    """A game before it is played: who meets whom on which map, and why."""

    versions: tuple[int, ...]
    """That of seat 1 first."""
    map: str
    kind: str = RATED

    @property
    def mirrored(self) -> Seats:
        """The seats in the other direction: of two, the other half of the fixture."""
        return Seats(versions=self.versions[::-1], map=self.map, kind=self.kind)


@dataclass(frozen=True, slots=True)
class LeagueGame:
    """A game that was played."""

    place: int
    key: str
    version_1: int
    version_2: int
    map: str
    kind: str
    counts: bool
    voided: bool
    winner: int
    rounds: int
    fault: int
    verdict: str
    """The first fault's kind."""
    ended_at: str
    message: str = ""
    """How it ended, as the GameManager says; empty if there was a fault."""

    @property
    def versions(self) -> tuple[int, int]:
        """The two versions, that of seat 1 first."""
        return self.version_1, self.version_2

    def points_of(self, version: int) -> float:
        """1 for a win, a half for a tie; of a game that counts."""
        return 0.5 if not self.winner else float(self.versions[self.winner - 1] == version)


_COLUMNS: Final = "place, key, version_1, version_2, map, kind, counts, voided, winner, rounds, fault, verdict, ended_at, message"


def game_writer(seats: Seats, key: str, outcome: Outcome, ended_at: str = "") -> Callable[[sqlite3.Connection], None]:
    """What writes a game's row beside its match; to be given to ``Store.add`` or ``Store.add_void``.

    Args:
        seats: who met whom.
        key: of the match.
        outcome: the result.
        ended_at: when it ended; empty: now.
    """
    fault = next((fault for fault in outcome.faults if fault.termination is not Termination.VOID), None)
    row = (
        *(
            key,
            *seats.versions,
            seats.map,
            seats.kind,
            int(outcome.counts and not outcome.is_void),
            0,
            outcome.winner,
            outcome.rounds,
        ),
        *(
            0 if fault is None else fault.seat,
            "" if fault is None else fault.termination.value,
            ended_at or now(),
            message_of(outcome),
        ),
    )

    def write(connection: sqlite3.Connection) -> None:
        columns = _COLUMNS.removeprefix("place, ")
        marks = ", ".join("?" * len(row))
        # A game that staff have played again, or one that was asked for again, takes the place of the one before.
        connection.execute(f"INSERT OR REPLACE INTO league_games ({columns}) VALUES ({marks})", row)  # noqa: S608 -- our own words

    return write


def message_of(outcome: Outcome) -> str:
    """How a match ended, as everybody may know it: the words about a fault are for its own team."""
    return "" if outcome.faults else outcome.message


def open_games(folder: Path) -> Store:
    """The store of a league, to write, with the table of its games.

    Raises:
        UserError: it cannot be written.
    """
    store = Store(folder)

    def message_of_match(key: str) -> str:
        try:
            record = store.record(key)
        except UserError:
            # One match that can't be read is no reason to have no league.
            return ""
        return "" if record is None else message_of(record.outcome)

    store.add_tables(OWNER, STEPS, {"message_of_match": message_of_match})
    return store


def remove_games_without_matches(folder: Path) -> int:
    """After a store was recovered: forget games whose matches are lost, so that they are played again; how many there were.

    Raises:
        UserError: it cannot be written.
    """
    removed: list[int] = []

    def remove(connection: sqlite3.Connection) -> None:
        query = "DELETE FROM league_games WHERE key NOT IN (SELECT key FROM matches UNION ALL SELECT key FROM voids)"
        removed.append(connection.execute(query).rowcount)

    with open_games(folder) as store:
        store.write(remove)
    return removed[0]


class Games:
    """The games, to read. Each method reads no more than it returns.

    Args:
        folder: of the store.
        stays_open: whether one connection is for all queries, until ``close``, in one thread at a time; else each has its own.

    Raises:
        UserError: from every method, if the store cannot be read.
    """

    def __init__(self, folder: Path, *, stays_open: bool = False) -> None:
        self.path = folder / STORE_NAME
        self._stays_open = stays_open
        self._connection: sqlite3.Connection | None = None

    def close(self) -> None:
        """Give the file back."""
        if self._connection is not None:
            self._connection.close()
            self._connection = None

    @contextmanager
    def _open(self) -> Iterator[sqlite3.Connection]:
        with explaining(self.path):
            connection = self._connection
            if connection is None:
                connection = open_to_read(self.path)
            try:
                if self._stays_open:
                    self._connection = connection
                yield connection
            finally:
                if not self._stays_open:
                    connection.close()

    def rows(self, query: str, *values: object) -> list[Any]:
        """All rows of a query; none before the league's first start."""
        if not self.path.is_file():
            return []
        with self._open() as connection:
            return connection.execute(query, values).fetchall()

    def number(self, query: str, *values: object) -> int:
        """The one number of a query."""
        rows = self.rows(query, *values)
        return int(rows[0][0] or 0) if rows else 0

    def _games(self, where: str, *values: object) -> list[LeagueGame]:
        query = f"SELECT {_COLUMNS} FROM league_games {where}"  # noqa: S608 -- our own words
        try:
            return [LeagueGame(*row) for row in self.rows(query, *values)]
        except UserError as error:
            if self.number("SELECT value FROM facts WHERE name = ?", f"tables of {OWNER}") >= len(STEPS):
                raise
            # Columns that aren't there yet are no damage.
            serve = f"'tiltyard league serve {self.path.parent.parent}'"
            raise UserError(f"{self.path}: was written by an older tiltyard; {serve} brings it up to date") from error

    def game(self, place: int) -> LeagueGame | None:
        """A game by its number."""
        return next(iter(self._games("WHERE place = ?", place)), None)

    def games(self, places: range) -> list[LeagueGame]:
        """Those with numbers in a range."""
        return self._games("WHERE place >= ? AND place < ? ORDER BY place", places.start, places.stop)

    def last(self, limit: int, before: int = 0, until: str = "") -> list[LeagueGame]:
        """The newest games, of those before a number, and up to a time; 0 and empty: of all."""
        return self._games(
            "WHERE (?1 = 0 OR place < ?1) AND (?2 = '' OR ended_at <= ?2) ORDER BY place DESC LIMIT ?3", before, until, limit
        )

    def last_of(
        self, versions: list[int], limit: int, before: int = 0, until: str = "", only_faults: bool = False
    ) -> list[LeagueGame]:
        """The newest games of some versions."""
        newest: dict[int, LeagueGame] = {}
        for version in versions:
            for seat in (1, 2):
                faulty = f"AND fault = {seat}" if only_faults else ""
                for game in self._games(
                    f"WHERE version_{seat} = ?1 AND (?2 = 0 OR place < ?2) AND (?3 = '' OR ended_at <= ?3) {faulty}"
                    " ORDER BY place DESC LIMIT ?4",
                    *(version, before, until, limit),
                ):
                    newest[game.place] = game
        return sorted(newest.values(), key=lambda game: -game.place)[:limit]

    def matching(self, choice: GameChoice, limit: int, before: int = 0, until: str = "") -> list[LeagueGame]:
        """The newest games that were asked for, of those before a number, and up to a time; 0 and empty: of all."""
        conditions = ["(?1 = 0 OR place < ?1)", "(?2 = '' OR ended_at <= ?2)"]
        if choice.map:
            conditions.append("map = ?4")
        if choice.only_faults:
            conditions.append("fault != 0")
        if choice.versions is not None:
            own = ", ".join(map(str, choice.versions))
            others = "" if choice.against is None else ", ".join(map(str, choice.against))
            seats = []
            for seat in (1, 2) if not choice.seat else (choice.seat,):
                parts = [f"version_{seat} IN ({own})"]
                if choice.against is not None:
                    parts.append(f"version_{3 - seat} IN ({others})")
                if choice.result:
                    winner = {"won": seat, "tied": 0, "lost": 3 - seat}[choice.result]
                    parts.append(f"winner = {winner} AND counts AND NOT voided")
                seats.append(f"({' AND '.join(parts)})")
            conditions.append(f"({' OR '.join(seats)})")
        elif choice.result:
            conditions.append(f"winner {'=' if choice.result == 'tied' else '!='} 0 AND counts AND NOT voided")
        return self._games(
            f"WHERE {' AND '.join(conditions)} ORDER BY place DESC LIMIT ?3",
            before,
            until,
            limit,
            *([choice.map] if choice.map else []),
        )

    def maps(self) -> list[str]:
        """The maps on which there are games, by name."""
        return [str(name) for (name,) in self.rows("SELECT DISTINCT map FROM league_games ORDER BY map")]

    def between(self, one: int, other: int) -> list[LeagueGame]:
        """The rated games of two versions, by map and seat."""
        return self._games(
            # Two queries in one: of an OR, the index would be used for the kind alone.
            "WHERE kind = 'rated' AND version_1 = ?1 AND version_2 = ?2 UNION ALL"  # noqa: S608 -- our own words
            f" SELECT {_COLUMNS} FROM league_games WHERE kind = 'rated' AND version_1 = ?2 AND version_2 = ?1 ORDER BY map, place",
            *(one, other),
        )

    def of_version(self, version: int) -> list[LeagueGame]:
        """All rated games of a version that count: two on each map with each opponent at most."""
        return self._games(
            "WHERE kind = 'rated' AND counts AND NOT voided AND version_1 = ?1 UNION ALL"  # noqa: S608 -- our own words
            f" SELECT {_COLUMNS} FROM league_games WHERE kind = 'rated' AND counts AND NOT voided AND version_2 = ?1",
            version,
        )

    def of_key(self, key: str) -> list[LeagueGame]:
        """The games that were this match."""
        return self._games("WHERE key = ?", key)

    def faults_of(self, version: int, since: int = 0) -> int:
        """In how many rated games a version failed, of those after the game of a number; void ones are left out."""
        harmless = [termination.value for termination in HARMLESS]
        marks = ", ".join("?" * len(harmless))
        return sum(
            self.number(
                # The column is one of two that are named here.
                f"SELECT count(*) FROM league_games WHERE version_{seat} = ? AND fault = ? AND kind = 'rated' AND NOT voided"  # noqa: S608
                f" AND place > ? AND verdict NOT IN ({marks})",
                *(version, seat, since, *harmless),
            )
            for seat in (1, 2)
        )

    def last_places(self, until: str, without: Sequence[str] = ()) -> dict[int, int]:
        """The newest rated game of each version until a time, apart from those with some keys."""
        places: dict[int, int] = {}
        marks = ", ".join("?" * len(without))
        for seat in (1, 2):
            for version, place in self.rows(
                f"SELECT version_{seat}, max(place) FROM league_games WHERE kind = 'rated' AND ended_at <= ?"  # noqa: S608
                f" AND key NOT IN ({marks}) GROUP BY 1",
                *(until, *without),
            ):
                places[version] = max(place, places.get(version, 0))
        return places

    def with_replays(self, games: Sequence[LeagueGame]) -> set[int]:
        """The numbers of those games whose replays are kept."""
        marks = ", ".join("?" * len(games))
        query = f"SELECT key FROM matches WHERE replay IS NOT NULL AND key IN ({marks})"  # noqa: S608 -- question marks
        keys = {key for (key,) in self.rows(query, *(game.key for game in games))}
        return {game.place for game in games if game.key in keys}

    def counts(self, until: str = "") -> dict[tuple[int, int], tuple[int, int, int]]:
        """Wins of the one, ties and wins of the other of each two versions that met, in order of numbers; rated games alone."""
        tallies: dict[tuple[int, int], list[int]] = {}
        for one, other, winner, number in self.rows(
            "SELECT version_1, version_2, winner, count(*) FROM league_games WHERE kind = 'rated' AND counts AND NOT voided"
            " AND version_1 != version_2 AND (?1 = '' OR ended_at <= ?1) GROUP BY 1, 2, 3",
            until,
        ):
            pair, place = ((one, other), winner) if one < other else ((other, one), 3 - winner if winner else 0)
            tallies.setdefault(pair, [0, 0, 0])[{1: 0, 0: 1, 2: 2}[place]] += number
        return {pair: (wins, ties, losses) for pair, (wins, ties, losses) in sorted(tallies.items())}

    def first_ended(self) -> str:
        """When the first game ended; empty if there is none."""
        rows = self.rows("SELECT ended_at FROM league_games ORDER BY place LIMIT 1")
        return str(rows[0][0]) if rows and rows[0][0] else ""

    def newest(self) -> int:
        """The number of the newest game; 0 if there is none."""
        return self.number("SELECT max(place) FROM league_games")

    def totals(self) -> tuple[int, int]:
        """How many games there are, and how many of them are rated and count."""
        rows = self.rows("SELECT count(*), ifnull(sum(kind = 'rated' AND counts AND NOT voided), 0) FROM league_games")
        return (int(rows[0][0]), int(rows[0][1])) if rows else (0, 0)

    def fixtures(self) -> Iterator[tuple[int, int, str]]:
        """Seats and maps of all rated games, also of those that count for nobody, in the order in which they were played."""
        yield from self.rows("SELECT version_1, version_2, map FROM league_games WHERE kind = 'rated' ORDER BY place")
