"""A small tournament that is really played, for the site's tests and pictures."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from tiltyard_engine.records import Game
from tiltyard_engine.registry import Registry
from tiltyard_engine.registry.registry import ALGORITHM, MANAGER
from tiltyard_engine.replay import Replay
from tiltyard_simulator.choosing import choose_map, game_reference
from tiltyard_simulator.loading import load
from tiltyard_simulator.running import run_matches
from tiltyard_tournaments.played import played_match
from tiltyard_tournaments.round_robin import schedule
from tiltyard_tournaments.site import SiteData, SiteTeam
from tiltyard_tournaments.site.elo_ratings import RATING_NOTE, RATING_TITLE, elo_ratings
from tiltyard_tournaments.standings import rank, standings


def play_cup(teams: Sequence[str], maps: Sequence[str], title: str = "Cup", workers: int = 2) -> SiteData:
    """A round robin of installed teams on shipped maps, with all replays."""
    registry = Registry.installed()
    referee = registry.find(MANAGER, "reference").reference
    game = game_reference(registry, referee.game)
    sources = [choose_map(name, registry, game.name) for name in maps]
    references = [registry.find(ALGORITHM, name).reference for name in teams]
    specs = [replace(spec, record=True) for spec in schedule(game, referee, sources, references)]
    outcomes = run_matches(specs, workers)
    replays: dict[str, Replay | None] = {}
    matches = []
    for number, (spec, outcome) in enumerate(zip(specs, outcomes, strict=True)):
        key = f"{number:04x}-{spec.map.name}"
        matches.append(played_match(spec, outcome, number, stage=f"round {number // 6 + 1}", key=key))
        replays[key] = outcome.replay
    order = [line.team for line in rank(teams, matches)]
    return SiteData(
        title,
        [SiteTeam(name, registry.find(ALGORITHM, name).reference.load().description) for name in order],
        matches,
        standings(teams, matches),
        elo_ratings(matches),
        RATING_TITLE,
        RATING_NOTE,
        replays.get,
        theme=load(game, Game).theme,
        game=game.name,
        notes=("Every team played in its own process.",),
    )
