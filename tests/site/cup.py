"""A small tournament that is really played, for the site's tests and pictures."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import permutations

from tests.made_specs import made_spec

from tiltyard_engine.records import Game
from tiltyard_engine.registry import Registry
from tiltyard_engine.registry.registry import ALGORITHM, MANAGER
from tiltyard_engine.replay import Replay
from tiltyard_simulator.play.local_matches import play_matches
from tiltyard_simulator.registry.finder import Finder
from tiltyard_simulator.replays.files import record_replay
from tiltyard_site.pages.site_data import rated_teams
from tiltyard_site.publication import SiteData
from tiltyard_tournaments.standings import rank, standings


def play_cup(teams: Sequence[str], maps: Sequence[str], title: str = "Cup", workers: int = 2) -> SiteData:
    """A round robin of installed teams on shipped maps, with all replays."""
    registry = Registry.installed()
    referee = registry.find(MANAGER, "reference").reference
    game = Finder(registry).game(referee.game)
    sources = [Finder(registry).map(name, game.name) for name in maps]
    references = [registry.find(ALGORITHM, name).reference for name in teams]
    specs = [
        made_spec(game=game, manager=referee, map=source, teams=seats, replay=True)
        for source in sources
        for seats in permutations(references, 2)
    ]
    records = play_matches(specs, workers)
    replays: dict[str, Replay | None] = {}
    matches = []
    for record in records:
        key = f"{record.outcome.place:04x}-{record.outcome.map}"
        matches.append(replace(record.outcome, stage=f"round {record.outcome.place // 6 + 1}", key=key))
        replays[key] = record_replay(record)
    order = [line.team for line in rank(teams, matches)]
    rated = rated_teams(matches)
    return SiteData(
        title=title,
        teams=order,
        matches=matches,
        standings=standings(teams, matches),
        rated=lambda: rated,
        replay=replays.get,
        theme=game.load_as(Game).display.theme,
        game=game.name,
        notes=("Every team played in its own process.",),
        format="round-robin",
    )
