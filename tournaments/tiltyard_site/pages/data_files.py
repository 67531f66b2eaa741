"""What programs read of a site: standings and games as JSON, of the same values as the pages (fields: docs/reference/site.md)."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any, Final

from tiltyard_site.pages.data import SiteData
from tiltyard_site.pages.labels import line
from tiltyard_site.pages.match_scripts import Listed, decision_about, fault_message, match_message

VERSION: Final = 1
"""Of both files. Fields may be added to a version, none is taken away or means something else."""
TEAM_COLUMNS: Final = ("team", "algorithm")


def standings_file(data: SiteData, game_count: int, slugs: Mapping[str, str]) -> bytes:
    """``data/standings.json``: the table of the standings, a line a team, with the rating if there is one."""
    ratings, hardest = {rating.team: rating for rating in data.ratings}, data.rated().hardest
    teams: list[dict[str, Any]] = []
    for row in data.standings.rows:
        values = dict(zip(data.standings.headers, row, strict=True))
        name = str(next((values.pop(column) for column in TEAM_COLUMNS if column in values), ""))
        team: dict[str, Any] = {"team": line(name)}
        team |= {column: line(value) if isinstance(value, str) else value for column, value in values.items()}
        if name in slugs:
            team["page"] = f"team-{slugs[name]}.html"
        if name in ratings:
            rating = ratings[name]
            team["elo"] = {"value": round(rating.value, 1), "low": round(rating.low, 1), "high": round(rating.high, 1)}
        if name in hardest:
            team["hardest_opponent"] = line(hardest[name][0])
        teams.append(team)
    about: dict[str, Any] = {
        "title": line(data.title),
        "game": line(data.game),
        "games_played": game_count,
        "games_planned": max(data.planned, game_count),
    }
    if data.rated().fit:
        about["fit"] = line(data.rated().fit)
    return _json({"format": "tiltyard standings", **about}, "standings", teams)


def games_file(data: SiteData, entries: Sequence[Listed]) -> bytes:
    """``data/games.json``: all games that were played, in the order of the schedule."""
    return _json({"format": "tiltyard games"}, "games", [_game(data, entry) for entry in entries])


def _game(data: SiteData, entry: Listed) -> dict[str, Any]:
    match = entry.match
    return {
        "number": entry.id,
        "teams": [line(name) for name in match.teams],
        "map": line(match.map),
        "stage": line(match.stage),
        "game": match.game,
        "counts": match.counts,
        "winner": line(match.teams[match.winner - 1]) if match.winner else None,
        "winner_seat": match.winner or None,
        "ranks": list(match.ranks),
        "scores": [score if abs(score) < float("inf") else None for score in match.scores],
        "turns": match.rounds,
        "reason": line(match.reason),
        "message": match_message(match, data.hide),
        "faults": [
            {
                "seat": fault.seat or None,
                "kind": fault.termination.value,
                "turn": fault.round if fault.round >= 0 else None,
                "message": fault_message(fault.message, data.hide),
            }
            for fault in match.faults
        ],
        "page": f"match.html#match={entry.id}",
        "replay": bool(entry.replay),
        **({"decision": number} if (number := decision_about(match)) else {}),
    }


def _json(head: Mapping[str, Any], name: str, rows: Sequence[Mapping[str, Any]]) -> bytes:
    """JSON with a line for each team or game, so that it can be read and compared; all texts are harmless."""
    lines = ",\n".join(json.dumps(row, ensure_ascii=False, allow_nan=False) for row in rows)
    first = json.dumps({**head, "version": VERSION}, ensure_ascii=False)[:-1]
    return f"{first}, {json.dumps(name)}: [\n{lines}\n]}}\n".encode()
