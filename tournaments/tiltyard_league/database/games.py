"""The games of a league, in the tournament's store: which versions played, why, and the result in short.

Games of any number of versions, two among them, are rows of one table. Pages read rows with a limit, and never all matches.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path
from typing import Any, Final

import msgspec

from tiltyard_engine.errors import UserError
from tiltyard_simulator.match.eligibility import HARMLESS
from tiltyard_tournaments.ratings.counts import order_of
from tiltyard_tournaments.store import STORE_NAME
from tiltyard_tournaments.store.failures import explaining
from tiltyard_tournaments.store.opening import open_to_read

OWNER: Final = "league"
STEPS: Final = tuple(
    files(__package__).joinpath("migrations", "games", name).read_text(encoding="utf-8")
    for name in ("1-games.sql", "2-messages.sql", "3-seats.sql")
)
"""Of the tables beside the tournament's own in its store; each is a transaction, and one that was released is never changed."""
RATED: Final = "rated"
REQUESTED: Final = "requested"
RESULTS: Final = ("won", "tied", "lost")
"""Alone in the first place, sharing it, and any other place."""
COLUMNS: Final = "place, key, versions, map, kind, counts, voided, winner, ranks, rounds, fault, faults, verdict, ended_at, message"
_RATED: Final = "+kind = 'rated'"
"""With the sign the index by kind, versions and map isn't used: nearly all games are rated."""
_NUMBERS: Final = msgspec.json.Decoder(tuple[int, ...])
_TALLY: Final = msgspec.json.Decoder(list[tuple[tuple[int, ...], tuple[int, ...], int]])
_TEXTS: Final = msgspec.json.Decoder(tuple[str, ...])


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
    """Its number."""
    key: str
    versions: tuple[int, ...]
    """Who played, that of seat 1 first."""
    map: str
    kind: str
    counts: bool
    voided: bool
    winner: int
    """The seat that is alone in the first place; 0: several share it."""
    ranks: tuple[int, ...]
    """The place of each seat: 1 is best, and equal places are shared."""
    rounds: int
    fault: int
    """The seat that failed first; 0: none did."""
    faults: tuple[str, ...]
    """The kind of each seat's fault; empty: it had none."""
    verdict: str
    """The first fault's kind."""
    ended_at: str
    message: str = ""
    """How it ended, as the GameManager says; empty if there was a fault."""

    @property
    def has_result(self) -> bool:
        """Whether it counts for the ratings, and was not voided."""
        return self.counts and not self.voided

    @property
    def order(self) -> tuple[tuple[int, ...], ...]:
        """The versions as they finished: groups of those that share a place, the best first."""
        return order_of(self.versions, self.ranks)

    def rank_of(self, version: int) -> int:
        """The place of a version that played."""
        return self.ranks[self.versions.index(version)]

    def points_of(self, version: int) -> float:
        """The share of the others that a version came before, a shared place being half: in a game of two 1, a half or 0."""
        own = self.versions.index(version)
        others = [rank for seat, rank in enumerate(self.ranks) if seat != own]
        return sum(0.5 if rank == self.ranks[own] else float(rank > self.ranks[own]) for rank in others) / len(others)


def _game(row: Sequence[Any]) -> LeagueGame:
    place, key, versions, game_map, kind, counts, voided, winner, ranks, rounds, fault, faults, *rest = row
    return LeagueGame(
        *(place, key, _NUMBERS.decode(versions), game_map, kind, counts, voided, winner, _NUMBERS.decode(ranks)),
        *(rounds, fault, _TEXTS.decode(faults), *rest),
    )


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
        query = f"SELECT {COLUMNS} FROM league_games {where}"  # noqa: S608 -- our own words
        try:
            return [_game(row) for row in self.rows(query, *values)]
        except (UserError, ValueError) as error:
            if self.number("SELECT value FROM facts WHERE name = ?", f"tables of {OWNER}") >= len(STEPS):
                raise
            # Columns that aren't there yet are no damage.
            serve = f"'tiltyard league serve {self.path.parent.parent}'"
            raise UserError(f"{self.path}: was written by an older tiltyard; {serve} brings it up to date") from error

    def lacks_seats(self) -> bool:
        """Whether the table by version isn't that of all games."""
        query = "SELECT (SELECT count(*) FROM league_seats) != ifnull(sum(json_array_length(versions)), 0) FROM league_games"
        return bool(self.number(query))

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
        self, versions: Sequence[int], limit: int, before: int = 0, until: str = "", only_faults: bool = False
    ) -> list[LeagueGame]:
        """The newest games of some versions."""
        newest: dict[int, LeagueGame] = {}
        faulty = "AND failure != ''" if only_faults else ""
        for version in versions:
            for game in self._games(
                f"JOIN league_seats ON game = place WHERE version = ?1 AND (?2 = 0 OR game < ?2) {faulty}"
                " AND (?3 = '' OR ended_at <= ?3) ORDER BY game DESC LIMIT ?4",
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
        if choice.result:
            conditions.append("counts AND NOT voided")
        if choice.result and not (choice.result == "lost" and choice.versions is not None):
            conditions.append(f"winner {'=' if choice.result == 'tied' else '!='} 0")
        if choice.versions is not None:
            source, parts = "league_seats AS own", [f"own.version IN {_in(choice.versions)}"]
            if choice.against is not None:
                source += " JOIN league_seats AS other ON other.game = own.game AND other.seat != own.seat"
                parts.append(f"other.version IN {_in(choice.against)}")
            if choice.seat:
                parts.append(f"own.seat = {choice.seat:d}")
            if choice.result:
                parts.append("own.rank > 1" if choice.result == "lost" else "own.rank = 1")
            conditions.append(f"place IN (SELECT own.game FROM {source} WHERE {' AND '.join(parts)})")  # noqa: S608 -- numbers
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
        """The rated games in which two versions played, by map and seat."""
        return self._games(
            f"WHERE {_RATED} AND place IN (SELECT own.game FROM league_seats AS own JOIN league_seats AS other"  # noqa: S608 -- our own words
            " ON other.game = own.game AND other.seat != own.seat WHERE own.version = ?1 AND other.version = ?2)"
            " ORDER BY map, place",
            *(one, other),
        )

    def of_fixture(self, game: LeagueGame) -> list[LeagueGame]:
        """The other rated games of the same versions on the same map: in other seats."""
        games = self._games(
            f"WHERE {_RATED} AND map = ?1 AND place != ?2"  # noqa: S608 -- our own words
            " AND place IN (SELECT game FROM league_seats WHERE version = ?3) ORDER BY place",
            *(game.map, game.place, game.versions[0]),
        )
        return [each for each in games if sorted(each.versions) == sorted(game.versions)]

    def of_version(self, version: int) -> list[LeagueGame]:
        """All rated games of a version that count, by seat: so often at most as it meets others on each map."""
        return self._games(
            f"JOIN league_seats ON game = place WHERE {_RATED} AND counts AND NOT voided AND version = ?1 ORDER BY seat, game",
            version,
        )

    def of_key(self, key: str) -> list[LeagueGame]:
        """The games that were this match."""
        return self._games("WHERE key = ?", key)

    def seat_changes(self, games: Sequence[LeagueGame]) -> dict[tuple[int, int], float]:
        """By how many Elo points each game changed the rating of each seat's version, by game and seat, where it was worked out."""
        places = _in([game.place for game in games])
        query = f"SELECT game, seat, change FROM league_seats WHERE change IS NOT NULL AND game IN {places}"  # noqa: S608 -- numbers
        return {(game, seat): change for game, seat, change in self.rows(query)}

    def without_changes(self, after: int, limit: int) -> list[LeagueGame]:
        """The first rated games after one of which nobody has worked out yet how they changed the ratings."""
        return self._games(
            f"JOIN league_seats ON game = place WHERE {_RATED} AND counts AND place > ? AND seat = 1 AND change IS NULL"
            " ORDER BY place LIMIT ?",
            *(after, limit),
        )

    def faults_of(self, version: int, since: int = 0) -> int:
        """In how many rated games a version failed, of those after the game of a number; void ones are left out."""
        harmless = [termination.value for termination in HARMLESS]
        marks = ", ".join("?" * len(harmless))
        return self.number(
            "SELECT count(*) FROM league_seats JOIN league_games ON place = game WHERE version = ? AND game > ?"  # noqa: S608
            f" AND failure NOT IN ('', {marks}) AND {_RATED} AND NOT voided",
            *(version, since, *harmless),
        )

    def last_places(self, until: str, without: Sequence[str] = ()) -> dict[int, int]:
        """The newest rated game of each version until a time, apart from those with some keys."""
        marks = ", ".join("?" * len(without))
        query = (
            f"SELECT version, max(game) FROM league_games JOIN league_seats ON game = place WHERE {_RATED}"  # noqa: S608
            f" AND ended_at <= ? AND key NOT IN ({marks}) GROUP BY version"
        )
        return dict(self.rows(query, until, *without))

    def with_replays(self, games: Sequence[LeagueGame]) -> set[int]:
        """The numbers of those games whose replays are kept."""
        marks = ", ".join("?" * len(games))
        query = f"SELECT key FROM matches WHERE replay IS NOT NULL AND key IN ({marks})"  # noqa: S608 -- question marks
        keys = {key for (key,) in self.rows(query, *(game.key for game in games))}
        return {game.place for game in games if game.key in keys}

    def tally(self, until: str = "") -> str:
        """How often which versions ended in which places, of rated games that count, for ``pair_counts`` and ``order_counts``.

        It is one text: where each pair of versions has a row, rows are megabytes of small pieces that stay with the process.
        """
        rows = self.rows(
            "SELECT json_group_array(json_array(json(versions), json(ranks), number)) FROM (SELECT versions, ranks,"  # noqa: S608
            f" count(*) AS number FROM league_games WHERE {_RATED} AND counts AND NOT voided AND (?1 = '' OR ended_at <= ?1)"
            " GROUP BY 1, 2)",
            until,
        )
        return str(rows[0][0]) if rows else "[]"

    def counts(self, until: str = "") -> dict[tuple[int, int], tuple[int, int, int]]:
        """``pair_counts`` of the games until a time."""
        return pair_counts(self.tally(until))

    def orders(self, until: str = "") -> dict[tuple[tuple[int, ...], ...], int]:
        """``order_counts`` of the games until a time."""
        return order_counts(self.tally(until))

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

    def fixtures(self) -> Iterator[tuple[tuple[int, ...], str]]:
        """Seats and maps of all rated games, also of those that count for nobody, in the order in which they were played."""
        for versions, game_map in self.rows(f"SELECT versions, map FROM league_games WHERE {_RATED} ORDER BY place"):  # noqa: S608
            yield _NUMBERS.decode(versions), game_map

    def players(self) -> int:
        """For how many players the newest game was; 0 if there is none."""
        return self.number("SELECT json_array_length(versions) FROM league_games ORDER BY place DESC LIMIT 1")


def pair_counts(tally: str) -> dict[tuple[int, int], tuple[int, int, int]]:
    """Wins of the one, ties and wins of the other of each pair of versions that met in games of two, in order of numbers.

    Args:
        tally: of ``Games.tally``.
    """
    counts: dict[tuple[int, int], tuple[int, int, int]] = {}
    for versions, ranks, number in _TALLY.decode(tally):
        if len(versions) == 2 and versions[0] != versions[1]:
            (one, place), (other, other_place) = sorted(zip(versions, ranks, strict=True))
            wins, ties, losses = counts.get((one, other), (0, 0, 0))
            wins += number * (place < other_place)
            ties += number * (place == other_place)
            losses += number * (place > other_place)
            counts[one, other] = wins, ties, losses
    return dict(sorted(counts.items()))


def order_counts(tally: str) -> dict[tuple[tuple[int, ...], ...], int]:
    """How often versions finished in each order, the best first, those that share a place together.

    Args:
        tally: of ``Games.tally``.
    """
    orders: dict[tuple[tuple[int, ...], ...], int] = {}
    for versions, ranks, number in _TALLY.decode(tally):
        if len(set(versions)) == len(versions):
            order = order_of(versions, ranks)
            orders[order] = orders.get(order, 0) + number
    return orders


def _in(numbers: Sequence[int]) -> str:
    return f"({', '.join(f'{number:d}' for number in numbers)})"
