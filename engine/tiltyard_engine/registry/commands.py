"""Subcommands that plugins contribute, through entry points of a group of their own."""

from __future__ import annotations

from dataclasses import replace
from typing import Final

from tiltyard_engine.errors import reasons_once
from tiltyard_engine.hooks import COMMANDS_GROUP
from tiltyard_engine.records import Command
from tiltyard_engine.registry.checks import COMMAND
from tiltyard_engine.registry.loading import Plugin, Problem, load_source
from tiltyard_engine.registry.registry import Selection
from tiltyard_engine.registry.sources import HOST_DISTRIBUTION, NOBODY, Origin, Source, host_sources, installed_sources, is_of
from tiltyard_engine.registry.trust import TRUST_VARIABLE, Trust

SINGLE: Final = (Origin.FILE, Origin.PACKAGE)
"""Plugins that have no entry points, so that their commands are in the same module as all else."""
UNTRUSTED: Final = f"not loaded: commands run in the runner's own process; if you trust it, set {TRUST_VARIABLE}={{}}"


def command_plugins(selection: Selection | None = None, trust: Trust | None = None, own: frozenset[str] = NOBODY) -> list[Plugin]:
    """The plugins with commands, but for blocked ones: those of the group ``tiltyard.commands``, and trusted files and folders.

    Commands of the host itself can't be blocked, if it is among ``own``. The first of two commands with one name counts.

    A command runs in the runner's own process, so only those of the host's ``own`` distributions and trusted ones are
    imported; for all others that is reported as a problem.
    Without ``selection`` and ``trust`` the environment says both.
    """
    selection = Selection.from_environment() if selection is None else selection
    trust = Trust.from_environment() if trust is None else trust
    contributors: dict[str, Source] = {}
    plugins: list[Plugin] = []
    host = own & {HOST_DISTRIBUTION}
    every = installed_sources(COMMANDS_GROUP, own)
    installed = [source for source in every if is_of(source, host) or not selection.refusal(source)]
    for source in (*installed, *trust.sources(own, COMMANDS_GROUP)):
        if not (source.error or is_of(source, own) or trust.covers(source)):
            plugins.append(Plugin(source=source, problems=[Problem(UNTRUSTED.format(source.distribution))]))
            continue
        loaded = load_source(source, ("commands",))
        if source.origin in SINGLE and not _has_commands(loaded):
            # A file has one module for all that it contributes; most have no command.
            continue
        plugin = replace(loaded, commands=[], problems=list(loaded.problems))
        plugins.append(plugin)
        for record in loaded.commands:
            command = replace(record, target=_own_module(loaded) + record.target) if record.target.startswith(":") else record
            if command.name in contributors:
                reason = f"the command '{command.name}' is already contributed by {contributors[command.name]}"
                plugin.problems.append(Problem(reason, command.name, "command"))
            else:
                contributors[command.name] = source
                plugin.commands.append(command)
    return plugins


def _has_commands(plugin: Plugin) -> bool:
    """Whether it has a command, or tried to have one."""
    return bool(plugin.commands) or any(problem.kind == COMMAND for problem in plugin.problems)


def _own_module(plugin: Plugin) -> str:
    """The module that the plugin is, or that its object's class is in."""
    return str(getattr(plugin.object, "__name__", type(plugin.object).__module__))


def failed_commands(own: frozenset[str] = NOBODY) -> str:
    """Why plugins that may have commands have none, in one line; empty if none failed. ``own`` as for ``command_plugins``."""
    plugins = command_plugins(own=own)
    # A trusted file without commands isn't among them, but one that can't be imported might have some.
    files = [load_source(source, ("commands",)) for source in Trust.from_environment().sources(own, COMMANDS_GROUP)]
    plugins += [plugin for plugin in files if plugin.source.origin in SINGLE and plugin.object is None]
    return reasons_once(
        (each.source.name, f"the plugin {each.source.name} failed: {one.reason}") for each in plugins for one in each.problems
    )


def host_commands() -> list[Command]:
    """The subcommands that packages of the host itself bring. No plugin is looked at, so this is quick."""
    return [command for source in host_sources(COMMANDS_GROUP) for command in load_source(source, ("commands",)).commands]


def contributed_commands(own: frozenset[str] = NOBODY) -> list[Command]:
    """All usable subcommands, by name; ``own`` as for ``command_plugins``."""
    commands = [command for plugin in command_plugins(own=own) for command in plugin.commands]
    return sorted(commands, key=lambda command: command.name)
