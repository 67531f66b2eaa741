"""The hooks by which a plugin says what it contributes.

A plugin is any module or object with functions marked ``@hookimpl`` and named as below. Each yields
records; the host collects, checks and sorts them. A hook may be left out.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any, Final

import pluggy

from tiltyard_engine.records import Algorithm, Command, Game, Manager, MapFile

if TYPE_CHECKING:
    from tiltyard_engine.formats import Format
    from tiltyard_engine.lifecycle import Observer, Publisher
    from tiltyard_engine.recipes import Recipe

PROJECT = "tiltyard"
"""The pluggy project name, and the entry-point group of plugins."""
COMMANDS_GROUP = "tiltyard.commands"
"""The entry-point group of plugins whose ``commands`` hook is asked; kept apart so that help imports no team."""
API_VERSION: Final = 1
"""The version of what plugins are written against: the hooks, their records, and the classes that these name.

It rises when plugins written for the version before would no longer work. What is new and may be left out does not raise it.
"""
API_STATEMENT: Final = "TILTYARD_API"
"""The attribute in which a plugin may state the version that it was written for."""

hookspec = pluggy.HookspecMarker(PROJECT)
"""Marks the declaration of a hook, as in :class:`Hooks`. Plugins don't need it."""
hookimpl = pluggy.HookimplMarker(PROJECT)
"""Marks a plugin's function as one of the hooks."""


class Hooks:
    """The hooks that a plugin may implement; each says what to yield."""

    @hookspec
    def games(self) -> Iterable[Game[Any]]:
        """Games that this plugin brings."""
        return ()

    @hookspec
    def game_managers(self) -> Iterable[Manager]:
        """GameManagers that this plugin brings."""
        return ()

    @hookspec
    def algorithms(self) -> Iterable[Algorithm]:
        """Algorithms that this plugin brings: what most teams hand in."""
        return ()

    @hookspec
    def maps(self) -> Iterable[MapFile]:
        """Maps that this plugin brings."""
        return ()

    @hookspec
    def formats(self) -> Iterable[Format]:
        """Tournament formats that this plugin brings."""
        return ()

    @hookspec
    def observers(self) -> Iterable[Observer]:
        """Observers that this plugin brings: they hear of every run as it goes."""
        return ()

    @hookspec
    def publishers(self) -> Iterable[Publisher]:
        """Publishers that this plugin brings: ways to write or send a tournament's results."""
        return ()

    @hookspec
    def recipes(self) -> Iterable[Recipe]:
        """Recipes that this plugin brings: how what people hand in becomes teams."""
        return ()

    @hookspec
    def commands(self) -> Iterable[Command]:
        """Subcommands of ``tiltyard``; asked of entry points in the group ``tiltyard.commands`` only."""
        return ()
