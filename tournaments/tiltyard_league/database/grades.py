"""What a grade may rest on: a line for everybody on the roster, as CSV or as a spreadsheet."""

from __future__ import annotations

import csv
import io
from collections.abc import Sequence
from typing import Final

from tiltyard_engine.texts.sanitize import spreadsheet_cell
from tiltyard_league.database.database import Database
from tiltyard_league.rating.standing import LeagueStanding

COLUMNS: Final = (
    "id",
    "name",
    "team",
    "place",
    "rating",
    "error",
    "provisional",
    "games",
    "staff_beaten",
    "staff",
    "uploads",
    "last_upload",
    "late",
)
Cells = Sequence[str | int]


def grades(database: Database, standing: LeagueStanding) -> list[Cells]:
    """A row for each member of a team, in the order of ids; the first row names the columns."""
    rows: list[Cells] = [COLUMNS]
    # How a team stands against the staff's teams is read off the ratings: an interval that ends above counts as better.
    staff_teams = {row["id"] for row in database.rows("SELECT id FROM teams WHERE kind = 'staff' AND state = 'active'")}
    staff = [line for line in standing.lines if line.team in staff_teams]
    for member in database.rows(
        "SELECT members.*, teams.name AS team_name FROM members JOIN teams ON teams.id = members.team WHERE"
        " members.state = 'active' ORDER BY roster_id"
    ):
        line = standing.line_of(member["team"])
        uploads = database.row(
            # The newest by its number: times are a matter of the clock. The other column is of that row.
            "SELECT count(*) AS number, max(number), uploaded_at AS last FROM versions WHERE team = ? AND upload != ''",
            member["team"],
        )
        assert uploads is not None
        figures: Cells = ("", "", "", "", "", "")
        late = ""
        if line is not None:
            # Of the version that has this rating.
            late = "yes" if database.number("SELECT late FROM versions WHERE id = ?", line.version) else "no"
            beaten = sum(line.rating - line.error > other.rating for other in staff)
            place = standing.place_of(member["team"])
            figures = (place, round(line.rating), round(line.error), "yes" if line.is_provisional else "no", line.games, beaten)
        who = (str(member[name]) for name in ("roster_id", "name", "team_name"))
        rows.append([*who, *figures, len(staff), uploads["number"], uploads["last"] or "", late])
    return rows


def as_csv(rows: Sequence[Cells]) -> str:
    """Rows as CSV; what a spreadsheet takes for a formula gets an apostrophe before it."""
    text = io.StringIO()
    csv.writer(text, lineterminator="\r\n").writerows(
        [spreadsheet_cell(value) if isinstance(value, str) else value for value in row] for row in rows
    )
    return text.getvalue()
