"""The log of what staff, teams and the league itself did, with names in place of numbers."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any, Final

from starlette.responses import Response

from tiltyard_league.database.database import Row
from tiltyard_league.web.http.access import Page
from tiltyard_league.web.http.context import Context, whole_number

LINES: Final = 200
"""On one page."""
FIRST: Final = ("key", "team", "version")
"""What it was done to comes before why and how."""


def log(context: Context) -> Response:
    """What was done, the newest first, or before a line of an earlier page."""
    before = whole_number(context.request.query_params.get("before", ""))
    rows = context.database.rows("SELECT * FROM log WHERE ?1 = 0 OR id < ?1 ORDER BY id DESC LIMIT ?2", before, LINES + 1)
    older = rows[LINES - 1]["id"] if len(rows) > LINES else 0
    lines = [_line(context, row) for row in rows[:LINES]]
    return context.page("log.html", page="staff", lines=lines, older=older, is_first=not before)


def _line(context: Context, row: Row) -> dict[str, Any]:
    about = list(_about(context, json.loads(row["about"])))
    return {"at": row["at"], "who": _who(context, row["who"]), "what": row["what"], "about": about}


def _who(context: Context, who: str) -> str:
    kind, _, number = who.partition(" ")
    if kind == "team" and number.isdigit() and int(number) in context.teams:
        return str(context.teams[int(number)]["name"])
    return who


def _about(context: Context, about: dict[str, Any]) -> Iterator[tuple[str, str, str]]:
    """Each thing that a line is about: a word, a text, and the address of a page about it or nothing."""
    for name, value in sorted(about.items(), key=lambda item: item[0] not in FIRST):
        match name:
            case "team" | "into" if value in context.teams:
                yield name, str(context.teams[value]["name"]), f"/staff/teams/{value}"
            case "team" if value is None:
                yield "", "of the staff", ""
            case "version" if labels := context.version_labels({value}):
                yield name, str(labels[value]["label"]), f"/staff/versions/{value}"
            case "key":
                places = [game.place for game in context.games.of_key(str(value))]
                for place in places:
                    yield "game", str(place), f"/games/{place}"
                if not places:
                    yield "game", "that was played again", ""
            case "number" if "version" in about:
                pass
            case _ if isinstance(value, list):
                if value:
                    yield name, "; ".join(map(str, value)), ""
            case _ if value not in ("", None):
                yield name, str(value), ""


PAGES: Final = (Page("/staff/log", "staff", log),)
