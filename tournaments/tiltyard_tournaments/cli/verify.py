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
from tiltyard_simulator.fault_folders import is_fault_folder, read_fault_folder
from tiltyard_simulator.loading import load
from tiltyard_simulator.progress import Progress
from tiltyard_simulator.reports import show_difference
from tiltyard_simulator.rerunning import check_trust
from tiltyard_simulator.specs import MatchSpec
from tiltyard_simulator.tables import PROGRAM_FORMATS, render
from tiltyard_simulator.verifying import Divergence, Verified
from tiltyard_simulator.verifying import verify as play_again
from tiltyard_simulator.viewer.options import detect_options
from tiltyard_tournaments.cli.games import ManagerName, Maps, choose_games
from tiltyard_tournaments.cli.options import (
    Block,
    Isolate,
    Limit,
    Only,
    TableFormat,
    TrustNames,
    Unconfined,
    Workers,
    application,
    holding,
    registry,
    table_format,
    worker_count,
)

app = application()

MOST_SHOWN: Final = 3
"""Differences that are drawn; the table has all."""


@app.command()
def verify(
    what: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="[ALGORITHMS | FOLDERS]",
            help="Algorithms as for round-robin; or folders of faults, whose matches are then played.",
            show_default="installed",
        ),
    ] = None,
    maps: Maps = None,
    manager: ManagerName = "reference",
    times: Annotated[int, typer.Option("--times", "-n", min=2, help="How often each match is played.")] = 2,
    workers: Workers = 0,
    style: TableFormat = "simple",
    isolation: Isolate = None,
    unconfined: Unconfined = False,
    limit: Limit = None,
    trust: TrustNames = None,
    block: Block = None,
    only: Only = None,
) -> None:
    """Play each match several times and compare the runs: replays byte for byte, requests, views, results.

    Says for each match in which round two runs first differ, and who asked for something else although it had been shown
    the same: chance, time, or memory addresses are then in that team's code. The status is 1 if any match differs.

    \b
    Examples:
      tiltyard verify thunder acorn --maps narrow-pass
      tiltyard verify submissions/ --maps maps/ --times 5
      tiltyard verify results/cup/faults/*
    """
    check = table_format(style)
    held = holding(isolation, unconfined, limit, trust)
    folders = [Path(text) for text in what or () if is_fault_folder(Path(text))]
    if folders:
        if len(folders) < len(what or ()):
            raise UserError("folders of faults and algorithms cannot be mixed: name either the one or the other")
        if maps or isolation or limit:
            raise UserError("a folder of a fault says itself on which map and how its match is played: leave those options out")
        specs = [read_fault_folder(folder).spec for folder in folders]
        for spec in specs:
            check_trust(spec, held)
    else:
        specs = held.apply_all(choose_games(what, maps, manager, registry(held, block, only)).specs)
    with Progress(len(specs) * times) as progress:
        found = play_again(specs, times, worker_count(workers), progress.finished)
    print(render(HEADERS, [_row(each) for each in found], check))
    if check not in PROGRAM_FORMATS:
        _show(found, times)
    if not all(each.is_same for each in found):
        raise typer.Exit(1)


HEADERS: Final = ("map", "players", "verdict", "round", "what differs", "likely")


def _row(verified: Verified) -> tuple[str | int, ...]:
    spec = verified.spec
    match = (spec.map.name, " - ".join(spec.names))
    if verified.void:
        return (*match, "not played", "", " ".join(verified.void.split()), "the machine")
    divergence = verified.divergence
    if divergence is None:
        return (*match, "ok", "", "", "")
    round_number = divergence.round if divergence.round >= 0 else ""
    return (*match, "differs", round_number, ", ".join(divergence.shown.kinds), _likely(spec, divergence))


def _likely(spec: MatchSpec, divergence: Divergence) -> str:
    names = [
        f"GameManager {spec.manager.name}" if seat == MANAGER_SEAT else f"{spec.names[seat - 1]} (player {seat})"
        for seat in divergence.suspects
    ]
    return ", ".join(names)


def _show(found: Sequence[Verified], times: int) -> None:
    different = [each for each in found if each.divergence is not None]
    terminal = shutil.get_terminal_size().columns if sys.stdout.isatty() else None
    for each in different[:MOST_SHOWN]:
        assert each.divergence is not None
        theme = load(each.spec.game, Game).theme
        print(f"\n{' - '.join(each.spec.names)} on {each.spec.map.name}:")
        print("\n".join(show_difference(each.divergence.shown, theme, detect_options(sys.stdout, columns=terminal))))
    if len(different) > MOST_SHOWN:
        print(f"\n{len(different) - MOST_SHOWN} more are in the table only")
    same = sum(each.is_same for each in found)
    print(f"\n{same} of {len(found)} matches were the same in {times} runs")
