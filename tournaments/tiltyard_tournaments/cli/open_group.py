"""Groups of commands that packages and plugins can add to: ``tiltyard`` itself, and ``tiltyard new``."""

from __future__ import annotations

import importlib
from collections.abc import Iterable, Sequence
from typing import Any, ClassVar

import typer
from typer.core import TyperCommand

from tiltyard_engine.errors import UserError
from tiltyard_engine.records import Command
from tiltyard_engine.registry.commands import contributed_commands, failed_commands, host_commands
from tiltyard_simulator.match.own_distributions import OWN_DISTRIBUTIONS
from tiltyard_tournaments.cli.application import NearGroup, PlainCommand


class OpenGroup(NearGroup):
    """Shows stubs of commands that packages and plugins bring, and imports one only when it is called."""

    words: ClassVar[str] = ""
    """What is typed after ``tiltyard`` to come here. A ``Command`` has these words, and one more, as its name."""
    order: ClassVar[Sequence[str]] = ()
    """The commands that the help lists first, in their order; a package of tiltyard's own may bring them. Others follow by name."""

    def __init__(self, **attributes: Any) -> None:
        super().__init__(**attributes)
        self.targets: dict[str, str] = {}
        self._has_plugins = False

    def stub(self, name: str, target: str, text: str) -> None:
        """Show a command that is imported from ``target`` when it is called. The help leaves out one without a text."""
        self.targets[name] = target
        self.commands[name] = TyperCommand(name, help=text, hidden=not text)

    def _add(self, commands: Iterable[Command]) -> None:
        for command in commands:
            group, _, name = command.name.rpartition(" ")
            if group == self.words and name not in self.commands:
                self.stub(name, command.target, command.help)

    def _add_plugins(self) -> None:
        """Look for plugins' commands, which takes a while. One that fails is left out and shown by ``tiltyard plugins``."""
        if not self._has_plugins:
            self._has_plugins = True
            self._add(contributed_commands(OWN_DISTRIBUTIONS))

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:
        """Replace a command's stub by the command itself."""
        if args and args[0] not in self.commands:
            self._add(host_commands())
        if args and args[0] not in self.commands:
            self._add_plugins()
        target = self.targets.pop(args[0], "") if args else ""
        name = f"{self.words} {args[0]}".strip() if args else ""
        if target:
            self.commands[args[0]] = load_command(name, target)
        if args and args[0] not in self.commands and (failed := failed_commands(OWN_DISTRIBUTIONS)):
            called = f"tiltyard {self.words}".strip()
            raise UserError(f"{failed}; no command is called '{name}'; '{called} --help' lists all")
        return super().resolve_command(ctx, args)

    def list_commands(self, ctx: Any) -> list[str]:
        """The commands in their order, those of plugins too."""
        self._add_plugins()
        others = sorted(name for name in self.commands if name not in self.order)
        return [*(name for name in self.order if name in self.commands), *others]


def load_command(name: str, target: str) -> Any:
    """The command behind ``module:attribute``.

    Raises:
        UserError: there is no such thing, as a plugin may wrongly say; names the target.
    """
    module, _, attribute = target.partition(":")
    try:
        application: typer.Typer = getattr(importlib.import_module(module), attribute)
        for command in application.registered_commands:
            # A plugin cannot import it, but groups its options too.
            command.cls = PlainCommand if command.cls in (None, TyperCommand) else command.cls
        return typer.main.get_command(application)
    except Exception as error:
        raise UserError(f"the command {name} cannot be loaded from {target}: {type(error).__name__}: {error}") from error
