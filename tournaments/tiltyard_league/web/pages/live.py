"""For an audience: the standing with the newest games and a replay on a large screen, and the end of a league place by place."""

from __future__ import annotations

from typing import Any, Final

import msgspec
from starlette.responses import Response

from tiltyard_league.database.games import LeagueGame
from tiltyard_league.web.http.access import Page
from tiltyard_league.web.http.context import Context
from tiltyard_league.web.pages.games import hall_value
from tiltyard_league.web.pages.public import standing_rows
from tiltyard_league.web.pages.tables import game_views
from tiltyard_site.pages.labels import counted
from tiltyard_site.web.answers import marked_answer

MOST_LINES: Final = 12
MOST_GAMES: Final = 5


def live(context: Context) -> Response:
    """The page for a hall; without a script it shows what there was when it was opened."""
    return context.page("live.html", page="live", **_live(context))


def _live(context: Context) -> dict[str, Any]:
    games = game_views(context, context.games.last(MOST_GAMES, until=context.until))
    rows = standing_rows(context)
    more = f"and {counted(len(rows) - MOST_LINES, 'team')} more" if len(rows) > MOST_LINES else ""
    return {"rows": rows[:MOST_LINES], "more": more, "last": games}


def news(context: Context) -> Response:
    """What the hall's page shows, for its script, which asks again and again; who has it already gets nothing."""
    values = _live(context)
    value = {
        "rows": [
            {
                "place": row["place"],
                "name": row["name"],
                "rating": round(row["line"].rating),
                "error": round(row["line"].error),
                "games": row["line"].games,
            }
            for row in values["rows"]
        ],
        "more": values["more"],
        "games": [hall_value(each) for each in values["last"]],
    }
    return marked_answer(context.etag, msgspec.json.encode(value), "application/json")


def reveal(context: Context) -> Response:
    """The places from the last one up, each with a game against the next one below; for staff, who show it when they like."""
    rows = standing_rows(context)
    lines: list[dict[str, Any]] = []
    for row, below in zip(rows, [*rows[1:], None], strict=True):
        deciding = None if below is None else deciding_game(context, row["line"].version, below["line"].version)
        view = None if deciding is None else game_views(context, [deciding], row["team"]["id"])[0]
        has_replay = deciding is not None and bool(context.games.with_replays([deciding]))
        lines.append({**row, "deciding": view, "has_replay": has_replay, "below": below})
    return context.page("reveal.html", page="reveal", rows=list(reversed(lines)))


def deciding_game(context: Context, version: int, below: int) -> LeagueGame | None:
    """The game to show for a place: the last one in which it came before the next team below, else the last one of the two.

    One whose replay is kept comes before all others.
    """
    games = [game for game in context.games.between(version, below) if game.counts and not game.voided]
    won = [game for game in games if game.rank_of(version) < game.rank_of(below)]
    places = context.games.with_replays(won or games)
    return max(won or games, key=lambda game: (game.place in places, game.place), default=None)


PAGES: Final = (
    Page("/live", "public", live, is_cached=True, for_all=True),
    Page("/live.json", "public", news, is_cached=True, for_all=True),
    Page("/staff/reveal", "staff", reveal),
)
