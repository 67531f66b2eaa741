"""Writing the games of a league.

A game's rows are written in the transaction of its match, so neither is ever there without the other.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Final

import msgspec

from tiltyard_engine.errors import UserError
from tiltyard_engine.match_record import Outcome
from tiltyard_engine.results import Termination, winner_of
from tiltyard_league.database.clock import now
from tiltyard_league.database.games import COLUMNS, OWNER, STEPS, Games, Seats
from tiltyard_tournaments.standings.scoring import finishes
from tiltyard_tournaments.store import STORE_NAME, Store

FILL_SEATS: Final = """
    INSERT INTO league_seats (game, seat, version, rank, failure)
    SELECT place, of_version.key + 1, of_version.value, of_rank.value, of_fault.value
    FROM league_games, json_each(versions) AS of_version, json_each(ranks) AS of_rank, json_each(faults) AS of_fault
    WHERE of_rank.key = of_version.key AND of_fault.key = of_version.key
"""
"""Makes rows of ``league_seats`` of rows of ``league_games``: of all, or with ``AND place = ?`` of one."""
_WITHOUT_MATCHES: Final = "key NOT IN (SELECT key FROM matches UNION ALL SELECT key FROM voids)"


def game_writer(seats: Seats, key: str, outcome: Outcome, ended_at: str = "") -> Callable[[sqlite3.Connection], None]:
    """What writes a game's row beside its match; to be given to ``Store.add`` or ``Store.add_void``.

    Args:
        seats: who met whom.
        key: of the match.
        outcome: the result.
        ended_at: when it ended; empty: now.
    """
    faults = [fault for fault in outcome.faults if fault.termination is not Termination.VOID]
    fault = next(iter(faults), None)
    by_seat = {each.seat: each.termination.value for each in reversed(faults)}
    number = len(seats.versions)
    # As in tournaments: the winner comes before all others, whatever places a GameManager claims.
    places = [finish.place for finish in finishes(outcome)]
    row = (
        key,
        _list(seats.versions),
        seats.map,
        seats.kind,
        int(outcome.counts and not outcome.is_void),
        0,
        winner_of(places),
        _list(places),
        outcome.rounds,
        0 if fault is None else fault.seat,
        _list([by_seat.get(seat, "") for seat in range(1, number + 1)]),
        "" if fault is None else fault.termination.value,
        ended_at or now(),
        message_of(outcome),
    )

    def write(connection: sqlite3.Connection) -> None:
        # A game that staff have played again, or one that was asked for again, takes the place of the one before.
        _forget_seats(connection, "kind = ? AND versions = ? AND map = ?", seats.kind, row[1], seats.map)
        columns = COLUMNS.removeprefix("place, ")
        marks = ", ".join("?" * len(row))
        place = connection.execute(f"INSERT OR REPLACE INTO league_games ({columns}) VALUES ({marks})", row).lastrowid  # noqa: S608 -- our own words
        connection.execute(f"{FILL_SEATS} AND place = ?", (place,))

    return write


def _list(values: Sequence[int] | Sequence[str]) -> str:
    return msgspec.json.encode(values).decode()


def _forget_seats(connection: sqlite3.Connection, where: str, *values: object) -> None:
    query = f"DELETE FROM league_seats WHERE game IN (SELECT place FROM league_games WHERE {where})"  # noqa: S608 -- our own words
    connection.execute(query, values)


def forget_games(connection: sqlite3.Connection, where: str, *values: object) -> int:
    """Remove the games of which a condition is true; how many there were."""
    _forget_seats(connection, where, *values)
    return connection.execute(f"DELETE FROM league_games WHERE {where}", values).rowcount  # noqa: S608 -- our own words


def message_of(outcome: Outcome) -> str:
    """How a match ended, as everybody may know it: the words about a fault are for its own team."""
    return "" if outcome.faults else outcome.message


def update_games(folder: Path) -> None:
    """Bring the table of games up to date that an older tiltyard left in a store, for whoever only reads it next.

    Raises:
        UserError: it cannot be written.
    """
    if (folder / STORE_NAME).is_file():
        open_games(folder).close()


def open_games(folder: Path) -> Store:
    """The store of a league, to write, with the tables of its games.

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
    if Games(folder).lacks_seats():
        # Rows were lost, as of a damaged file.
        store.write(_fill_seats)
    return store


def _fill_seats(connection: sqlite3.Connection) -> None:
    connection.execute("DELETE FROM league_seats")
    connection.execute(FILL_SEATS)


def remove_games_without_matches(folder: Path) -> int:
    """After a store was recovered: forget games whose matches are lost, so that they are played again; how many there were.

    Raises:
        UserError: it cannot be written.
    """
    removed: list[int] = []
    with open_games(folder) as store:
        store.write(lambda connection: removed.append(forget_games(connection, _WITHOUT_MATCHES)))
    return removed[0]


def write_changes(store: Store, changes: Sequence[tuple[int, int, float]]) -> None:
    """Keep by how many Elo points a game changed the rating of a seat's version: the game, the seat, the points.

    Raises:
        UserError: it cannot be written.
    """
    query = "UPDATE league_seats SET change = ? WHERE game = ? AND seat = ?"
    store.write(lambda connection: connection.executemany(query, [(points, game, seat) for game, seat, points in changes]))
