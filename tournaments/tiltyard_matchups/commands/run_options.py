"""Options of the commands that play without a tournament file: how it is played, and what a fault means."""

from __future__ import annotations

from typing import Annotated

import typer

from tiltyard_engine.data_classes import dataclass
from tiltyard_simulator.match.eligibility import DEFAULT_FAULTS
from tiltyard_simulator.match.verdict import OnCrash
from tiltyard_tournaments.cli.application import ISOLATION_PANEL
from tiltyard_tournaments.cli.options import TableFormat, Workers

Verbose = Annotated[bool, typer.Option("--verbose", "-v", help="Write each game's output file to the current folder.")]
CrashMeaning = Annotated[
    OnCrash,
    typer.Option(
        "--on-crash",
        help="What a crash of a team's code means. forfeit: the other team wins. idle: the team does nothing from then on,"
        " and the GameManager's result counts. void: the match counts for nobody.",
        rich_help_panel=ISOLATION_PANEL,
    ),
]

MostFaults = Annotated[
    int,
    typer.Option(
        "--quarantine",
        min=0,
        help="Forfeit all of a team's matches after this many of them with faults. 0 means never.",
        rich_help_panel=ISOLATION_PANEL,
    ),
]

Together = Annotated[
    bool,
    typer.Option(
        "--together",
        help="Let the compiled files of a match share one sandbox: several times as fast, but they aren't protected from each"
        " other, and there are no replays.",
        rich_help_panel=ISOLATION_PANEL,
    ),
]


@dataclass(frozen=True, slots=True)
class PlayOptions:
    """How many processes play, and what is written of the games."""

    workers: Workers = 0
    verbose: Verbose = False
    style: TableFormat = "simple"


@dataclass(frozen=True, slots=True)
class FaultOptions:
    """What is risked for speed, and what the faults of teams mean."""

    together: Together = False
    most_faults: MostFaults = DEFAULT_FAULTS
    on_crash: CrashMeaning = OnCrash.FORFEIT
