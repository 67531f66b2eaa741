"""``tiltyard verify``."""

from __future__ import annotations

import shutil
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Final

import typer

from tiltyard_engine.errors import UserError
from tiltyard_engine.records import Game
from tiltyard_engine.results import MANAGER_SEAT
from tiltyard_simulator.check.rerun import check_trust
from tiltyard_simulator.check.verification import Divergence, Verified
from tiltyard_simulator.check.verification import verify as play_again
from tiltyard_simulator.match.spec import MatchSpec
from tiltyard_simulator.matchups.reports import show_difference
from tiltyard_simulator.play.fault_folders import is_fault_folder, read_fault_folder
from tiltyard_simulator.play.progress import Progress
from tiltyard_simulator.play.refusals import UNPLAYABLE
from tiltyard_simulator.play.tables import PROGRAM_FORMATS, render
from tiltyard_simulator.replays.viewer.options import detect_options
from tiltyard_tournaments.cli.application import application
from tiltyard_tournaments.cli.games import RoundRobinOptions, round_robin_of
from tiltyard_tournaments.cli.options import IsolationOptions, PluginOptions, TableFormat, Workers
from tiltyard_tournaments.running.schedule import Schedule

app = application()

MOST_SHOWN: Final = 3
"""Differences that are drawn; the table has all."""


@app.command()
def verify(
    *,
    what: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="[ALGORITHMS | FOLDERS]",
            help="Algorithms as for round-robin, or fault folders, to play their matches.",
            show_default="installed",
        ),
    ] = None,
    matchups: RoundRobinOptions,
    times: Annotated[int, typer.Option("--times", "-n", min=2, help="How often to play each match.")] = 2,
    workers: Workers = 0,
    style: TableFormat = "simple",
    isolation: IsolationOptions,
    plugins: PluginOptions,
) -> None:
    """Play each match several times and compare the runs: replays byte for byte, requests, views and results.

    For each match the command reports the first round in which two runs differ, and who asked for something else after being
    shown the same. That team's code depends on chance, time or memory addresses. The exit status is 1 if any match differs.

    \b
    Examples:
      tiltyard verify thunder acorn --maps narrow-pass
      tiltyard verify submissions/ --maps maps/ --times 5
      tiltyard verify results/cup/faults/*
    """
    policy = isolation.policy(plugins.trust)
    folders = [Path(text) for text in what or () if is_fault_folder(Path(text))]
    if folders:
        if len(folders) < len(what or ()):
            raise UserError("fault folders and algorithms can't be mixed: give one or the other")
        if matchups.maps or isolation.isolation or isolation.limit:
            raise UserError(
                "a fault folder already sets the map and the options of its match: leave --maps, --isolation and --limit out"
            )
        specs = [read_fault_folder(folder).spec for folder in folders]
        for spec in specs:
            check_trust(spec, policy)
    else:
        specs = Schedule(tournament=round_robin_of(what, matchups, plugins.registry(policy), policy)).next_batch()
    with Progress(len(specs) * times) as progress:
        found = play_again(specs, times, workers, lambda spec, record: progress.finished(record))
    print(render(HEADERS, [_row(each) for each in found], style))
    if style not in PROGRAM_FORMATS:
        _show(found, times)
    if not all(each.is_same for each in found):
        raise typer.Exit(1)


HEADERS: Final = ("map", "players", "verdict", "round", "what differs", "likely")


def _row(verified: Verified) -> tuple[str | int, ...]:
    spec = verified.spec
    match = (spec.map.name, " - ".join(spec.names))
    if verified.void:
        return (
            *match,
            "not played",
            "",
            " ".join(verified.void.split()),
            "" if verified.void.startswith(UNPLAYABLE) else "the machine",
        )
    divergence = verified.divergence
    if divergence is None:
        return (*match, "ok", "", "", "")
    round_number = divergence.round if divergence.round >= 0 else ""
    return (*match, "differs", round_number, ", ".join(divergence.shown.kinds), _likely(spec, divergence))


def _likely(spec: MatchSpec, divergence: Divergence) -> str:
    names = [
        f"GameManager {spec.manager.label}" if seat == MANAGER_SEAT else f"{spec.names[seat - 1]} (player {seat})"
        for seat in divergence.suspects
    ]
    return ", ".join(names)


def _show(found: Sequence[Verified], times: int) -> None:
    different = [each for each in found if each.divergence is not None]
    terminal = shutil.get_terminal_size().columns if sys.stdout.isatty() else None
    for each in different[:MOST_SHOWN]:
        assert each.divergence is not None
        theme = each.spec.game.load_as(Game).display.theme
        print(f"\n{' - '.join(each.spec.names)} on {each.spec.map.name}:")
        print("\n".join(show_difference(each.divergence.shown, theme, detect_options(sys.stdout, columns=terminal))))
    if len(different) > MOST_SHOWN:
        print(f"\n{len(different) - MOST_SHOWN} more are only in the table")
    same = sum(each.is_same for each in found)
    print(f"\n{same} of {len(found)} matches were the same in {times} runs")
