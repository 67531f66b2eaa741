"""What staff do, from the pages or the command line: each action is a transaction with its line in the log."""

from __future__ import annotations

import json

from tiltyard_engine.errors import UserError
from tiltyard_engine.texts.names import normal
from tiltyard_league.database.clock import now
from tiltyard_league.database.database import Database, Row
from tiltyard_league.database.teams import members_of, team_after_merges
from tiltyard_league.database.tokens import make_token, revoke
from tiltyard_league.database.versions import ENABLED, FROZEN_VERSIONS, active_versions


def disable_team(database: Database, team: Row, reason: str, who: str) -> None:
    """Let a team stop playing; what it has played stays."""
    with database.writing():
        database.run("UPDATE teams SET state = 'disabled', reason = ? WHERE id = ?", reason, team["id"])
        database.log(who, "team disabled", team=team["id"], reason=reason)


def enable_team(database: Database, team: Row, who: str) -> None:
    """Let a team play again. If it was merged into another one, its members come back as well, without a link.

    Raises:
        UserError: it is of the staff, and not in the league's file any more.
    """
    with database.writing():
        team = _as_it_is(database, team)
        if team["kind"] == "staff" and team["state"] == "gone":
            raise UserError(f"'{team['name']}' is no longer in league.yaml; add it to 'teams' there and restart the league")
        database.run("UPDATE teams SET state = 'active', reason = '', merged_into = NULL WHERE id = ?", team["id"])
        back = _bring_back(database)
        database.log(who, "team enabled", team=team["id"], **({"members": back} if back else {}))


def _bring_back(database: Database) -> list[str]:
    """Let members of merged teams be where those teams' members are now; the names of those who went."""
    back: list[str] = []
    for member in database.rows("SELECT * FROM members WHERE merged_from IS NOT NULL ORDER BY name"):
        team = team_after_merges(database, member["merged_from"])
        came_from = None if team == member["merged_from"] else member["merged_from"]
        if team != member["team"]:
            back.append(str(member["name"]))
            # Who is not of the team any more sees nothing of it any more.
            database.run("DELETE FROM tokens WHERE member = ?", member["id"])
        database.run("UPDATE members SET team = ?, merged_from = ? WHERE id = ?", team, came_from, member["id"])
    return back


def rename_team(database: Database, team: Row, name: str, who: str) -> None:
    """Call a team otherwise.

    Raises:
        UserError: another one is called so.
    """
    name = normal(name)
    with database.writing():
        if database.row("SELECT 1 FROM teams WHERE name = ? AND id != ?", name, team["id"]) is not None:
            raise UserError(f"another team is called '{name}'")
        database.run("UPDATE teams SET name = ? WHERE id = ?", name, team["id"])
        database.log(who, "team", team=team["id"], renamed=name)


def merge_teams(database: Database, team: Row, into: Row, who: str) -> None:
    """Make the members of a team members of another one. Its versions and games stay its own; it stops playing.

    ``enable_team`` takes it back. Lists of students still name it, and mean the other one.

    Raises:
        UserError: these two can't be merged.
    """
    if team["id"] == into["id"]:
        raise UserError("a team can't be merged into itself")
    with database.writing():
        team, into = (_as_it_is(database, each) for each in (team, into))
        for each in (team, into):
            _check_of_students(each, "can't be merged")
        members = [str(row["name"]) for row in members_of(database, team["id"])]
        database.run("UPDATE members SET merged_from = ?1 WHERE team = ?1 AND merged_from IS NULL", team["id"])
        database.run("UPDATE members SET team = ? WHERE team = ?", into["id"], team["id"])
        database.run(
            "UPDATE teams SET state = 'gone', reason = ?, merged_into = ? WHERE id = ?",
            *(f"merged into {into['pseudonym']}", into["id"], team["id"]),
        )
        revoke(database, team["id"], "invite", "upload", "session")
        database.log(who, "team merged", team=team["id"], into=into["id"], members=members)


def _as_it_is(database: Database, team: Row) -> Row:
    """A team's row in the transaction that is open: others may have changed it since it was looked up."""
    row = database.row("SELECT * FROM teams WHERE id = ?", team["id"])
    assert row is not None
    return row


def _check_of_students(team: Row, otherwise: str) -> None:
    if team["kind"] != "student" or team["state"] == "gone":
        raise UserError(f"'{team['name']}' {otherwise}: it is {'gone' if team['kind'] == 'student' else 'of the staff'}")


def new_invite(database: Database, team: Row | None, who: str) -> str:
    """A new invite token; the one before lets nobody in any more. None: of the staff.

    Who is signed in to a team stays so. Of the staff, everybody is signed out: their link may be in wrong hands.
    """
    with database.writing():
        return _new_invite(database, team, who)


def _new_invite(database: Database, team: Row | None, who: str) -> str:
    number = None if team is None else int(team["id"])
    if team is None:
        revoke(database, None, "invite", "session")
    else:
        _check_of_students(_as_it_is(database, team), "needs no link")
        revoke(database, number, "invite")
    token = make_token(database, "invite", number)
    database.log(who, "new invite", team=number)
    return token


def new_invites(database: Database, who: str, *, since: str = "") -> list[tuple[Row, str]]:
    """New invite tokens for all teams of students that have members and no valid link, by the teams' names.

    Args:
        database: the league's.
        who: does it, for the log.
        since: a time; then also for teams whose link was made before it, which ends.
    """
    with database.writing():
        teams = without_link(database, since)
        return [(team, _new_invite(database, team, who)) for team in teams]


def without_link(database: Database, since: str = "") -> list[Row]:
    """Teams of students that have members and no valid link, or none that was made since some time; by their names."""
    return database.rows(
        "SELECT * FROM teams WHERE kind = 'student' AND state != 'gone'"
        " AND EXISTS (SELECT 1 FROM members WHERE members.team = teams.id AND members.state = 'active')"
        " AND NOT EXISTS (SELECT 1 FROM tokens WHERE tokens.team = teams.id AND tokens.kind = 'invite' AND expires_at > ?1"
        # One that was made while the clock was ahead isn't new.
        " AND made_at >= ?2 AND (?2 = '' OR made_at <= ?1)) ORDER BY name",
        *(now(), since),
    )


def sign_out(database: Database, team: Row, who: str) -> None:
    """Make all sessions and upload tokens of a team worthless."""
    with database.writing():
        number = revoke(database, team["id"], "session", "upload")
        database.log(who, "signed out", team=team["id"], tokens=number)


def disable_version(database: Database, version: Row, reason: str, who: str) -> None:
    """Let a version stop playing; the team's version before goes on."""
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
    """Void a game, let it count again, or have it played again; the service does it.

    Raises:
        UserError: nothing is played, as the league is closed.
    """
    with database.writing():
        if what == "rerun" and database.fact("closed_at"):
            raise UserError("the league is closed, so no games are played; open it first")
        database.run("INSERT INTO overrides (key, what, why, asked_at, done_at) VALUES (?, ?, ?, ?, '')", key, what, why, now())
        database.log(who, f"game {what}", key=key, why=why)


def set_frozen(database: Database, frozen: bool, who: str) -> bool:
    """From now on the public sees what there is now, while all goes on; or all again. False: it was so already."""
    with database.writing():
        if frozen == bool(database.fact("frozen_at")):
            return False
        versions = {str(row["team"]): row["id"] for row in active_versions(database)} if frozen else {}
        database.set_fact("frozen_at", now() if frozen else "")
        database.set_fact(FROZEN_VERSIONS, json.dumps(versions) if frozen else "")
        database.log(who, "frozen" if frozen else "unfrozen")
    return True


def set_closed(database: Database, closed: bool, who: str) -> None:
    """From now on nothing is played; or as before."""
    with database.writing():
        database.set_fact("closed_at", now() if closed else "")
        database.log(who, "closed" if closed else "opened")
