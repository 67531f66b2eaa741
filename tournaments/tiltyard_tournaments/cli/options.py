"""Options that several subcommands share."""

from __future__ import annotations

from typing import Annotated, Final

import typer

from tiltyard_engine.data_classes import dataclass
from tiltyard_engine.errors import UserError
from tiltyard_engine.registry import Registry, Selection, Trust
from tiltyard_simulator.match.isolation import Isolation
from tiltyard_simulator.match.limits import LimitChanges
from tiltyard_simulator.output.tables import check_format
from tiltyard_simulator.registry.guarded_registry import check_trusted, open_registry
from tiltyard_simulator.registry.isolation_policy import ISOLATION_VARIABLE, IsolationPolicy
from tiltyard_tournaments.cli.application import ISOLATION_PANEL, PLUGINS_PANEL


def _known_format(style: str) -> str:
    """Checked before anything is played."""
    check_format(style)
    return style


def _all_cores(workers: int) -> int:
    """Such as 0 means; imported late, because commands that play nothing share this module."""
    if workers:
        return workers
    from tiltyard_simulator.play.executor import available_cores

    return available_cores()


TableFormat = Annotated[
    str,
    typer.Option(
        "--format",
        "-f",
        callback=_known_format,
        help="Table format: simple, plain, github, html, csv, json, or another of tabulate's.",
    ),
]
Workers = Annotated[
    int,
    typer.Option(
        "--workers",
        "-w",
        min=0,
        callback=_all_cores,
        help="Number of worker processes. 0 means one per core. Results don't depend on it.",
    ),
]
Block = Annotated[
    list[str] | None,
    typer.Option(
        "--block",
        help="Don't load this installed plugin, given by its name or its distribution's. Can be repeated.",
        rich_help_panel=PLUGINS_PANEL,
    ),
]
Only = Annotated[
    list[str] | None,
    typer.Option("--only", help="Load only this installed plugin. Can be repeated.", rich_help_panel=PLUGINS_PANEL),
]

GameName = Annotated[
    str | None, typer.Option("--game", "-g", help="The game. Default: that of the algorithms and maps.", show_default=False)
]
Unconfined = Annotated[
    bool,
    typer.Option(
        "--unconfined",
        help="Run code from outside even if this machine can't confine it (level C).",
        rich_help_panel=ISOLATION_PANEL,
    ),
]
TrustNames = Annotated[
    list[str] | None,
    typer.Option(
        "--trust",
        help="Run this code in tiltyard's own process: the name of an installed distribution, or a path. Can be repeated.",
        show_default=False,
        rich_help_panel=ISOLATION_PANEL,
    ),
]

MANAGERS: Final = "manager"
"""Stands for every GameManager in ``--limit``, in place of a team's name."""


@dataclass(frozen=True, slots=True)
class IsolationOptions:
    """How the code of teams and GameManagers is isolated."""

    isolation: Annotated[
        Isolation | None,
        typer.Option(
            "--isolation",
            envvar=ISOLATION_VARIABLE,
            help="Isolation for all teams and GameManagers. Default: inline for tiltyard's own code, a sandbox for all other code.",
            show_default=False,
            rich_help_panel=ISOLATION_PANEL,
        ),
    ] = None
    unconfined: Unconfined = False
    limit: Annotated[
        list[str] | None,
        typer.Option(
            "--limit",
            help="Set a limit: move_seconds=2 for all teams, TEAM:move_seconds=2 for one, manager:move_seconds=9 for GameManagers."
            " Code that runs inline has no limits. Can be repeated.",
            show_default=False,
            rich_help_panel=ISOLATION_PANEL,
        ),
    ] = None

    def policy(self, trusted: list[str] | None, *, together: bool = False) -> IsolationPolicy:
        """The policy that these options ask for; ``trusted`` code may run in this process. For ``together``, see its option.

        Raises:
            UserError: a limit is not of the form [TEAM:]NAME=NUMBER, or there is none of that name; or --together has no sandbox.
        """
        if together and self.isolation not in (None, Isolation.SANDBOX):
            raise UserError(f"--together is for files in a sandbox: leave --isolation {self.isolation} out")
        for_all: dict[str, float] = {}
        for_teams: dict[str, dict[str, float]] = {}
        for_managers: dict[str, float] = {}
        for text in self.limit or ():
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
        return IsolationPolicy(self.isolation, changes, self.unconfined, Trust.from_environment(trusted or ()), together)


@dataclass(frozen=True, slots=True)
class PluginOptions:
    """Which plugins are loaded, and which of them are trusted."""

    trust: TrustNames = None
    block: Block = None
    only: Only = None

    @property
    def selection(self) -> Selection:
        """The installed plugins that the options and the environment leave."""
        return Selection.from_environment(self.block or (), self.only)

    def registry(self, policy: IsolationPolicy) -> Registry:
        """These plugins, their code isolated as ``policy`` says.

        Raises:
            UserError: one that is named to be trusted can't be loaded.
        """
        check_trusted(self.trust or ())
        return open_registry(policy, self.selection)
