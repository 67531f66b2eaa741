"""What staff see and do: who waits, what failed, the roster, single teams, versions and games, the season and grades."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Final, TypeVar

from starlette.responses import Response

from tiltyard_engine.errors import UserError
from tiltyard_intake.exports.roster import parse_roster
from tiltyard_league.door.gate import Page
from tiltyard_league.door.pages_games import game_of
from tiltyard_league.door.tables import shown_games
from tiltyard_league.door.visit import RefusedError, Visit, missing
from tiltyard_league.handing_in.receiving import free_bytes
from tiltyard_league.rating.standing import read_standing
from tiltyard_league.records import staff
from tiltyard_league.records.clock import now
from tiltyard_league.records.clock_jumps import ClockJump, last_jump
from tiltyard_league.records.database import Row
from tiltyard_league.records.grades import Cells, as_csv
from tiltyard_league.records.grades import grades as grades_of
from tiltyard_league.records.rosters import Imported, apply_roster
from tiltyard_league.records.spreadsheet import KIND, spreadsheet
from tiltyard_league.records.state import is_running, read_state
from tiltyard_league.records.teams import members_of
from tiltyard_league.records.versions import report_of, twins
from tiltyard_tournaments.site.labels import line

LONGEST_ROSTER: Final = 4 << 20
"""Bytes of a form with a list of students: thousands of them."""
WHO: Final = "staff"
Done = TypeVar("Done")


def overview(visit: Visit) -> Response:
    """What needs attention."""
    settings = visit.door.settings
    waiting = visit.database.rows(
        "SELECT versions.*, teams.name AS team_name FROM versions JOIN teams ON teams.id = versions.team"
        " WHERE versions.state IN ('received', 'checking') ORDER BY versions.id LIMIT 50"
    )
    refused = visit.database.rows(
        "SELECT versions.*, teams.name AS team_name FROM versions JOIN teams ON teams.id = versions.team"
        " WHERE versions.state IN ('refused', 'disabled') ORDER BY versions.id DESC LIMIT 20"
    )
    faulty = [game for game in visit.games.last(500) if game.fault][:20]
    free = free_bytes(visit.door.folder)
    return visit.page(
        "staff.html",
        page="staff",
        state=read_state(visit.door.folder),
        is_running=is_running(visit.door.folder),
        waiting=waiting,
        refused=refused,
        faulty=shown_games(visit, faulty),
        free=free,
        is_scarce=free < 2 * settings.keys.least_free,
        twins=twins(visit.database),
        teams=visit.database.rows("SELECT * FROM teams ORDER BY kind, name"),
        without=visit.database.rows(
            "SELECT * FROM teams WHERE kind = 'student' AND state = 'active' AND NOT EXISTS"
            " (SELECT 1 FROM versions WHERE versions.team = teams.id) ORDER BY name"
        ),
        closed_at=visit.database.fact("closed_at"),
        jump=_recent_jump(visit),
    )


def _recent_jump(visit: Visit) -> ClockJump | None:
    jump = last_jump(visit.database)
    return None if jump is None or jump.until <= now() else jump


def team(visit: Visit) -> Response:
    """A team, and what can be done with it."""
    return _team_page(visit, _team(visit))


def _team_page(visit: Visit, row: Row, invite: str = "") -> Response:
    return visit.page(
        "staff_team.html",
        page="staff",
        team=row,
        members=members_of(visit.database, row["id"]),
        into=visit.teams.get(row["merged_into"]),
        versions=visit.database.rows("SELECT * FROM versions WHERE team = ? ORDER BY number DESC", row["id"]),
        others=visit.database.rows(
            "SELECT * FROM teams WHERE id != ? AND state != 'gone' AND kind = 'student' ORDER BY name", row["id"]
        ),
        invite=invite,
    )


def change_team(visit: Visit) -> Response:
    """Do something with a team."""
    row = _team(visit)
    reason = line(str(visit.form.get("reason", ""))) or "by the staff"
    match str(visit.form.get("what", "")):
        case "disable":
            staff.disable_team(visit.database, row, reason, WHO)
        case "enable":
            _do(lambda: staff.enable_team(visit.database, row, WHO))
        case "rename":
            name = line(str(visit.form.get("name", "")), 100)
            if not name:
                raise RefusedError(400, "A team needs a name.")
            _do(lambda: staff.rename_team(visit.database, row, name, WHO))
        case "merge":
            into = visit.database.row("SELECT * FROM teams WHERE id = ?", str(visit.form.get("into", "")))
            if into is None:
                raise missing("team")
            _do(lambda: staff.merge_teams(visit.database, row, into, WHO))
            return visit.go(f"/staff/teams/{into['id']}")
        case "invite":
            # Shown once, here: the database has only its hash.
            return _team_page(visit, row, visit.absolute(f"/join/{_do(lambda: staff.new_invite(visit.database, row, WHO))}"))
        case "sign-out":
            staff.sign_out(visit.database, row, WHO)
        case _:
            raise RefusedError(400, "There is no such action for a team.")
    return visit.go(f"/staff/teams/{row['id']}")


def version(visit: Visit) -> Response:
    """A version with its report."""
    row = _version(visit)
    return visit.page("staff_version.html", page="staff", version=row, report=report_of(row), team=visit.teams[row["team"]])


def change_version(visit: Visit) -> Response:
    """Do something with a version."""
    row = _version(visit)
    reason = line(str(visit.form.get("reason", ""))) or "disabled by the staff"
    match str(visit.form.get("what", "")):
        case "disable":
            staff.disable_version(visit.database, row, reason, WHO)
        case "enable":
            staff.enable_version(visit.database, row, WHO)
        case "check":
            staff.check_again(visit.database, row, WHO)
        case _:
            raise RefusedError(400, "There is no such action for a version.")
    return visit.go(f"/staff/versions/{row['id']}")


def change_game(visit: Visit) -> Response:
    """Void a game, let it count again, or have it played again."""
    game = game_of(visit)
    what = str(visit.form.get("what", ""))
    if what not in ("void", "restore", "rerun"):
        raise RefusedError(400, "There is no such action for a game.")
    _do(lambda: staff.override(visit.database, game.key, what, line(str(visit.form.get("why", ""))), WHO))
    return visit.go("/staff" if what == "rerun" else f"/games/{game.place}")


def season(visit: Visit) -> Response:
    """Freeze, unfreeze, close or open the season."""
    match str(visit.form.get("what", "")):
        case "freeze":
            staff.set_frozen(visit.database, True, WHO)
        case "unfreeze":
            staff.set_frozen(visit.database, False, WHO)
        case "close":
            staff.set_closed(visit.database, True, WHO)
        case "open":
            staff.set_closed(visit.database, False, WHO)
        case _:
            raise RefusedError(400, "There is no such action for the season.")
    return visit.go("/staff")


def roster(visit: Visit) -> Response:
    """The roster as it is, and the form for a new one."""
    return _roster_page(visit)


def _roster_page(visit: Visit, text: str = "", preview: Imported | None = None, problem: str = "") -> Response:
    members = visit.database.rows(
        "SELECT members.*, teams.name AS team_name FROM members JOIN teams ON teams.id = members.team"
        " ORDER BY team_name, members.name"
    )
    return visit.page(
        "roster.html",
        page="staff",
        members=members,
        text=text,
        preview=preview,
        problem=problem,
        without=staff.without_link(visit.database),
        opened_at=now(),
    )


def change_roster(visit: Visit) -> Response:
    """Show what a roster would change; then, if asked, change it."""
    text = str(visit.form.get("roster", ""))
    apply = visit.form.get("apply") == "yes"
    done: Imported | None = None
    try:
        wanted = parse_roster(text, Path("roster"))
        with visit.database.writing(only_looking=not apply):
            done = apply_roster(visit.database, wanted, WHO)
    except UserError as error:
        return _roster_page(visit, text, problem=str(error))
    return visit.go("/staff/roster") if apply else _roster_page(visit, text, preview=done)


def links(visit: Visit) -> Response:
    """Make links for teams that have none, or new ones for all, and show them once, to be printed."""
    since = ""
    if visit.form.get("what") == "all":
        # Not those that this form has made already: a browser may send it again when the page is loaded again.
        since = str(visit.form.get("opened_at", "")) or now()
    made = staff.new_invites(visit.database, WHO, since=since)
    shown = [
        {"team": team, "members": members_of(visit.database, team["id"]), "link": visit.absolute(f"/join/{token}")}
        for team, token in made
    ]
    return visit.page("links.html", page="staff", links=shown)


def grades(visit: Visit) -> Response:
    """Everybody with what a grade may rest on."""
    # With a mark at its start, so that spreadsheets read it as UTF-8.
    return _file(b"\xef\xbb\xbf" + as_csv(_grades(visit)).encode(), "grades.csv", "text/csv; charset=utf-8")


def grades_sheet(visit: Visit) -> Response:
    """The same as a spreadsheet, in which an id such as 00017 stays as it is."""
    return _file(spreadsheet("grades", _grades(visit)), "grades.ods", KIND)


def _grades(visit: Visit) -> list[Cells]:
    return grades_of(visit.database, read_standing(visit.door.folder))


def _file(content: bytes, name: str, kind: str) -> Response:
    return Response(content, media_type=kind, headers={"Content-Disposition": f'attachment; filename="{name}"'})


def leave(visit: Visit) -> Response:
    """Sign out on this machine."""
    from tiltyard_league.door.pages_team import leave as leave_team

    return leave_team(visit)


def _do(work: Callable[[], Done]) -> Done:
    try:
        return work()
    except UserError as error:
        text = str(error)
        raise RefusedError(409, f"{text[:1].upper()}{text[1:]}.") from error


def _team(visit: Visit) -> Row:
    row = visit.database.row("SELECT * FROM teams WHERE id = ?", str(visit.request.path_params["id"]))
    if row is None:
        raise missing("team")
    return row


def _version(visit: Visit) -> Row:
    row = visit.database.row("SELECT * FROM versions WHERE id = ?", str(visit.request.path_params["id"]))
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
