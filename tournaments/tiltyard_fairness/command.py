"""What ``tiltyard check-game --fair`` does: play, and print a table with what follows from it."""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Final

from tiltyard_engine.errors import UserError
from tiltyard_engine.exit_status import said_if_interrupted
from tiltyard_engine.records import Game
from tiltyard_engine.registry import Reference, Registry
from tiltyard_engine.registry.registry import ALGORITHM
from tiltyard_engine.texts.quantities import counted
from tiltyard_fairness.map_fairness import MapFairness, SeatVerdict, fairness_of
from tiltyard_fairness.measuring import FIRST_SEEDS, FairnessField, groups_on, maps_of, play_field, seatings, without_slow
from tiltyard_fairness.tables import fairness_table, sentences
from tiltyard_simulator.output.tables import render_all
from tiltyard_simulator.play.executor import usable_cores
from tiltyard_simulator.registry.finder import Finder
from tiltyard_simulator.registry.isolation_policy import IsolationPolicy

MOST_TEAMS: Final = 6
"""So many of a game's own teams play if none are named."""


@dataclass(frozen=True, slots=True)
class FairnessOptions:
    """What the user asked for; empty: the default."""

    game: str
    maps: Sequence[str]
    manager: str
    players: Sequence[str]
    games: int
    workers: int


def check_fairness(options: FairnessOptions, policy: IsolationPolicy, registry: Registry, *, as_json: bool) -> int:
    """Play, and print a table.

    Returns:
        The exit status: 1 if a map is unfair, or always shows the same game.

    Raises:
        UserError: something that was named is missing, or no team can play.
    """
    finder = Finder(registry)
    reference = finder.game(options.game)
    game = reference.load_as(Game)
    manager = finder.manager(options.game, options.manager or None)
    maps = maps_of(game, options.maps, finder)
    field = FairnessField(game, reference, manager, _teams(options, finder), maps, policy)
    if not options.players:
        field = without_slow(field, _say)
    least, most = (games * sum(len(seatings(group)) for _, group in groups_on(field)) for games in (FIRST_SEEDS, options.games))
    games = f"{least:,} games" if least == most else f"{least:,} games, or up to {most:,} where chance has a part"
    _say(f"{', '.join(team.label for team in field.teams)} on {counted(len(maps), 'map')}: {games}")
    with said_if_interrupted("stopped; no game is saved, so the same command starts again: --map or fewer --games make it shorter"):
        outcomes = play_field(field, options.games, options.workers or len(usable_cores()))
    faults = sum(bool(outcome.faults) for outcome in outcomes)
    fairness = fairness_of(outcomes)
    if as_json:
        print(json.dumps([_plain(each) for each in fairness], indent=2))
    else:
        print(render_all([fairness_table(fairness)]))
        for line in sentences(fairness, "name more teams with --player"):
            print(line)
    if faults:
        _say(f"note: in {counted(faults, 'game')} a team failed, which says nothing about seats; 'tiltyard check TEAM' says why")
    return int(any(each.verdict in (SeatVerdict.UNFAIR, SeatVerdict.ONE_GAME) for each in fairness))


def _teams(options: FairnessOptions, finder: Finder) -> list[Reference]:
    if options.players:
        return list(dict.fromkeys(team for text in options.players for team in finder.teams(text, options.game).references))
    own = [entry.reference for entry in finder.registry.authored(ALGORITHM, options.game)]
    if not own:
        raise UserError(f"no team of {options.game} is installed: name some with --player")
    return own[:MOST_TEAMS]


def _plain(each: MapFairness) -> dict[str, object]:
    return {**asdict(each), "verdict": each.verdict.value}


def _say(line: str) -> None:
    print(line, file=sys.stderr)
