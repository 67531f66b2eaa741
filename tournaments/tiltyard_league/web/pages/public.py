"""What everybody may see: the standing, teams, games, the rules, and numbers for programs."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final
from xml.sax.saxutils import escape

import msgspec
from starlette.responses import Response

from tiltyard_league.database.database import Row
from tiltyard_league.database.state import read_state
from tiltyard_league.database.teams import is_slug
from tiltyard_league.database.versions import playing_of
from tiltyard_league.rating.history import read_history
from tiltyard_league.submissions.upload import free_bytes
from tiltyard_league.web.http.access import Page, up_seconds
from tiltyard_league.web.http.assets import tagged
from tiltyard_league.web.http.context import Visit, missing, whole_number
from tiltyard_league.web.pages.curves import Curve, make_curve
from tiltyard_league.web.pages.tables import against, on_maps, shown_games
from tiltyard_tournaments.site.pages import SHARES, scale

GAMES_A_PAGE: Final = 100
LAST_GAMES: Final = 20
NEWS: Final = 30


def standing_rows(visit: Visit) -> list[dict[str, Any]]:
    """The lines of the standing with names."""
    rows: list[dict[str, Any]] = []
    numbers = visit.shown({line.version for line in visit.standing.lines})
    for place, line in enumerate(visit.standing.lines, start=1):
        side = numbers.get(line.version)
        team = visit.teams.get(line.team)
        if side is None or team is None:
            continue
        rows.append({"place": place, "line": line, "team": team, "name": visit.name_of(team), "side": side, "own": side["own"]})
    return rows


def index(visit: Visit) -> Response:
    """The standing."""
    rows = standing_rows(visit)
    ends = [end for row in rows for end in (row["line"].rating - row["line"].error, row["line"].rating + row["line"].error)]
    games = visit.standing.games if visit.until else visit.games.newest()
    last = shown_games(visit, visit.games.last(LAST_GAMES, until=visit.until))
    return visit.page(
        "standing.html",
        page="standing",
        rows=rows,
        scale=scale(ends),
        games=games,
        last=last,
        closed_at=visit.database.fact("closed_at"),
    )


def team(visit: Visit) -> Response:
    """A team for everybody."""
    row = _team_of(visit)
    line = visit.standing.line_of(row["id"])
    if visit.until and row["id"] != visit.team:
        # Which version plays now is kept back as well.
        version = None if line is None else visit.database.row("SELECT * FROM versions WHERE id = ?", line.version)
    else:
        version = playing_of(visit.database, row["id"])
    return visit.page("team.html", page="team", **team_values(visit, row, version))


def team_values(visit: Visit, row: Row, version: Row | None) -> dict[str, Any]:
    """What the page of a team shows. Also while the league is frozen, a team sees what becomes of its own games."""
    until = "" if row["id"] == visit.team else visit.until
    versions = visit.database.rows("SELECT * FROM versions WHERE team = ? ORDER BY number DESC", row["id"])
    games = [] if version is None else visit.games.of_version(version["id"])
    if until:
        games = [game for game in games if game.ended_at <= until]
        versions = [each for each in versions if each["checked_at"] <= until]
    numbers = [each["id"] for each in versions if each["state"] in ("accepted", "disabled", "withdrawn")]
    return {
        "team": row,
        "name": visit.name_of(row),
        "place": visit.standing.place_of(row["id"]),
        "line": visit.standing.line_of(row["id"]),
        "version": version,
        "versions": versions,
        "curve": curve_of(visit, row["id"], versions),
        "ratings": {each["id"]: visit.standing.rating_of(each["id"]) for each in versions},
        "last": shown_games(visit, visit.games.last_of(numbers, LAST_GAMES, until=until), row["id"]),
        "opponents": [] if version is None else against(visit, version["id"], games),
        "maps": [] if version is None else on_maps(visit, version["id"], games),
        "shares": SHARES,
    }


def curve_of(visit: Visit, team: int, versions: Sequence[Row]) -> Curve | None:
    """A team's rating over time, up to now; None while there is too little to draw."""
    points = read_history(visit.door.folder).of_team(team, visit.until)
    line = visit.standing.line_of(team)
    if line is not None and visit.standing.made_at:
        points.append((visit.standing.made_at, line.rating, line.error))
    return make_curve(points, [row["checked_at"] for row in versions if row["entry"] is not None])


def old_team(visit: Visit) -> Response:
    """The address that pages of replays have for a team."""
    return visit.go(f"/teams/{visit.request.path_params['slug']}")


def games(visit: Visit) -> Response:
    """The newest games, or older ones; of two versions also which differ from those of another version."""
    asked = visit.request.query_params
    before, version, other = (whole_number(asked.get(name, "")) for name in ("before", "version", "against"))
    stored = visit.games
    about = visit.shown({version}).get(version) if version else None
    until = "" if about and about["own"] else visit.until
    if version and other:
        found = [game for game in stored.between(version, other) if not until or game.ended_at <= until]
    elif version:
        found = stored.last_of([version], GAMES_A_PAGE, before, until)
    else:
        found = stored.last(GAMES_A_PAGE, before, until)
    if version and (about is None or not (found or about["own"] or visit.is_staff)):
        raise missing("version")
    shown = shown_games(visit, found, about["team"] if about else visit.team)
    more = found[-1].place if len(found) == GAMES_A_PAGE and not (version and other) else 0
    others = visit.shown({other}).get(other) if other else None
    return visit.page("games.html", page="games", games=shown, more=more, about=about, other=others)


def all_games(visit: Visit) -> Response:
    """The games, for who leaves out the slash."""
    return visit.go("/games/")


def rules(visit: Visit) -> Response:
    """How the league works."""
    return visit.page("rules.html", page="rules", keys=visit.door.settings.keys, deadline=visit.door.settings.deadline)


def status(visit: Visit) -> Response:
    """Numbers for a program that watches the league."""
    state = read_state(visit.door.folder)
    received = visit.database.number("SELECT count(*) FROM versions WHERE state IN ('received', 'checking')")
    free = free_bytes(visit.door.folder)
    value = {
        "title": visit.door.settings.title,
        "steward": {"at": state.at, "workers": state.workers, "playing": state.flying, "fixtures_left": state.left},
        "door": {"up_seconds": round(up_seconds())},
        "games": visit.standing.games if visit.until else visit.games.newest(),
        "games_last_hour": state.last_hour,
        "waiting_for_a_check": received,
        "complete": visit.standing.complete,
        "frozen_at": visit.frozen_at or None,
        "free_bytes": free,
        "has_room": free >= visit.door.settings.keys.least_free,
    }
    return Response(msgspec.json.encode(value), media_type="application/json")


def feed(visit: Visit) -> Response:
    """New versions as an Atom feed."""
    rows = visit.database.rows(
        "SELECT versions.*, teams.slug FROM versions JOIN teams ON teams.id = versions.team WHERE versions.state = 'accepted'"
        " AND upload != '' AND (?1 = '' OR checked_at <= ?1) ORDER BY versions.id DESC LIMIT ?2",
        *(visit.until, NEWS),
    )
    names = visit.shown({row["id"] for row in rows})
    entries = "".join(
        f"<entry><id>{escape(visit.absolute('/teams/' + row['slug']))}#{row['number']}</id>"
        f"<title>{escape(names[row['id']]['label'])}</title><updated>{escape(row['checked_at'])}</updated>"
        f'<link href="{escape(visit.absolute("/teams/" + row["slug"]))}"/></entry>'
        for row in rows
    )
    newest = rows[0]["checked_at"] if rows else "2000-01-01T00:00:00+00:00"
    text = (
        f'<?xml version="1.0" encoding="utf-8"?><feed xmlns="http://www.w3.org/2005/Atom"><id>{escape(visit.absolute("/"))}</id>'
        f"<title>{escape(visit.door.settings.title)}</title><updated>{escape(newest)}</updated>{entries}</feed>\n"
    )
    return tagged(visit, text.encode(), "application/atom+xml")


def _team_of(visit: Visit) -> Row:
    slug = str(visit.request.path_params["slug"])
    row = visit.database.row("SELECT * FROM teams WHERE slug = ?", slug) if is_slug(slug) else None
    if row is None or (row["state"] == "gone" and not visit.is_staff):
        raise missing("team")
    return row


PAGES: Final = (
    Page("/", "public", index, is_kept=True),
    Page("/teams/{slug}", "public", team, is_kept=True),
    Page("/team-{slug}.html", "public", old_team),
    Page("/games/", "public", games, is_kept=True),
    Page("/games", "public", all_games),
    Page("/rules", "public", rules, is_kept=True),
    Page("/status.json", "public", status),
    Page("/feed.atom", "public", feed, is_kept=True),
)
