"""The standings and the games of a site for programs: what they say is what the pages show."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

from tiltyard_engine.results import Fault, Termination
from tiltyard_site.publication import SiteData, publish


def values(folder: Path, name: str) -> dict[str, Any]:
    read: dict[str, Any] = json.loads((folder / "data" / name).read_text(encoding="utf-8"))
    return read


def test_the_standings_are_those_of_the_table(site: Path, cup: SiteData) -> None:
    file = values(site, "standings.json")
    assert {name: file[name] for name in ("format", "version", "title", "games_played", "games_planned")} == {
        "format": "tiltyard standings",
        "version": 1,
        "title": "Test Cup",
        "games_played": len(cup.matches),
        "games_planned": len(cup.matches),
    }
    headers = ["team" if header == "algorithm" else header for header in cup.standings.headers]
    assert [[team[header] for header in headers] for team in file["standings"]] == [list(row) for row in cup.standings.rows]
    for team in file["standings"]:
        assert (site / team["page"]).is_file()
        rating = next(rating for rating in cup.ratings if rating.team == team["team"])
        assert team["elo"] == {name: round(getattr(rating, name), 1) for name in ("value", "low", "high")}


def test_the_games_are_those_of_the_list(site: Path, cup: SiteData) -> None:
    file = values(site, "games.json")
    assert (file["format"], file["version"]) == ("tiltyard games", 1)
    assert len(file["games"]) == len(cup.matches)
    for game, match in zip(file["games"], cup.matches, strict=True):
        assert game["teams"] == list(match.teams)
        assert game["winner"] == (match.teams[match.winner - 1] if match.winner else None)
        assert (game["map"], game["turns"], game["stage"]) == (match.map, match.rounds, match.stage)
        assert (game["number"], game["page"], game["replay"]) == (match.place + 1, f"match.html#match={match.place + 1}", True)


def test_strangers_texts_are_harmless_and_what_is_hidden_is_not_told(cup: SiteData, tmp_path: Path) -> None:
    fault = Fault(1, Termination.CRASH, "secret", 3)
    teams = ("acorn", "b\u202ead\n")
    odd = replace(cup.matches[0], teams=teams, place=99, key="x", faults=(fault,), message="secret", scores=(float("inf"), 1.0))
    data = replace(cup, matches=[*cup.matches, odd], teams=[*cup.teams, teams[1]])
    publish(data, tmp_path / "open")
    game = values(tmp_path / "open", "games.json")["games"][-1]
    assert (game["teams"], game["scores"]) == (["acorn", "bad"], [None, 1.0])
    assert game["faults"] == [{"seat": 1, "kind": "crash", "turn": 3, "message": "secret"}]
    publish(replace(data, hide={"replays", "faults", "output"}), tmp_path / "hidden")
    game = values(tmp_path / "hidden", "games.json")["games"][-1]
    assert (game["message"], game["faults"][0]["message"], game["replay"]) == ("", "", False)
