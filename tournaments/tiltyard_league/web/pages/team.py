"""What a team sees of itself: joining, handing in, what came of it, its games and what it asks for."""

from __future__ import annotations

from typing import Final

from starlette.responses import Response

from tiltyard_league.database.clock import last_day, now
from tiltyard_league.database.database import Row
from tiltyard_league.database.games import Game
from tiltyard_league.database.state import read_state
from tiltyard_league.database.teams import members_of
from tiltyard_league.database.tokens import LIFETIMES, Holder, holder_of, make_token
from tiltyard_league.database.versions import PLAYED, checks_before, playing, playing_of, quota, report_of, same_code
from tiltyard_league.web.http.access import Page
from tiltyard_league.web.http.context import SESSION, RefusedError, Visit, missing, whole_number
from tiltyard_league.web.pages.public import team_values
from tiltyard_league.web.pages.tables import shown_games
from tiltyard_league.web.pages.uploads import is_late, used_up, why_closed
from tiltyard_tournaments.site.pages import scale

GAMES_A_PAGE: Final = 50
CHANGED: Final = 40
"""Games that are shown of what changed between two versions."""


def join(visit: Visit) -> Response:
    """The page behind an invite link. Showing it changes nothing: programs that look at links ask for them too."""
    holder = _holder_of_link(visit)
    if holder.team is None:
        return visit.page("join.html", page="join", team=None, members=[])
    team = visit.teams[holder.team]
    return visit.page("join.html", page="join", team=team, members=members_of(visit.database, team["id"]))


def _holder_of_link(visit: Visit) -> Holder:
    holder = holder_of(visit.database, str(visit.request.path_params["token"]), "invite")
    if holder is None:
        raise RefusedError(404, "This link is not valid any more. Whoever runs the league can make a new one.")
    return holder


def enter(visit: Visit) -> Response:
    """Sign in by an invite link."""
    # All in one transaction: a link that staff end at this moment signs nobody in afterwards.
    with visit.database.writing():
        holder = _holder_of_link(visit)
        member: int | None = None
        if holder.team is not None:
            known = {str(row["id"]): int(row["id"]) for row in members_of(visit.database, holder.team)}
            member = known.get(str(visit.form.get("member", "")))
            if member is None and len(known) > 1:
                raise RefusedError(400, "Say who you are: choose your name in the list.")
            member = next(iter(known.values()), None) if member is None else member
        token = make_token(visit.database, "session", holder.team, member)
    visit.cookies.append((SESSION, token, int(LIFETIMES["session"].total_seconds())))
    return visit.go("/staff" if holder.team is None else "/me")


def leave(visit: Visit) -> Response:
    """Sign out on this machine."""
    with visit.database.writing():
        if visit.holder is not None:
            visit.database.run("DELETE FROM tokens WHERE hash = ?", visit.holder.hash)
    visit.cookies.append((SESSION, "", 0))
    return visit.go("/")


def me(visit: Visit) -> Response:
    """The team's own page."""
    row = visit.own_team
    version = playing_of(visit.database, row["id"])
    keys = visit.door.settings.keys
    members = members_of(visit.database, row["id"])
    values = team_values(visit, row, version)
    ends = [end for found in values["ratings"].values() if found for end in (found[0] - found[1], found[0] + found[1])]
    left = quota(visit.database, row["id"], keys.uploads_a_day)
    closed = why_closed(visit) or used_up(visit, left)
    values |= {"members": members, "keys": keys, "quota": left, "closed": closed, "late": is_late(visit), "ends": ends}
    return visit.page("me.html", page="me", scale=scale(ends), **values)


def token(visit: Visit) -> Response:
    """A new token for ``tiltyard hand-in``; the one that this member had is worthless from now on, those of the others aren't."""
    member = None if visit.holder is None else visit.holder.member
    with visit.writing():
        visit.database.run("DELETE FROM tokens WHERE kind = 'upload' AND team = ? AND member IS ?", visit.team, member)
        made = make_token(visit.database, "upload", visit.team, member)
        visit.log("upload token")
    return visit.page("token.html", page="me", token=made)


def _version(visit: Visit) -> Row:
    row = visit.own_version()
    if row is None:
        raise missing("version")
    return row


def version(visit: Visit) -> Response:
    """A version: what the check said, and what changed since the one before."""
    row = _version(visit)
    same = same_code(visit.database, visit.team, row["id"], row["code"]) if row["state"] == "again" else None
    before = visit.database.row(
        "SELECT * FROM versions WHERE team = ? AND number < ? AND code != '' AND state IN ('accepted', 'disabled', 'withdrawn')"
        " ORDER BY number DESC LIMIT 1",
        *(visit.team, row["number"]),
    )
    handed_in_by = visit.database.row("SELECT name FROM members WHERE id = ?", row["member"])
    return visit.page(
        "version.html",
        page="me",
        version=row,
        same=same,
        report=report_of(row),
        before=before,
        changed=[] if before is None or not row["code"] else changed(visit, before["id"], row["id"]),
        rating=visit.standing.rating_of(row["id"]),
        playing=playing_of(visit.database, visit.team),
        waiting=checks_before(visit.database, row["id"]),
        member="" if handed_in_by is None else handed_in_by["name"],
    )


def changed(visit: Visit, before: int, version: int) -> list[dict[str, object]]:
    """Games in which two versions of a team did differently against the same opponent on the same map in the same seat."""
    games = visit.games
    earlier = {(game.versions[2 - seat], game.map, seat): game for seat, game in _by_seat(games.of_version(before), before)}
    pairs = [
        (seat, game, old)
        for seat, game in _by_seat(games.of_version(version), version)
        if (old := earlier.get((game.versions[2 - seat], game.map, seat))) is not None
        and old.points_of(before) != game.points_of(version)
    ]
    kept = games.with_replays([each for _, *both in pairs for each in both])
    found: list[dict[str, object]] = []
    for seat, game, old in pairs:
        better = game.points_of(version) > old.points_of(before)
        new_shown, old_shown = shown_games(visit, [game, old], visit.team)
        replays = {game.place, old.place} <= kept
        found.append(
            {"better": better, "game": new_shown, "old": old_shown, "opponent": new_shown.sides[2 - seat], "replays": replays}
        )
    # What can be watched comes first.
    return sorted(found, key=lambda each: (bool(each["better"]), not each["replays"]))[:CHANGED]


def _by_seat(games: list[Game], version: int) -> list[tuple[int, Game]]:
    return [(game.versions.index(version) + 1, game) for game in games]


def withdraw(visit: Visit) -> Response:
    """Take a version back: it stops playing. Its games stay, since they are others' games too."""
    with visit.writing():
        row = _version(visit)
        _check_not_again(visit, row)
        if row["state"] not in ("received", "checking", "accepted"):
            raise RefusedError(409, f"Version {row['number']} is {row['state']} and can't be withdrawn.")
        _check_not_stopped(visit)
        visit.database.run("UPDATE versions SET state = 'withdrawn' WHERE id = ?", row["id"])
        visit.log("version withdrawn", version=row["id"], number=row["number"])
    return visit.go("/me")


def choose(visit: Visit) -> Response:
    """Let a version play that was accepted or withdrawn before."""
    with visit.writing():
        row = _version(visit)
        _check_not_again(visit, row)
        # It may have failed too often since the page was opened.
        if row["state"] not in ("accepted", "withdrawn") or row["entry"] is None:
            raise RefusedError(409, f"Version {row['number']} is {row['state']} and can't play.")
        _check_not_stopped(visit)
        visit.database.run("UPDATE versions SET state = 'accepted' WHERE id = ?", row["id"])
        visit.database.run("UPDATE teams SET chosen = ? WHERE id = ?", row["id"], visit.team)
        visit.log("version chosen", version=row["id"], number=row["number"])
    return visit.go("/me")


def _check_not_again(visit: Visit, row: Row) -> None:
    """That a version is not an earlier one again, which plays for both: their games would count twice.

    Raises:
        RefusedError: it is.
    """
    same = same_code(visit.database, visit.team, row["id"], row["code"]) if row["code"] else None
    if same is not None and (row["state"] == "again" or same["id"] < row["id"]):
        raise RefusedError(409, f"Version {row['number']} is version {same['number']} again; open the page of that version.")


def _check_not_stopped(visit: Visit) -> None:
    """That a team may still change which of its versions plays.

    Raises:
        RefusedError: it can't, and why.
    """
    if visit.stopped:
        raise RefusedError(403, f"The league is {visit.stopped}; which version plays can't be changed now.")


def games(visit: Visit) -> Response:
    """All games of the team, or those in which its code failed."""
    asked = visit.request.query_params
    before = whole_number(asked.get("before", ""))
    only_faults = asked.get("fault") == "1"
    versions = [row["id"] for row in visit.database.rows("SELECT id FROM versions WHERE team = ?", visit.team)]
    found = visit.games.last_of(versions, GAMES_A_PAGE, before, only_faults=only_faults)
    more = found[-1].place if len(found) == GAMES_A_PAGE else 0
    shown = shown_games(visit, found, visit.team)
    return visit.page("my_games.html", page="me", games=shown, more=more, only_faults=only_faults)


def requests(visit: Visit) -> Response:
    """What the team has asked for, and the form to ask for more."""
    rows = visit.database.rows("SELECT * FROM requests WHERE team = ? ORDER BY id DESC LIMIT 50", visit.team)
    opponents = _opponents(visit)
    names = visit.shown({row["opponent"] for row in rows} | {row["version"] for row in rows} | {row["id"] for row in opponents})
    played = {
        row["id"]: next(iter(visit.games.rows("SELECT place FROM league_games WHERE kind = ?", f"requested {row['id']}")), (0,))[0]
        for row in rows
        if row["state"] == "played"
    }
    return visit.page(
        "requests.html",
        page="me",
        rows=rows,
        names=names,
        played=played,
        opponents=[names[row["id"]] for row in opponents if row["team"] != visit.team],
        maps=read_state(visit.door.folder).maps,
        versions=visit.database.rows(
            f"SELECT * FROM versions WHERE team = ? AND {PLAYED} ORDER BY number DESC",  # noqa: S608 -- our own words
            visit.team,
        ),
        left=_requests_left(visit),
    )


def _opponents(visit: Visit) -> list[Row]:
    """The versions that play, as far as the visitor may know of them: while the league is frozen, those that played then."""
    if not visit.until:
        return playing(visit.database)
    known = {line.version for line in visit.standing.lines}
    return [row for row in visit.database.rows("SELECT * FROM versions ORDER BY id") if row["id"] in known]


def _requests_left(visit: Visit) -> int:
    most = visit.door.settings.keys.requests_a_day
    since = visit.database.number(
        "SELECT count(*) FROM requests WHERE team = ? AND asked_at > ? AND asked_at <= ?", visit.team, *last_day()
    )
    return max(0, most - since)


def ask(visit: Visit) -> Response:
    """Ask for an unrated game of a version of one's own."""
    given = {name: str(visit.form.get(name, "")) for name in ("version", "opponent", "map")}
    own = visit.database.row(
        f"SELECT id FROM versions WHERE team = ? AND id = ? AND {PLAYED}",  # noqa: S608 -- our own words
        *(visit.team, given["version"]),
    )
    opponent = next((row for row in _opponents(visit) if str(row["id"]) == given["opponent"]), None)
    if own is None or opponent is None or given["map"] not in read_state(visit.door.folder).maps:
        raise RefusedError(400, "Choose a version of yours, an opponent and a map.")
    with visit.writing():
        # Here, as sixty may ask at the same moment.
        if visit.stopped:
            raise RefusedError(403, f"The league is {visit.stopped}; nothing more is played.")
        if not _requests_left(visit):
            raise RefusedError(429, "Your team has asked for as many games as it can within 24 hours.")
        visit.database.run(
            "INSERT INTO requests (team, version, opponent, map, asked_at, state, reason) VALUES (?, ?, ?, ?, ?, 'open', '')",
            *(visit.team, own["id"], opponent["id"], given["map"], now()),
        )
    return visit.go("/me/requests")


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
