"""What teams ask about their games: why they didn't win. The web process writes a question, the service its answer."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from tiltyard_league.database.clock import last_day
from tiltyard_league.database.database import Database, Row
from tiltyard_league.database.games import LeagueGame

MOST_OPEN: Final = 8
"""Questions of a team that wait at once; so many wait of the staff's as well."""


def question_about(database: Database, place: int, seat: int) -> Row | None:
    """What was asked about a seat of a game; None if nobody has asked."""
    return database.row("SELECT * FROM questions WHERE place = ? AND seat = ?", place, seat)


def ask_why(database: Database, game: LeagueGame, seat: int, team: int, *, by_staff: bool) -> None:
    """Ask why a team didn't win a game, or let it be looked at further. In the transaction that is open.

    What a question has cost stays with it.
    """
    database.run(
        # Not the clock alone: while the league is frozen, what ends has a time after that.
        "INSERT INTO questions (place, key, seat, team, by_staff, asked_at, state, reason, cpu_seconds)"
        " VALUES (?, ?, ?, ?, ?, ?, 'open', '', 0)"
        " ON CONFLICT (place, seat) DO UPDATE SET asked_at = excluded.asked_at, by_staff = excluded.by_staff, reason = '',"
        " state = CASE WHEN state IN ('answered', 'again') THEN 'again' ELSE 'open' END",
        *(game.place, game.key, seat, team, int(by_staff), database.time_of_result()),
    )


def waiting(database: Database, team: int, *, by_staff: bool) -> int:
    """How many questions of a team are not answered yet, or of the staff about any team."""
    return database.number(
        "SELECT count(*) FROM questions WHERE state IN ('open', 'again') AND by_staff = ?1 AND (?1 OR team = ?2)",
        int(by_staff),
        team,
    )


def spent_today(database: Database, team: int) -> float:
    """CPU seconds that a team's questions of the last 24 hours have taken; those of the staff cost it nothing."""
    row = database.row(
        "SELECT coalesce(sum(cpu_seconds), 0.0) AS seconds FROM questions WHERE team = ? AND NOT by_staff AND asked_at > ?"
        " AND asked_at <= ?",
        *(team, *last_day()),
    )
    return 0.0 if row is None else float(row["seconds"])


def open_questions(database: Database) -> list[Row]:
    """What is not answered yet: first of the team whose questions have cost least within 24 hours, each team's in their order."""
    rows = database.rows("SELECT * FROM questions WHERE state IN ('open', 'again') ORDER BY id")
    spent = {team: spent_today(database, team) for team in {int(row["team"]) for row in rows}}
    return sorted(rows, key=lambda row: spent[row["team"]])


def charge(database: Database, question: int, seconds: float) -> None:
    """Note CPU seconds that a question has taken. In the transaction that is open."""
    database.run("UPDATE questions SET cpu_seconds = cpu_seconds + ? WHERE id = ?", seconds, question)


def settle(database: Database, question: int, failed: str = "") -> None:
    """Note that a question is answered, or why it can't be; an answer of before stays. In the transaction that is open."""
    database.run(
        "UPDATE questions SET reason = ?1, state = CASE WHEN ?1 = '' OR state = 'again' THEN 'answered' ELSE 'failed' END"
        " WHERE id = ?2",
        *(failed, question),
    )


def answered_seats(database: Database, places: Iterable[int], team: int) -> set[tuple[int, int]]:
    """The games and seats among some games about which a team has an answer; team 0: any team."""
    numbers = set(places)
    if not numbers:
        return set()
    query = "SELECT place, seat FROM questions WHERE state IN ('answered', 'again') AND (?1 = 0 OR team = ?1)"
    rows = database.rows(f"{query} AND place BETWEEN ?2 AND ?3", team, min(numbers), max(numbers))
    return {(int(row["place"]), int(row["seat"])) for row in rows if row["place"] in numbers}


def of_team(database: Database, team: int, limit: int) -> list[Row]:
    """A team's questions, the newest game first."""
    return database.rows("SELECT * FROM questions WHERE team = ? ORDER BY place DESC LIMIT ?", team, limit)


def forget_questions(database: Database, places: Iterable[int]) -> None:
    """Remove the questions about some games, which are there no more. In the transaction that is open."""
    for place in places:
        database.run("DELETE FROM questions WHERE place = ?", place)
