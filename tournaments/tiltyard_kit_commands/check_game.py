"""The command ``tiltyard check-game``, which checks a game's properties."""

from __future__ import annotations

import json
import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Annotated, Final

import typer

from tiltyard_checks.command.check_output import MARGIN, say_advice, say_mark
from tiltyard_engine.errors import UserError
from tiltyard_engine.records import MapFile
from tiltyard_engine.registry import Registry
from tiltyard_kit.game_check.bench.bench import Bench
from tiltyard_kit.game_check.bench.outcomes import Mark, Outcome
from tiltyard_kit.game_check.bench.parts import GameParts, Team, named_parts, with_team
from tiltyard_kit.game_check.check import PROPERTIES, outcomes_of
from tiltyard_simulator.play.host import GuardHost
from tiltyard_simulator.registry.finder import Finder
from tiltyard_simulator.registry.isolation_policy import IsolationPolicy
from tiltyard_tournaments.cli.application import application
from tiltyard_tournaments.cli.options import PluginOptions

app = application()

FAIR_GAMES: Final = 10
MARK_WIDTH: Final = max(len(mark.value) for mark in Mark)
NAME_WIDTH: Final = max(len(each.name) for each in PROPERTIES)
NOT_SHOWN: Final = 3
"""The exit status where nothing failed, but something that applies was never tried."""
STORAGE_VARIABLE: Final = "HYPOTHESIS_STORAGE_DIRECTORY"
"""Where hypothesis keeps what it works out; without it in a folder of its own in the current one."""


@dataclass(frozen=True, slots=True)
class FairnessQuestions:
    """What is asked of the maps, if anything is."""

    fair: Annotated[
        bool,
        typer.Option("--fair", help="Check instead whether the maps are fair, that is, whether a seat has an advantage."),
    ] = False
    games: Annotated[
        int, typer.Option("--games", min=2, help="With --fair, for games of chance: games of the same teams in the same seats.")
    ] = FAIR_GAMES
    workers: Annotated[int, typer.Option("--workers", "-w", min=0, help="With --fair: worker processes; 0 means one per core.")] = 0


@app.command()
def check_game(
    *,
    game: Annotated[str, typer.Argument(help="An installed game's name, a .py file, a package or project folder, or FILE:NAME.")],
    maps: Annotated[
        list[str] | None,
        typer.Option(
            "--map",
            "--maps",
            help="The map to play on, a shipped one or a file; several with --fair. Default: the smallest; with --fair all.",
            show_default=False,
        ),
    ] = None,
    manager: Annotated[
        str, typer.Option("--manager", "-m", help="The GameManager. Default: the game's own.", show_default=False)
    ] = "",
    players: Annotated[
        list[str] | None,
        typer.Option(
            "--player",
            help="Who plays: a name, a file, or FILE:NAME, in Python. Can be repeated. Default: two quick algorithms of the game.",
            show_default=False,
        ),
    ] = None,
    properties: Annotated[
        list[str] | None,
        typer.Option("--property", help="Check only this property. Can be repeated.", show_default=False),
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print all properties as JSON at the end.")] = False,
    fairness: FairnessQuestions,
    plugins: PluginOptions,
) -> None:
    """Check that a game has the properties that all games have.

    The command plays small matches of the game in this process and in others. It checks the maps, what seats are shown and what
    they answer, results, replays, the theme, and that chance comes only from the seed. Teams that answer nonsense or crash must be
    charged with a fault, and no other team. Each property prints a line: passed, FAILED, not shown (the matches never reached it)
    or not applicable. Below a failed one are the file and line of the game's code, and what to do; below one that is not shown is
    how to try it. The page 'Testing games' of the documentation describes them all.

    With --fair it plays different matches on all maps: copies of each team, and different teams that take turns in the seats. A
    table says for each map which seat did best, whether that can be chance, and whether the same teams are ahead from every seat.

    The game's own code runs in tiltyard's process, so a game from outside must be trusted (--trust).

    The exit status is 0 if all properties that apply passed, 1 if one failed or a map is unfair, 3 if none failed but one is not
    shown, and 2 if there is nothing to check.

    \b
    Examples:
      tiltyard check-game penguins
      tiltyard check-game my_game.py --trust my_game.py
      tiltyard check-game tanks --map back-yard --player acorn --player bramble
      tiltyard check-game filler --property "same seed" --property replay
      tiltyard check-game tanks --fair --map back-yard --map narrow-pass
      tiltyard check-game advance --json | jq .passed
    """
    policy = IsolationPolicy.from_environment(plugins.trust or ())
    registry = plugins.registry(policy)
    parts = named_parts(game, registry, policy.trusts)
    if fairness.fair:
        if properties:
            raise UserError("--fair checks maps, and --property is about the game's properties: name only one of them")
        from tiltyard_fairness.command import FairnessOptions, check_fairness  # numpy takes a moment

        options = FairnessOptions(parts.game.name, maps or (), manager, players or (), fairness.games, fairness.workers)
        raise typer.Exit(check_fairness(options, policy, registry, as_json=as_json))
    if len(maps or ()) > 1:
        raise UserError("without --fair all properties are checked on one map: name one")
    teams: list[Team] = []
    for text in players or ():
        parts, team = with_team(parts, text, registry)
        teams.append(team)
    outcomes: list[Outcome] = []
    map_file, host = _map((maps or [""])[0], parts, registry), GuardHost(policy=policy)
    with _storage(), Bench(parts, manager=parts.manager(manager), game_map=map_file, teams=teams, host=host) as bench:
        for outcome in outcomes_of(bench, properties or ()):
            outcomes.append(outcome)
            if not as_json:
                _say(outcome)
    failed, not_shown = ([each.name for each in outcomes if each.mark is mark] for mark in (Mark.FAILED, Mark.NOT_SHOWN))
    if as_json:
        print(json.dumps(_plain(bench, outcomes), indent=2))
    else:
        passed = sum(outcome.mark is Mark.PASSED for outcome in outcomes)
        verdicts = [f"{mark}: {', '.join(names)}" for mark, names in ((Mark.FAILED, failed), (Mark.NOT_SHOWN, not_shown)) if names]
        print(f"\n{parts.game.name}: {'; '.join(verdicts) or 'passed'} ({passed} of {len(outcomes)} properties passed)")
    if failed or not_shown:
        raise typer.Exit(1 if failed else NOT_SHOWN)


def _map(text: str, parts: GameParts, registry: Registry) -> MapFile | None:
    if not text:
        return None
    shipped = next((shipped for shipped in parts.maps if shipped.name == text), None)
    if shipped is not None:
        return shipped
    source = Finder(registry).map(text, parts.game.name)
    return MapFile(source.name, parts.game.name, source.data, 0)


def _say(outcome: Outcome) -> None:
    say_mark(outcome.mark, outcome.name, outcome.detail, traceback=outcome.traceback, mark_width=MARK_WIDTH, name_width=NAME_WIDTH)
    if outcome.where:
        print(f"{MARGIN}in {outcome.where}")
    say_advice(outcome.advice)


def _plain(bench: Bench, outcomes: list[Outcome]) -> dict[str, object]:
    return {
        "game": bench.game.name,
        "manager": bench.manager.name,
        "map": bench.map.name,
        "players": [team.name for team in bench.teams_for(bench.seats)],
        "passed": all(outcome.mark in (Mark.PASSED, Mark.NOT_APPLICABLE) for outcome in outcomes),
        "properties": [outcome.plain() for outcome in outcomes],
    }


@contextmanager
def _storage() -> Iterator[None]:
    """Hypothesis leaves nothing in the folder of whoever runs the command."""
    with tempfile.TemporaryDirectory(prefix="tiltyard-check-") as folder:
        before = os.environ.get(STORAGE_VARIABLE)
        os.environ.setdefault(STORAGE_VARIABLE, folder)
        try:
            yield
        finally:
            if before is None:
                del os.environ[STORAGE_VARIABLE]
