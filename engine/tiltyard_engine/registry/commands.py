"""Subcommands that plugins contribute, through entry points of a group of their own."""

from __future__ import annotations

from tiltyard_engine.hooks import COMMANDS_GROUP
from tiltyard_engine.records import Command
from tiltyard_engine.registry.loading import Plugin, load_source
from tiltyard_engine.registry.registry import Selection
from tiltyard_engine.registry.sources import installed_sources


def command_plugins() -> list[Plugin]:
    """The plugins of the group ``tiltyard.commands``, loaded, but for blocked ones."""
    selection = Selection.from_environment()
    return [load_source(source, ("commands",)) for source in installed_sources(COMMANDS_GROUP) if not selection.refusal(source)]


def contributed_commands() -> list[Command]:
    """All usable subcommands, by name; the first of two with one name counts."""
    found: dict[str, Command] = {}
    for plugin in command_plugins():
        for command in plugin.commands:
            found.setdefault(command.name, command)
    return sorted(found.values(), key=lambda command: command.name)
