"""Options that several subcommands share."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from tiltyard_engine.errors import UserError
from tiltyard_engine.registry import Registry, Selection, Trust
from tiltyard_simulator.guard.describing import open_registry
from tiltyard_simulator.guard.isolation import Isolation
from tiltyard_simulator.guard.limits import LimitChanges
from tiltyard_simulator.guard.trust import ISOLATION_VARIABLE, Holding
from tiltyard_simulator.running import available_cores
from tiltyard_simulator.tables import check_format

TableFormat = Annotated[
    str, typer.Option("--format", "-f", help="Table format: simple, plain, github, html, csv, json, ... (all of tabulate's).")
]
Workers = Annotated[
    int, typer.Option("--workers", "-w", min=0, help="Worker processes; 0: one a core. Results do not depend on it.")
]
Verbose = Annotated[bool, typer.Option("--verbose", "-v", help="Write each game's output file into the current folder.")]
Block = Annotated[
    list[str] | None, typer.Option("--block", help="Leave out an installed plugin, by its name or its distribution's; repeatable.")
]
Only = Annotated[
    list[str] | None, typer.Option("--only", help="Load only this installed plugin (and others so named); repeatable.")
]

Isolate = Annotated[
    Isolation | None,
    typer.Option(
        "--isolation",
        envvar=ISOLATION_VARIABLE,
        help="How all teams' and GameManagers' code is held. By default the project's own runs inline, everybody else's in a"
        " sandbox.",
        show_default=False,
    ),
]
Unconfined = Annotated[
    bool, typer.Option("--unconfined", help="Play strangers' code even where this machine cannot confine it (level C).")
]
TrustNames = Annotated[
    list[str] | None,
    typer.Option(
        "--trust",
        help="Run this code in the runner's own process: an installed distribution's name, or a path; repeatable.",
        show_default=False,
    ),
]

Limit = Annotated[
    list[str] | None,
    typer.Option(
        "--limit",
        help="Another limit for teams that are not inline, as move_seconds=2, or TEAM:move_seconds=2 for one; for GameManagers:"
        " manager:move_seconds=9; repeatable.",
        show_default=False,
    ),
]

MostFaults = Annotated[
    int,
    typer.Option("--quarantine", min=0, help="A team's matches after so many with faults of its own are forfeits; 0: never."),
]

FaultFolder = Annotated[
    Path, typer.Argument(metavar="FOLDER", help="The folder of a fault: one of those in a run's folder 'faults'.")
]
ShowOutput = Annotated[bool, typer.Option("--show-output", help="Print what the teams' code printed, as far as it is kept.")]


MANAGERS = "manager"
"""In place of a team's name in ``--limit``: every GameManager."""


def application() -> typer.Typer:
    """A typer application with plain help, which pipes and prints the same everywhere."""
    return typer.Typer(add_completion=False, pretty_exceptions_enable=False, rich_markup_mode=None)


def registry(held: Holding, block: list[str] | None, only: list[str] | None) -> Registry:
    """The installed plugins that the options leave, loaded as their code is held."""
    return open_registry(held, Selection.from_environment(block or (), only))


def worker_count(workers: int) -> int:
    """0 means one a core."""
    return workers or available_cores()


def table_format(style: str) -> str:
    """The format, checked before anything is played."""
    check_format(style)
    return style


def holding(isolation: Isolation | None, unconfined: bool, limits: list[str] | None, trusted: list[str] | None) -> Holding:
    """How teams' and GameManagers' code is held.

    Raises:
        UserError: a limit is not of the form [TEAM:]NAME=NUMBER, or there is none of that name.
    """
    for_all: dict[str, float] = {}
    for_teams: dict[str, dict[str, float]] = {}
    for_managers: dict[str, float] = {}
    for text in limits or ():
        target, _, value = text.partition("=")
        team, _, name = target.rpartition(":")
        try:
            if team == MANAGERS:
                for_managers[name] = float(value)
            else:
                (for_teams.setdefault(team, {}) if team else for_all)[name] = float(value)
        except ValueError:
            raise UserError(f"--limit {text}: expected NAME=NUMBER or TEAM:NAME=NUMBER, such as move_seconds=2") from None
    changes = LimitChanges(for_all, for_teams, "--limit", for_managers)
    return Holding(isolation, changes, unconfined, Trust.from_environment(trusted or ()))
