"""What staff do, from the pages or the command line: each action is a transaction with its line in the log."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterable
from typing import Final

from tiltyard_engine.errors import UserError
from tiltyard_league.rating.standing import Standing
from tiltyard_league.records.database import Database, Row, now
from tiltyard_league.records.teams import add_team
from tiltyard_league.records.tokens import make_token, revoke
from tiltyard_league.records.versions import ENABLED, FROZEN_VERSIONS, playing

GRADES: Final = (
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
_FORMULA: Final = ("=", "+", "-", "@", "\t", "\r")


def disable_team(database: Database, team: Row, reason: str, who: str) -> None:
    """Let a team play no more; what it has played stays."""
    with database.writing():
        database.run("UPDATE teams SET state = 'disabled', reason = ? WHERE id = ?", reason, team["id"])
        database.log(who, "team disabled", team=team["id"], reason=reason)


def enable_team(database: Database, team: Row, who: str) -> None:
    """Let a team play again."""
    with database.writing():
        database.run("UPDATE teams SET state = 'active', reason = '' WHERE id = ?", team["id"])
        database.log(who, "team enabled", team=team["id"])


def rename_team(database: Database, team: Row, name: str, who: str) -> None:
    """Call a team otherwise.

    Raises:
        UserError: another one is called so.
    """
    with database.writing():
        if database.row("SELECT 1 FROM teams WHERE name = ? AND id != ?", name, team["id"]) is not None:
            raise UserError(f"another team is called '{name}'")
        database.run("UPDATE teams SET name = ? WHERE id = ?", name, team["id"])
        database.log(who, "team", team=team["id"], renamed=name)


def merge_teams(database: Database, team: Row, into: Row, who: str) -> None:
    """Make the members of a team members of another one. Its versions and games stay its own; it plays no more."""
    if team["id"] == into["id"]:
        raise UserError("a team can't be merged into itself")
    with database.writing():
        database.run("UPDATE members SET team = ? WHERE team = ?", into["id"], team["id"])
        database.run("UPDATE teams SET state = 'gone', reason = ? WHERE id = ?", f"merged into {into['pseudonym']}", team["id"])
        revoke(database, team["id"], "invite", "upload", "session")
        database.log(who, "team merged", team=team["id"], into=into["id"])


def new_invite(database: Database, team: Row | None, who: str) -> str:
    """A new invite token; the one before lets nobody in any more, and who is signed in stays so. None: of the staff."""
    number = None if team is None else int(team["id"])
    with database.writing():
        revoke(database, number, "invite")
        token = make_token(database, "invite", number)
        database.log(who, "new invite", team=number)
    return token


def sign_out(database: Database, team: Row, who: str) -> None:
    """Make all sessions and upload tokens of a team worthless."""
    with database.writing():
        number = revoke(database, team["id"], "session", "upload")
        database.log(who, "signed out", team=team["id"], tokens=number)


def disable_version(database: Database, version: Row, reason: str, who: str) -> None:
    """Let a version play no more; the team's version before goes on."""
    with database.writing():
        database.run(
            "UPDATE versions SET state = 'disabled', reason = ? WHERE id = ? AND state = 'accepted'", reason, version["id"]
        )
        database.log(who, "version disabled", version=version["id"], reason=reason)


def enable_version(database: Database, version: Row, who: str) -> None:
    """Let a disabled version play again."""
    with database.writing():
        database.run("UPDATE versions SET state = 'accepted', reason = '' WHERE id = ? AND state = 'disabled'", version["id"])
        database.set_fact(ENABLED.format(version["id"]), now())
        database.log(who, "version enabled", version=version["id"])


def check_again(database: Database, version: Row, who: str) -> None:
    """Check a refused version again, such as after a library was installed."""
    with database.writing():
        database.run("UPDATE versions SET state = 'received', attempts = 0 WHERE id = ? AND state = 'refused'", version["id"])
        database.log(who, "check again", version=version["id"])


def override(database: Database, key: str, what: str, why: str, who: str) -> None:
    """Void a game, let it count again, or have it played again; the steward does it.

    Raises:
        UserError: nothing is played, as the league is closed.
    """
    with database.writing():
        if what == "rerun" and database.fact("closed_at"):
            raise UserError("the league is closed, so nothing is played; open it first")
        database.run("INSERT INTO overrides (key, what, why, asked_at, done_at) VALUES (?, ?, ?, ?, '')", key, what, why, now())
        database.log(who, f"game {what}", key=key, why=why)


def set_frozen(database: Database, frozen: bool, who: str) -> bool:
    """From now on the public sees what there is now, while all goes on; or all again. False: it was so already."""
    with database.writing():
        if frozen == bool(database.fact("frozen_at")):
            return False
        versions = {str(row["team"]): row["id"] for row in playing(database)} if frozen else {}
        database.set_fact("frozen_at", now() if frozen else "")
        database.set_fact(FROZEN_VERSIONS, json.dumps(versions) if frozen else "")
        database.log(who, "frozen" if frozen else "unfrozen")
    return True


def set_closed(database: Database, closed: bool, who: str) -> None:
    """From now on nothing is played; or as before."""
    with database.writing():
        database.set_fact("closed_at", now() if closed else "")
        database.log(who, "closed" if closed else "opened")


def add_hidden_team(database: Database, name: str, who: str) -> int:
    """A team beside the roster, such as for trying things out."""
    with database.writing():
        team = add_team(database, name)
        database.log(who, "team", team=team, made=name)
    return team


def grades(database: Database, standing: Standing) -> str:
    """Everybody of the roster with what a grade may rest on, as CSV."""
    made = io.StringIO()
    writer = csv.writer(made, lineterminator="\r\n")
    writer.writerow(GRADES)
    # How a team stands against the staff's teams is read off the ratings: an interval that ends above counts as better.
    staff_teams = {row["id"] for row in database.rows("SELECT id FROM teams WHERE kind = 'staff' AND state = 'active'")}
    staff = [line for line in standing.lines if line.team in staff_teams]
    for member in database.rows(
        "SELECT members.*, teams.name AS team_name FROM members JOIN teams ON teams.id = members.team WHERE"
        " members.state = 'active' ORDER BY roster_id"
    ):
        line = standing.line_of(member["team"])
        uploads = database.row(
            "SELECT count(*) AS number, max(uploaded_at) AS last FROM versions WHERE team = ? AND upload != ''", member["team"]
        )
        assert uploads is not None
        late = 0 if line is None else database.number("SELECT late FROM versions WHERE id = ?", line.version)
        figures: Iterable[object] = ("", "", "", "", "", "")
        if line is not None:
            beaten = sum(line.rating - line.error > other.rating for other in staff)
            place = standing.place_of(member["team"])
            figures = (place, round(line.rating), round(line.error), "yes" if line.is_provisional else "no", line.games, beaten)
        writer.writerow(
            [
                *(_cell(str(member[name])) for name in ("roster_id", "name", "team_name")),
                *figures,
                *(len(staff), uploads["number"], uploads["last"] or "", "yes" if late else "no"),
            ]
        )
    return made.getvalue()


def _cell(text: str) -> str:
    """What spreadsheets take for a formula gets an apostrophe before it."""
    return f"'{text}" if text.startswith(_FORMULA) else text
