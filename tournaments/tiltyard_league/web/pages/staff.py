"""What staff see and do: who waits, what failed, the roster, single teams, versions and games, the season and grades."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Final, TypeVar

from starlette.responses import Response

from tiltyard_engine.errors import UserError
from tiltyard_intake.exports.roster import parse_roster
from tiltyard_league.database import staff
from tiltyard_league.database.clock import now
from tiltyard_league.database.clock_jumps import ClockJump, last_jump
from tiltyard_league.database.database import Row
from tiltyard_league.database.grades import Cells, as_csv
from tiltyard_league.database.grades import grades as grades_of
from tiltyard_league.database.rosters import RosterChanges, apply_roster
from tiltyard_league.database.spreadsheet import KIND, spreadsheet
from tiltyard_league.database.state import is_running, read_state
from tiltyard_league.database.teams import members_of
from tiltyard_league.database.versions import report_of, twins
from tiltyard_league.rating.standing import read_standing
from tiltyard_league.submissions.upload import free_bytes
from tiltyard_league.web.http.access import Page
from tiltyard_league.web.http.context import Context, RequestRefusedError, missing
from tiltyard_league.web.pages.games import game_of
from tiltyard_league.web.pages.tables import game_views
from tiltyard_site.pages.labels import line

LONGEST_ROSTER: Final = 4 << 20
"""Bytes of a form with a list of students: thousands of them."""
WHO: Final = "staff"
Result = TypeVar("Result")


def overview(context: Context) -> Response:
    """What needs the staff's attention."""
    settings = context.app.settings
    waiting = context.database.rows(
        "SELECT versions.*, teams.name AS team_name FROM versions JOIN teams ON teams.id = versions.team"
        " WHERE versions.state IN ('received', 'checking') ORDER BY versions.id LIMIT 50"
    )
    refused = context.database.rows(
        "SELECT versions.*, teams.name AS team_name FROM versions JOIN teams ON teams.id = versions.team"
        " WHERE versions.state IN ('refused', 'disabled') ORDER BY versions.id DESC LIMIT 20"
    )
    faulty = [game for game in context.games.last(500) if game.fault][:20]
    free = free_bytes(context.app.folder)
    return context.page(
        "staff.html",
        page="staff",
        state=read_state(context.app.folder),
        is_running=is_running(context.app.folder),
        waiting=waiting,
        refused=refused,
        faulty=game_views(context, faulty),
        free=free,
        is_scarce=free < 2 * settings.keys.least_free,
        twins=twins(context.database),
        teams=context.database.rows("SELECT * FROM teams ORDER BY kind, name"),
        without=context.database.rows(
            "SELECT * FROM teams WHERE kind = 'student' AND state = 'active' AND NOT EXISTS"
            " (SELECT 1 FROM versions WHERE versions.team = teams.id) ORDER BY name"
        ),
        closed_at=context.database.fact("closed_at"),
        jump=_recent_jump(context),
    )


def _recent_jump(context: Context) -> ClockJump | None:
    jump = last_jump(context.database)
    return None if jump is None or jump.until <= now() else jump


def team(context: Context) -> Response:
    """A team, and what can be done with it."""
    return _team_page(context, _team(context))


def _team_page(context: Context, row: Row, invite: str = "") -> Response:
    return context.page(
        "staff_team.html",
        page="staff",
        team=row,
        members=members_of(context.database, row["id"]),
        into=context.teams.get(row["merged_into"]),
        versions=context.database.rows("SELECT * FROM versions WHERE team = ? ORDER BY number DESC", row["id"]),
        others=context.database.rows(
            "SELECT * FROM teams WHERE id != ? AND state != 'gone' AND kind = 'student' ORDER BY name", row["id"]
        ),
        invite=invite,
    )


def change_team(context: Context) -> Response:
    """Do something with a team."""
    row = _team(context)
    reason = line(str(context.form.get("reason", ""))) or "by the staff"
    match str(context.form.get("what", "")):
        case "disable":
            staff.disable_team(context.database, row, reason, WHO)
        case "enable":
            _do(lambda: staff.enable_team(context.database, row, WHO))
        case "rename":
            name = line(str(context.form.get("name", "")), 100)
            if not name:
                raise RequestRefusedError(400, "A team needs a name.")
            _do(lambda: staff.rename_team(context.database, row, name, WHO))
        case "merge":
            into = context.database.row("SELECT * FROM teams WHERE id = ?", str(context.form.get("into", "")))
            if into is None:
                raise missing("team")
            _do(lambda: staff.merge_teams(context.database, row, into, WHO))
            return context.go(f"/staff/teams/{into['id']}")
        case "invite":
            # Shown once, here: the database has only its hash.
            return _team_page(context, row, context.absolute(f"/join/{_do(lambda: staff.new_invite(context.database, row, WHO))}"))
        case "sign-out":
            staff.sign_out(context.database, row, WHO)
        case _:
            raise RequestRefusedError(400, "There is no such action for a team.")
    return context.go(f"/staff/teams/{row['id']}")


def version(context: Context) -> Response:
    """A version with its report."""
    row = _version(context)
    return context.page("staff_version.html", page="staff", version=row, report=report_of(row), team=context.teams[row["team"]])


def change_version(context: Context) -> Response:
    """Do something with a version."""
    row = _version(context)
    reason = line(str(context.form.get("reason", ""))) or "disabled by the staff"
    match str(context.form.get("what", "")):
        case "disable":
            staff.disable_version(context.database, row, reason, WHO)
        case "enable":
            staff.enable_version(context.database, row, WHO)
        case "check":
            staff.check_again(context.database, row, WHO)
        case _:
            raise RequestRefusedError(400, "There is no such action for a version.")
    return context.go(f"/staff/versions/{row['id']}")


def change_game(context: Context) -> Response:
    """Void a game, let it count again, or have it played again."""
    game = game_of(context)
    what = str(context.form.get("what", ""))
    if what not in ("void", "restore", "rerun"):
        raise RequestRefusedError(400, "There is no such action for a game.")
    _do(lambda: staff.override(context.database, game.key, what, line(str(context.form.get("why", ""))), WHO))
    return context.go("/staff" if what == "rerun" else f"/games/{game.place}")


def season(context: Context) -> Response:
    """Freeze, unfreeze, close or open the season."""
    match str(context.form.get("what", "")):
        case "freeze":
            staff.set_frozen(context.database, True, WHO)
        case "unfreeze":
            staff.set_frozen(context.database, False, WHO)
        case "close":
            staff.set_closed(context.database, True, WHO)
        case "open":
            staff.set_closed(context.database, False, WHO)
        case _:
            raise RequestRefusedError(400, "There is no such action for the season.")
    return context.go("/staff")


def roster(context: Context) -> Response:
    """The roster as it is, and the form for a new one."""
    return _roster_page(context)


def _roster_page(context: Context, text: str = "", preview: RosterChanges | None = None, problem: str = "") -> Response:
    members = context.database.rows(
        "SELECT members.*, teams.name AS team_name FROM members JOIN teams ON teams.id = members.team"
        " ORDER BY team_name, members.name"
    )
    return context.page(
        "roster.html",
        page="staff",
        members=members,
        text=text,
        preview=preview,
        problem=problem,
        without=staff.without_link(context.database),
        opened_at=now(),
    )


def change_roster(context: Context) -> Response:
    """Show what a roster would change; then, if asked, change it."""
    text = str(context.form.get("roster", ""))
    apply = context.form.get("apply") == "yes"
    changes: RosterChanges | None = None
    try:
        new_roster = parse_roster(text, Path("roster"))
        with context.database.writing(only_looking=not apply):
            changes = apply_roster(context.database, new_roster, WHO, is_dry=not apply)
    except UserError as error:
        return _roster_page(context, text, problem=str(error))
    return context.go("/staff/roster") if apply else _roster_page(context, text, preview=changes)


def links(context: Context) -> Response:
    """Make links for teams that have none, or new ones for all, and show them once, to be printed."""
    since = ""
    if context.form.get("what") == "all":
        # Not those that this form has made already: a browser may send it again when the page is loaded again.
        since = str(context.form.get("opened_at", "")) or now()
    invites = staff.new_invites(context.database, WHO, since=since)
    cards = [
        {"team": team, "members": members_of(context.database, team["id"]), "link": context.absolute(f"/join/{token}")}
        for team, token in invites
    ]
    return context.page("links.html", page="staff", links=cards)


def grades(context: Context) -> Response:
    """Everybody with what a grade may rest on."""
    # With a mark at its start, so that spreadsheets read it as UTF-8.
    return _file(b"\xef\xbb\xbf" + as_csv(_grades(context)).encode(), "grades.csv", "text/csv; charset=utf-8")


def grades_sheet(context: Context) -> Response:
    """The table for grades as a spreadsheet, in which an id such as 00017 stays as it is."""
    return _file(spreadsheet("grades", _grades(context)), "grades.ods", KIND)


def _grades(context: Context) -> list[Cells]:
    return grades_of(context.database, read_standing(context.app.folder))


def _file(content: bytes, name: str, kind: str) -> Response:
    return Response(content, media_type=kind, headers={"Content-Disposition": f'attachment; filename="{name}"'})


def leave(context: Context) -> Response:
    """Sign out on this machine."""
    from tiltyard_league.web.pages.team import leave as leave_team

    return leave_team(context)


def _do(work: Callable[[], Result]) -> Result:
    try:
        return work()
    except UserError as error:
        text = str(error)
        raise RequestRefusedError(409, f"{text[:1].upper()}{text[1:]}.") from error


def _team(context: Context) -> Row:
    row = context.database.row("SELECT * FROM teams WHERE id = ?", str(context.request.path_params["id"]))
    if row is None:
        raise missing("team")
    return row


def _version(context: Context) -> Row:
    row = context.database.row("SELECT * FROM versions WHERE id = ?", str(context.request.path_params["id"]))
    if row is None:
        raise missing("version")
    return row


PAGES: Final = (
    Page("/staff", "staff", overview),
    Page("/staff/teams/{id}", "staff", team),
    Page("/staff/teams/{id}", "staff", change_team, methods=("POST",)),
    Page("/staff/versions/{id}", "staff", version),
    Page("/staff/versions/{id}", "staff", change_version, methods=("POST",)),
    Page("/staff/games/{place}", "staff", change_game, methods=("POST",)),
    Page("/staff/season", "staff", season, methods=("POST",)),
    Page("/staff/roster", "staff", roster),
    Page("/staff/roster", "staff", change_roster, methods=("POST",), most=LONGEST_ROSTER),
    Page("/staff/links", "staff", links, methods=("POST",)),
    Page("/staff/grades.csv", "staff", grades),
    Page("/staff/grades.ods", "staff", grades_sheet),
    Page("/staff/leave", "staff", leave, methods=("POST",)),
)
