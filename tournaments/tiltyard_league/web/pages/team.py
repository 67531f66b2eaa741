"""What a team sees of itself: joining, handing in, what came of it, its games and what it asks for."""

from __future__ import annotations

from typing import Final

from starlette.responses import Response

from tiltyard_league.database.clock import last_day, now
from tiltyard_league.database.database import Row
from tiltyard_league.database.games import LeagueGame
from tiltyard_league.database.state import read_state
from tiltyard_league.database.teams import members_of
from tiltyard_league.database.tokens import LIFETIMES, Holder, holder_of, make_token
from tiltyard_league.database.versions import (
    HAS_PLAYED,
    active_version_of,
    active_versions,
    checks_before,
    quota,
    report_of,
    same_code,
)
from tiltyard_league.web.http.access import Page
from tiltyard_league.web.http.context import SESSION, Context, RequestRefusedError, missing, whole_number
from tiltyard_league.web.pages.public import team_values
from tiltyard_league.web.pages.tables import game_views
from tiltyard_league.web.pages.uploads import is_late, used_up, why_closed
from tiltyard_site.pages.table_parts import scale

GAMES_A_PAGE: Final = 50
CHANGED: Final = 40
"""Games that are shown of what changed between two versions."""


def join(context: Context) -> Response:
    """The page behind an invite link. Showing it changes nothing: programs that look at links ask for them too."""
    holder = _holder_of_link(context)
    if holder.team is None:
        return context.page("join.html", page="join", team=None, members=[])
    team = context.teams[holder.team]
    return context.page("join.html", page="join", team=team, members=members_of(context.database, team["id"]))


def _holder_of_link(context: Context) -> Holder:
    holder = holder_of(context.database, str(context.request.path_params["token"]), "invite")
    if holder is None:
        raise RequestRefusedError(404, "This link is no longer valid. Ask the staff for a new one.")
    return holder


def enter(context: Context) -> Response:
    """Sign in by an invite link."""
    # All in one transaction: a link that staff end at this moment signs nobody in afterwards.
    with context.database.writing():
        holder = _holder_of_link(context)
        member: int | None = None
        if holder.team is not None:
            members = {str(row["id"]): int(row["id"]) for row in members_of(context.database, holder.team)}
            member = members.get(str(context.form.get("member", "")))
            if member is None and len(members) > 1:
                raise RequestRefusedError(400, "Choose your name in the list.")
            member = next(iter(members.values()), None) if member is None else member
        token = make_token(context.database, "session", holder.team, member)
    context.cookies.append((SESSION, token, int(LIFETIMES["session"].total_seconds())))
    return context.go("/staff" if holder.team is None else "/me")


def leave(context: Context) -> Response:
    """Sign out on this machine."""
    with context.database.writing():
        if context.holder is not None:
            context.database.run("DELETE FROM tokens WHERE hash = ?", context.holder.hash)
    context.cookies.append((SESSION, "", 0))
    return context.go("/")


def me(context: Context) -> Response:
    """The team's own page."""
    row = context.own_team
    version = active_version_of(context.database, row["id"])
    keys = context.app.settings.keys
    members = members_of(context.database, row["id"])
    values = team_values(context, row, version)
    ends = [end for rating in values["ratings"].values() if rating for end in (rating[0] - rating[1], rating[0] + rating[1])]
    left = quota(context.database, row["id"], keys.uploads_a_day)
    closed = why_closed(context) or used_up(context, left)
    values |= {"members": members, "keys": keys, "quota": left, "closed": closed, "late": is_late(context), "ends": ends}
    return context.page("me.html", page="me", scale=scale(ends), **values)


def token(context: Context) -> Response:
    """A new token for ``tiltyard hand-in``; the one that this member had is worthless from now on, those of the others aren't."""
    member = None if context.holder is None else context.holder.member
    with context.writing():
        context.database.run("DELETE FROM tokens WHERE kind = 'upload' AND team = ? AND member IS ?", context.team, member)
        new_token = make_token(context.database, "upload", context.team, member)
        context.log("upload token")
    return context.page("token.html", page="me", token=new_token)


def _version(context: Context) -> Row:
    row = context.own_version()
    if row is None:
        raise missing("version")
    return row


def version(context: Context) -> Response:
    """A version: what the check said, and what changed since the one before."""
    row = _version(context)
    same = same_code(context.database, context.team, row["id"], row["code"]) if row["state"] == "again" else None
    before = context.database.row(
        "SELECT * FROM versions WHERE team = ? AND number < ? AND code != '' AND state IN ('accepted', 'disabled', 'withdrawn')"
        " ORDER BY number DESC LIMIT 1",
        *(context.team, row["number"]),
    )
    handed_in_by = context.database.row("SELECT name FROM members WHERE id = ?", row["member"])
    return context.page(
        "version.html",
        page="me",
        version=row,
        same=same,
        report=report_of(row),
        before=before,
        changed=[] if before is None or not row["code"] else changed(context, before["id"], row["id"]),
        rating=context.standing.rating_of(row["id"]),
        active=active_version_of(context.database, context.team),
        waiting=checks_before(context.database, row["id"]),
        member="" if handed_in_by is None else handed_in_by["name"],
    )


def changed(context: Context, before: int, version: int) -> list[dict[str, object]]:
    """Games in which two versions of a team did differently against the same opponents on the same map in the same seats."""
    games = context.games
    earlier = {_situation(game, before): game for game in games.of_version(before)}
    pairs = [
        (game, old)
        for game in games.of_version(version)
        if (old := earlier.get(_situation(game, version))) is not None and old.points_of(before) != game.points_of(version)
    ]
    places = games.with_replays([each for both in pairs for each in both])
    rows: list[dict[str, object]] = []
    for game, old in pairs:
        better = game.points_of(version) > old.points_of(before)
        new_shown, old_shown = game_views(context, [game, old], context.team)
        replays = {game.place, old.place} <= places
        others = [side for side in new_shown.sides if side["id"] != version]
        rows.append({"better": better, "game": new_shown, "old": old_shown, "opponents": others, "replays": replays})
    # What can be watched comes first.
    return sorted(rows, key=lambda each: (bool(each["better"]), not each["replays"]))[:CHANGED]


def _situation(game: LeagueGame, version: int) -> tuple[str, tuple[int, ...]]:
    """The map and who sat where, the version itself left out."""
    return game.map, tuple(0 if each == version else each for each in game.versions)


def withdraw(context: Context) -> Response:
    """Take a version back: it stops playing. Its games stay, since they are others' games too."""
    with context.writing():
        row = _version(context)
        _check_not_again(context, row)
        if row["state"] not in ("received", "checking", "accepted"):
            raise RequestRefusedError(409, f"Version {row['number']} is {row['state']} and can't be withdrawn.")
        _check_not_stopped(context)
        context.database.run("UPDATE versions SET state = 'withdrawn' WHERE id = ?", row["id"])
        context.log("version withdrawn", version=row["id"], number=row["number"])
    return context.go("/me")


def choose(context: Context) -> Response:
    """Let a version play that was accepted or withdrawn before."""
    with context.writing():
        row = _version(context)
        _check_not_again(context, row)
        # It may have failed too often since the page was opened.
        if row["state"] not in ("accepted", "withdrawn") or row["entry"] is None:
            raise RequestRefusedError(409, f"Version {row['number']} is {row['state']} and can't play.")
        _check_not_stopped(context)
        context.database.run("UPDATE versions SET state = 'accepted' WHERE id = ?", row["id"])
        context.database.run("UPDATE teams SET chosen = ? WHERE id = ?", row["id"], context.team)
        context.log("version chosen", version=row["id"], number=row["number"])
    return context.go("/me")


def _check_not_again(context: Context, row: Row) -> None:
    """That a version is not an earlier one again, which plays for both: their games would count twice.

    Raises:
        RefusedError: it is.
    """
    same = same_code(context.database, context.team, row["id"], row["code"]) if row["code"] else None
    if same is not None and (row["state"] == "again" or same["id"] < row["id"]):
        raise RequestRefusedError(409, f"Version {row['number']} is version {same['number']} again; open the page of that version.")


def _check_not_stopped(context: Context) -> None:
    """That a team may still change which of its versions plays.

    Raises:
        RefusedError: it can't, and why.
    """
    if context.stopped:
        raise RequestRefusedError(403, f"The league is {context.stopped}; which version plays can't be changed now.")


def games(context: Context) -> Response:
    """All games of the team, or those in which its code failed."""
    query = context.request.query_params
    before = whole_number(query.get("before", ""))
    only_faults = query.get("fault") == "1"
    versions = [row["id"] for row in context.database.rows("SELECT id FROM versions WHERE team = ?", context.team)]
    league_games = context.games.last_of(versions, GAMES_A_PAGE, before, only_faults=only_faults)
    more = league_games[-1].place if len(league_games) == GAMES_A_PAGE else 0
    views = game_views(context, league_games, context.team)
    return context.page("my_games.html", page="me", games=views, more=more, only_faults=only_faults)


def requests(context: Context) -> Response:
    """What the team has asked for, and the form to ask for more."""
    rows = context.database.rows("SELECT * FROM requests WHERE team = ? ORDER BY id DESC LIMIT 50", context.team)
    opponents = _opponents(context)
    names = context.version_labels(
        {row["opponent"] for row in rows} | {row["version"] for row in rows} | {row["id"] for row in opponents}
    )
    places = {
        row["id"]: next(iter(context.games.rows("SELECT place FROM league_games WHERE kind = ?", f"requested {row['id']}")), (0,))[
            0
        ]
        for row in rows
        if row["state"] == "played"
    }
    return context.page(
        "requests.html",
        page="me",
        rows=rows,
        names=names,
        played=places,
        opponents=[names[row["id"]] for row in opponents if row["team"] != context.team],
        maps=read_state(context.app.folder).maps,
        versions=context.database.rows(
            f"SELECT * FROM versions WHERE team = ? AND {HAS_PLAYED} ORDER BY number DESC",  # noqa: S608 -- our own words
            context.team,
        ),
        left=_requests_left(context),
    )


def _opponents(context: Context) -> list[Row]:
    """The versions that play, as far as the visitor may know of them: while the league is frozen, those that played then."""
    if not context.until:
        return active_versions(context.database)
    ids = {line.version for line in context.standing.lines}
    return [row for row in context.database.rows("SELECT * FROM versions ORDER BY id") if row["id"] in ids]


def _requests_left(context: Context) -> int:
    most = context.app.settings.keys.requests_a_day
    since = context.database.number(
        "SELECT count(*) FROM requests WHERE team = ? AND asked_at > ? AND asked_at <= ?", context.team, *last_day()
    )
    return max(0, most - since)


def ask(context: Context) -> Response:
    """Ask for an unrated game of a version of one's own."""
    choices = {name: str(context.form.get(name, "")) for name in ("version", "opponent", "map")}
    own = context.database.row(
        f"SELECT id FROM versions WHERE team = ? AND id = ? AND {HAS_PLAYED}",  # noqa: S608 -- our own words
        *(context.team, choices["version"]),
    )
    opponent = next((row for row in _opponents(context) if str(row["id"]) == choices["opponent"]), None)
    if own is None or opponent is None or choices["map"] not in read_state(context.app.folder).maps:
        raise RequestRefusedError(400, "Choose one of your versions, an opponent and a map.")
    with context.writing():
        # Here, as sixty may ask at the same moment.
        if context.stopped:
            raise RequestRefusedError(403, f"The league is {context.stopped}; no more games are played.")
        if not _requests_left(context):
            raise RequestRefusedError(429, "Your team has asked for all the games that it can have within 24 hours.")
        context.database.run(
            "INSERT INTO requests (team, version, opponent, map, asked_at, state, reason) VALUES (?, ?, ?, ?, ?, 'open', '')",
            *(context.team, own["id"], opponent["id"], choices["map"], now()),
        )
    return context.go("/me/requests")


PAGES: Final = (
    Page("/join/{token}", "public", join, signs_in=True),
    Page("/join/{token}", "public", enter, methods=("POST",), has_session=False, signs_in=True),
    Page("/me", "team", me),
    Page("/me/token", "team", token, methods=("POST",)),
    Page("/me/versions/{number}", "team", version),
    Page("/me/versions/{number}/withdraw", "team", withdraw, methods=("POST",)),
    Page("/me/versions/{number}/choose", "team", choose, methods=("POST",)),
    Page("/me/games", "team", games),
    Page("/me/requests", "team", requests),
    Page("/me/requests", "team", ask, methods=("POST",)),
    Page("/me/leave", "team", leave, methods=("POST",)),
)
