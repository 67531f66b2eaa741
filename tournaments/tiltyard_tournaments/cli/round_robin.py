"""``tiltyard round-robin``."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import typer

from tiltyard_engine.errors import UserError
from tiltyard_engine.records import Game
from tiltyard_engine.registry import Reference, Registry
from tiltyard_engine.registry.registry import ALGORITHM, MANAGER
from tiltyard_simulator.choosing import choose, choose_all, choose_maps, game_reference
from tiltyard_simulator.loading import load
from tiltyard_simulator.modes import LogWriter, say_left_out, say_report
from tiltyard_simulator.progress import Progress
from tiltyard_simulator.quarantine import DEFAULT_FAULTS, settle
from tiltyard_simulator.reports import run_report
from tiltyard_simulator.result_files import time_stamp
from tiltyard_simulator.running import run_matches
from tiltyard_simulator.specs import MatchOutcome, MatchSpec
from tiltyard_simulator.tables import render
from tiltyard_tournaments.cli.options import (
    Block,
    Isolate,
    Limit,
    MostFaults,
    Only,
    TableFormat,
    TrustNames,
    Unconfined,
    Verbose,
    Workers,
    application,
    holding,
    registry,
    table_format,
    worker_count,
)
from tiltyard_tournaments.result_folder import make_folder, write_folder
from tiltyard_tournaments.round_robin import schedule
from tiltyard_tournaments.standings import Games, Table, all_games, by_map, crosstable, standings

app = application()


@app.command(name="round-robin")
def round_robin(
    algorithms: Annotated[
        list[str] | None,
        typer.Argument(
            help="Installed names, .py files, package folders, FILE:NAME, folders of these, or 'installed'.",
            show_default="installed",
        ),
    ] = None,
    maps: Annotated[
        list[str] | None,
        typer.Option("--maps", help="A folder of maps, a map file, a shipped map's name, or 'installed'; repeatable."),
    ] = None,
    manager: Annotated[str, typer.Option("--manager", "-m", help="The GameManager.")] = "reference",
    output: Annotated[
        Path | None,
        typer.Option(
            "--output", "-o", help="A new folder for the results; by default results/round-robin_<time>.", show_default=False
        ),
    ] = None,
    workers: Workers = 0,
    verbose: Verbose = False,
    style: TableFormat = "simple",
    isolation: Isolate = None,
    unconfined: Unconfined = False,
    limit: Limit = None,
    most_faults: MostFaults = DEFAULT_FAULTS,
    trust: TrustNames = None,
    block: Block = None,
    only: Only = None,
) -> None:
    """Let every pair of algorithms meet in both seat orders on every map.

    Prints standings, crosstable and points by map, then what went wrong; writes the same and every game as CSV into a
    folder. A win is 3 points, a tie 1.

    \b
    Examples:
      tiltyard round-robin
      tiltyard round-robin acorn coyote my_team.py --maps narrow-pass --maps my_maps/
      tiltyard round-robin submissions/ --maps maps/ --manager reference --output cup --format github
    """
    check = table_format(style)
    held = holding(isolation, unconfined, limit, trust)
    found = registry(held, block, only)
    game_manager = choose(manager, MANAGER, found)
    game = game_reference(found, game_manager.game)
    teams = _teams(algorithms or ["installed"], found, game.name)
    chosen = choose_maps(maps or ["installed"], found, load(game, Game), 2)
    say_left_out(chosen.left_out)
    if not chosen.maps:
        raise UserError(f"no usable map for {game.name} and two players was found")
    specs = held.apply_all(schedule(game, game_manager, chosen.maps, teams, verbose))
    folder = make_folder(output or Path("results") / f"round-robin_{time_stamp()}")
    _run(specs, [team.name for team in teams], folder, worker_count(workers), check, most_faults)


def _teams(texts: list[str], found: Registry, game: str) -> list[Reference]:
    teams: list[Reference] = []
    known = {entry.name for entry in found.all(ALGORITHM, game)}
    for text in texts:
        if text == "installed" or (_is_plain_folder(Path(text)) and text not in known):
            several = choose_all(text, ALGORITHM, found, game)
            say_left_out(several.left_out)
            teams += several.references
        else:
            teams.append(choose(text, ALGORITHM, found, game))
    teams = list(dict.fromkeys(teams))
    names = [team.name for team in teams]
    doubled = sorted({name for name in names if names.count(name) > 1})
    if doubled:
        raise UserError(f"two algorithms are both called '{doubled[0]}': tables could not tell them apart; rename one")
    if len(teams) < 2:
        raise UserError(f"{len(teams) or 'no'} usable algorithm for {game}: a round robin needs at least 2")
    return teams


def _is_plain_folder(path: Path) -> bool:
    """A folder of plugins, not one that is a plugin itself."""
    return path.is_dir() and not (path / "__init__.py").exists() and not (path / "pyproject.toml").exists()


def _run(specs: list[MatchSpec], names: list[str], folder: Path, workers: int, style: str, most_faults: int) -> None:
    games: list[tuple[int, MatchSpec, MatchOutcome]] = []
    logs = LogWriter() if specs[0].verbose else None
    try:
        with Progress(len(specs)) as progress:

            def finished(place: int, spec: MatchSpec, outcome: MatchOutcome) -> None:
                games.append((place, spec, outcome))
                progress.finished(place, spec, outcome)
                if logs is not None:
                    logs.finished(place, spec, outcome)

            outcomes = run_matches(specs, workers, finished, most_faults)
    except KeyboardInterrupt:
        note = f"stopped after {len(games)} of {len(specs)} games; these are kept"
        print(note, file=sys.stderr)
        played = [(spec, outcome) for _, spec, outcome in sorted(games, key=lambda game: game[0])]
        settled = settle(played, most_faults)
        _publish([(spec, outcome) for (spec, _), outcome in zip(played, settled, strict=True)], names, folder, style, note)
        raise
    _publish(list(zip(specs, outcomes, strict=True)), names, folder, style)
    if logs is not None and logs.status:
        raise typer.Exit(logs.status)


def _publish(games: Games, names: list[str], folder: Path, style: str, note: str = "") -> None:
    """Write first, print then: a reader that goes away takes no results with it, and a full disk hides none."""
    tables: list[tuple[str, Table]] = [
        ("standings", standings(names, games)),
        ("crosstable", crosstable(names, games)),
        ("maps", by_map(names, games)),
        ("games", all_games(games)),
    ]
    report = run_report(games)
    shown = tables[:3]
    problem: UserError | None = None
    try:
        write_folder(folder, tables, "\n".join(filter(None, (note, report))))
    except UserError as error:
        problem = error
    print("\n\n".join(f"{table.title}\n\n{render(table.headers, table.rows, style)}" for _, table in shown))
    say_report(report, style)
    if problem is not None:
        raise problem
    print(f"results: {folder}", file=sys.stderr)
