"""The entry of ``tiltyard``. Importing a subcommand's module waits until it is used, so that help is quick."""

from __future__ import annotations

import importlib
import sys
from typing import Any, Final

import typer
from typer.core import TyperCommand, TyperGroup

from tiltyard_engine.errors import UserError
from tiltyard_simulator.ending import end_well

COMMANDS: Final[dict[str, tuple[str, str]]] = {
    "run": ("run", "Play a tournament from its file, or go on where it stopped."),
    "plan": ("plan", "A tournament's schedule, and how long it will take."),
    "status": ("status", "How far a tournament has come."),
    "standings": ("standings", "A tournament's tables."),
    "publish": ("publish", "A tournament's site, with replays."),
    "serve": ("serve", "The same site over HTTP, live while a run goes on."),
    "export": ("export", "A tournament's matches as JSON lines."),
    "round-robin": ("round_robin", "All pairs, both seats, all maps: tables and files."),
    "competition": ("competition", "The competition of assignment 3."),
    "comparative": ("comparative", "GameManagers on one map: where do they differ?"),
    "watch": ("watch", "Show a match, a replay or an output file in the terminal."),
    "replay": ("replay", "A match's replay out of a tournament's store."),
    "picture": ("picture", "A picture or a film of a replay."),
    "check": ("check", "Check one team step by step, as it will be played."),
    "verify": ("verify", "Play matches again and compare the replays byte for byte."),
    "rerun": ("rerun", "Play the match of a fault again exactly."),
    "debug": ("debug", "Feed a team the recorded questions of a match that it failed in."),
    "plugins": ("plugins", "What is installed, and what failed and why."),
    "doctor": ("doctor", "How well this machine can confine teams' code."),
    "new": ("new", "Make a new team's package, or a tournament file."),
}
"""Subcommand to its module in this package and its line in the help."""

EPILOG: Final = "Every command has a --help with examples. Errors end with status 2, an interruption with 130."


class LazyGroup(TyperGroup):
    """Shows stubs in the help and imports a subcommand only when it is called."""

    def __init__(self, **attributes: Any) -> None:
        super().__init__(**attributes)
        self.targets: dict[str, str] = {}
        for name, (module, text) in COMMANDS.items():
            self._stub(name, f"tiltyard_tournaments.cli.{module}:app", text)
        for command in _contributed():
            if command.name not in self.targets:
                self._stub(command.name, command.target, command.help)

    def _stub(self, name: str, target: str, text: str) -> None:
        self.targets[name] = target
        self.commands[name] = TyperCommand(name, help=text)

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:
        """Put the real command in the place of its stub."""
        target = self.targets.pop(args[0], "") if args else ""
        if target:
            self.commands[args[0]] = _load(args[0], target)
        return super().resolve_command(ctx, args)

    def list_commands(self, ctx: Any) -> list[str]:
        """In the order of COMMANDS, plugins' commands after them."""
        return list(self.commands)


def _load(name: str, target: str) -> Any:
    """The command behind ``module:attribute``.

    Raises:
        UserError: there is no such thing, as a plugin may wrongly say; names the target.
    """
    module, _, attribute = target.partition(":")
    try:
        return typer.main.get_command(getattr(importlib.import_module(module), attribute))
    except Exception as error:
        raise UserError(f"the command {name} cannot be loaded from {target}: {type(error).__name__}: {error}") from error


def _contributed() -> list[Any]:
    """Subcommands of plugins; one that fails is left out here and shown by ``tiltyard plugins``."""
    from tiltyard_engine.registry.commands import contributed_commands

    return contributed_commands()


app = typer.Typer(cls=LazyGroup, no_args_is_help=True, pretty_exceptions_enable=False, epilog=EPILOG, rich_markup_mode=None)


@app.callback()
def tiltyard() -> None:
    """Run tournaments between algorithms that teams write."""


def main() -> None:
    """Run the command; a user's mistake is one message and status 2, never a traceback."""
    sys.exit(end_well(app))
