"""What ``tiltyard hand-in`` and other programs of a team ask for, by a token in the header."""

from __future__ import annotations

from typing import Final

from starlette.responses import JSONResponse, Response

from tiltyard_league.database.versions import newest_of, quota, report_of
from tiltyard_league.web.http.access import Page
from tiltyard_league.web.http.context import Context, NotYet, missing
from tiltyard_league.web.pages.downloads import kit
from tiltyard_league.web.pages.uploads import used_up, version_value, why_closed

OPEN: Final = ("received", "checking")


def whoami(context: Context) -> Response:
    """The team and its game, whether it can hand in now, and the digest of its last upload, which it can send again at any time."""
    keys = context.app.settings.keys
    left = quota(context.database, context.team, keys.uploads_a_day)
    newest = newest_of(context.database, context.team)
    value = {
        "team": context.own_team["name"],
        "page": context.absolute("/me"),
        "league": context.app.settings.title,
        "game": context.app.settings.game,
        "largest_upload": keys.largest_upload,
        "uploads_left": left.left,
        "closed": why_closed(context) or used_up(context, left),
        "newest": "" if newest is None else newest["upload"],
    }
    return JSONResponse(value)


def version(context: Context) -> Response:
    """A version, with its report once there is one; with ``?wait=SECONDS`` the answer waits that long for it, at most 25 s."""
    row = context.own_version()
    if row is None:
        raise missing("version")
    report = report_of(row)
    steps = [] if report is None else report.steps
    notes = [] if report is None else report.notes
    value = {**version_value(row), "page": context.absolute(f"/me/versions/{row['number']}"), "steps": steps, "notes": notes}
    return NotYet(value) if row["state"] in OPEN else JSONResponse(value)


PAGES: Final = (
    Page("/api/team", "team", whoami, is_api=True),
    Page("/api/versions/{number}", "team", version, is_api=True),
    Page("/api/games/{place}/kit", "team", kit, is_api=True),
)
