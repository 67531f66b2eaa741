"""What everybody may see: the standing, teams, games, the rules, and numbers for programs."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final
from urllib.parse import urlencode
from xml.sax.saxutils import escape

import msgspec
from starlette.responses import Response

from tiltyard_league.database.database import Row
from tiltyard_league.database.games import RESULTS, GameChoice
from tiltyard_league.database.state import read_state
from tiltyard_league.database.teams import is_slug, public_label
from tiltyard_league.database.versions import active_version_of
from tiltyard_league.rating.history import read_history
from tiltyard_league.rating.standing import versions_in, with_names
from tiltyard_league.submissions.upload import free_bytes
from tiltyard_league.web.http.access import Page, up_seconds
from tiltyard_league.web.http.context import Context, missing, whole_number
from tiltyard_league.web.pages.curves import Curve, make_curve
from tiltyard_league.web.pages.tables import against, game_views, on_maps
from tiltyard_site.pages.table_parts import SHARES, scale
from tiltyard_site.web.answers import marked_answer

GAMES_A_PAGE: Final = 100
LAST_GAMES: Final = 20
NEWS: Final = 30
RESULTS_OF_MORE: Final = ("first", "shared first", "not first")
"""What RESULTS are called where more than two play."""
FILTERS: Final = ("team", "versus", "map", "seat", "result", "faults")
"""What may be asked of the list of games, as on a published site."""


def standing_rows(context: Context) -> list[dict[str, Any]]:
    """The lines of the standing with names."""
    rows: list[dict[str, Any]] = []
    numbers = context.version_labels({line.version for line in context.standing.lines})
    for place, line in enumerate(context.standing.lines, start=1):
        side = numbers.get(line.version)
        team = context.teams.get(line.team)
        if side is None or team is None:
            continue
        rows.append({"place": place, "line": line, "team": team, "name": context.name_of(team), "side": side, "own": side["own"]})
    return rows


def index(context: Context) -> Response:
    """The standing of all teams."""
    rows = standing_rows(context)
    ends = [end for row in rows for end in (row["line"].rating - row["line"].error, row["line"].rating + row["line"].error)]
    games = context.standing.games if context.until else context.games.newest()
    last = game_views(context, context.games.last(LAST_GAMES, until=context.until))
    sides = context.version_labels(versions_in(context.standing.fit))
    return context.page(
        "standing.html",
        page="standing",
        rows=rows,
        fit=with_names(context.standing.fit, {version: each["name"] for version, each in sides.items()}),
        scale=scale(ends),
        games=games,
        last=last,
        closed_at=context.database.fact("closed_at"),
    )


def team(context: Context) -> Response:
    """A team for everybody."""
    row = _team_of(context)
    line = context.standing.line_of(row["id"])
    if context.until and row["id"] != context.team:
        # Which version plays now is kept back as well.
        version = None if line is None else context.database.row("SELECT * FROM versions WHERE id = ?", line.version)
    else:
        version = active_version_of(context.database, row["id"])
    return context.page("team.html", page="team", **team_values(context, row, version))


def team_values(context: Context, row: Row, version: Row | None) -> dict[str, Any]:
    """What the page of a team shows. Also while the league is frozen, a team sees what becomes of its own games."""
    until = "" if row["id"] == context.team else context.until
    versions = context.database.rows("SELECT * FROM versions WHERE team = ? ORDER BY number DESC", row["id"])
    games = [] if version is None else context.games.of_version(version["id"])
    if until:
        games = [game for game in games if game.ended_at <= until]
        versions = [each for each in versions if each["checked_at"] <= until]
    numbers = [each["id"] for each in versions if each["state"] in ("accepted", "disabled", "withdrawn")]
    return {
        "team": row,
        "name": context.name_of(row),
        "place": context.standing.place_of(row["id"]),
        "line": context.standing.line_of(row["id"]),
        "version": version,
        "versions": versions,
        "curve": curve_of(context, row["id"], versions),
        "ratings": {each["id"]: context.standing.rating_of(each["id"]) for each in versions},
        "last": game_views(context, context.games.last_of(numbers, LAST_GAMES, until=until), row["id"]),
        "opponents": [] if version is None else against(context, version["id"], games),
        "maps": [] if version is None else on_maps(context, version["id"], games),
        "shares": SHARES,
        "opponent": _opponent(context, row, version),
    }


def _opponent(context: Context, team: Row, version: Row | None) -> str:
    """What a version is called where it is played against by hand; empty: this visitor can't."""
    keys = context.app.settings.keys
    if version is None or not keys.play or not context.team or team["state"] != "active":
        return ""
    return public_label(team["kind"], team["name"], team["pseudonym"], version["number"], keys.pseudonyms)


def curve_of(context: Context, team: int, versions: Sequence[Row]) -> Curve | None:
    """A team's rating over time, up to now; None while there is too little to draw."""
    points = read_history(context.app.folder).of_team(team, context.until)
    line = context.standing.line_of(team)
    if line is not None and context.standing.made_at:
        points.append((context.standing.made_at, line.rating, line.error))
    return make_curve(points, [row["checked_at"] for row in versions if row["entry"] is not None])


def old_team(context: Context) -> Response:
    """The address that pages of replays have for a team."""
    return context.go(f"/teams/{context.request.path_params['slug']}")


def games(context: Context) -> Response:
    """The newest games, or older ones; of two versions also which differ from those of another version."""
    query = context.request.query_params
    before, version, other = (whole_number(query.get(name, "")) for name in ("before", "version", "against"))
    source = context.games
    about = context.version_labels({version}).get(version) if version else None
    until = "" if about and about["own"] else context.until
    if version and other and context.app.settings.players > 2:
        # Of more than two, these games are no fixtures of these two alone, and many.
        league_games = source.matching(GameChoice(versions=[version], against=[other]), GAMES_A_PAGE, before, until)
    elif version and other:
        league_games = [game for game in source.between(version, other) if not until or game.ended_at <= until]
    elif version:
        league_games = source.last_of([version], GAMES_A_PAGE, before, until)
    else:
        league_games = source.matching(_choice(context), GAMES_A_PAGE, before, until)
    if version and (about is None or not (league_games or about["own"] or context.is_staff)):
        raise missing("version")
    views = game_views(context, league_games, about["team"] if about else context.team)
    is_all = version and other and context.app.settings.players == 2
    more = league_games[-1].place if len(league_games) == GAMES_A_PAGE and not is_all else 0
    others = context.version_labels({other}).get(other) if other else None
    filters = [(name, query[name]) for name in FILTERS if query.get(name)]
    return context.page(
        "games.html",
        page="games",
        games=views,
        more=more,
        about=about,
        other=others,
        filters=dict(filters),
        filter_query=urlencode(filters),
        team_names=sorted((context.name_of(row), row["slug"]) for row in context.teams.values()),
        map_options=[(name, name) for name in source.maps()],
        seat_options=[(f"player {seat}", str(seat)) for seat in range(1, context.app.settings.players + 1)],
        result_options=list(zip(RESULTS if context.app.settings.players == 2 else RESULTS_OF_MORE, RESULTS, strict=True)),
    )


def _choice(context: Context) -> GameChoice:
    """What the filters of the list ask for."""
    query = context.request.query_params
    team, other = _versions_of(context, query.get("team", "")), _versions_of(context, query.get("versus", ""))
    if team is None:
        # Games of the other alone are games of that team.
        team, other = other, None
    seat, result = whole_number(query.get("seat", "")), query.get("result", "")
    return GameChoice(
        versions=team,
        against=other,
        map=query.get("map", ""),
        seat=seat if seat <= context.app.settings.players else 0,
        result=result if result in RESULTS else "",
        only_faults=bool(query.get("faults")),
    )


def _versions_of(context: Context, slug: str) -> list[int] | None:
    """The versions of a team; None: no team was asked for."""
    if not slug:
        return None
    team = next((row["id"] for row in context.teams.values() if row["slug"] == slug), 0)
    return [row["id"] for row in context.database.rows("SELECT id FROM versions WHERE team = ?", team)]


def all_games(context: Context) -> Response:
    """The games, for who leaves out the slash."""
    return context.go("/games/")


def rules(context: Context) -> Response:
    """How the league works."""
    return context.page("rules.html", page="rules", keys=context.app.settings.keys, deadline=context.app.settings.deadline)


def status(context: Context) -> Response:
    """Numbers for a program that watches the league."""
    state = read_state(context.app.folder)
    received = context.database.number("SELECT count(*) FROM versions WHERE state IN ('received', 'checking')")
    free = free_bytes(context.app.folder)
    value = {
        "title": context.app.settings.title,
        "steward": {"at": state.at, "workers": state.workers, "playing": state.in_flight, "fixtures_left": state.left},
        "door": {"up_seconds": round(up_seconds())},
        "games": context.standing.games if context.until else context.games.newest(),
        "games_last_hour": state.last_hour,
        "waiting_for_a_check": received,
        "complete": context.standing.complete,
        "frozen_at": context.frozen_at or None,
        "free_bytes": free,
        "has_room": free >= context.app.settings.keys.least_free,
    }
    return Response(msgspec.json.encode(value), media_type="application/json")


def feed(context: Context) -> Response:
    """New versions as an Atom feed."""
    rows = context.database.rows(
        "SELECT versions.*, teams.slug FROM versions JOIN teams ON teams.id = versions.team WHERE versions.state = 'accepted'"
        " AND upload != '' AND (?1 = '' OR checked_at <= ?1) ORDER BY versions.id DESC LIMIT ?2",
        *(context.until, NEWS),
    )
    names = context.version_labels({row["id"] for row in rows})
    entries = "".join(
        f"<entry><id>{escape(context.absolute('/teams/' + row['slug']))}#{row['number']}</id>"
        f"<title>{escape(names[row['id']]['label'])}</title><updated>{escape(row['checked_at'])}</updated>"
        f'<link href="{escape(context.absolute("/teams/" + row["slug"]))}"/></entry>'
        for row in rows
    )
    newest = rows[0]["checked_at"] if rows else "2000-01-01T00:00:00+00:00"
    text = (
        f'<?xml version="1.0" encoding="utf-8"?><feed xmlns="http://www.w3.org/2005/Atom"><id>{escape(context.absolute("/"))}</id>'
        f"<title>{escape(context.app.settings.title)}</title><updated>{escape(newest)}</updated>{entries}</feed>\n"
    )
    return marked_answer(context.etag, text.encode(), "application/atom+xml")


def _team_of(context: Context) -> Row:
    slug = str(context.request.path_params["slug"])
    row = context.database.row("SELECT * FROM teams WHERE slug = ?", slug) if is_slug(slug) else None
    if row is None or (row["state"] == "gone" and not context.is_staff):
        raise missing("team")
    return row


PAGES: Final = (
    Page("/", "public", index, is_cached=True),
    Page("/teams/{slug}", "public", team, is_cached=True),
    Page("/team-{slug}.html", "public", old_team),
    Page("/games/", "public", games, is_cached=True),
    Page("/games", "public", all_games),
    Page("/rules", "public", rules, is_cached=True),
    Page("/status.json", "public", status),
    Page("/feed.atom", "public", feed, is_cached=True),
)
