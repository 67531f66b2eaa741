"""The observers and publishers of a tournament file, with their options."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from tiltyard_engine.errors import UserError, describe
from tiltyard_engine.lifecycle import Observer, Publisher
from tiltyard_engine.registry import Reference
from tiltyard_engine.registry.registry import OBSERVER
from tiltyard_tournaments.running.tournament import ConfiguredPlugin
from tiltyard_tournaments.tournament_file.document import KeyPath
from tiltyard_tournaments.tournament_file.lookup import Lookup
from tiltyard_tournaments.tournament_file.validation import check_options

if TYPE_CHECKING:
    from tiltyard_tournaments.tournament_file.model import ObserverEntry, PublisherEntry


def find_observers(lookup: Lookup) -> tuple[ConfiguredPlugin, ...]:
    """Those that the file names, then all other installed ones. One that isn't trusted is left out, with the reason."""
    plugins = find_named(lookup, ("observers",), lookup.keys.observers, OBSERVER, Observer)
    references = {plugin.reference for plugin in plugins}
    others = [entry.reference for entry in lookup.finder.registry.all(OBSERVER) if entry.reference not in references]
    for row in lookup.finder.registry.failures():
        if row.kind == OBSERVER:
            lookup.left_out.append(f"{row.distribution or row.file}: observer {row.name}: {row.reason}")
    return (*plugins, *(plugin for reference in others if (plugin := _with_defaults(lookup, reference)) is not None))


def find_named(
    lookup: Lookup, key: KeyPath, entries: Sequence[ObserverEntry | PublisherEntry], kind: str, record: type[Observer | Publisher]
) -> tuple[ConfiguredPlugin, ...]:
    """Observers or publishers by name, with their options checked."""
    plugins: dict[Reference, ConfiguredPlugin] = {}
    for place, entry in enumerate(entries):
        where = (*key, place)
        if lookup.is_broken(*where) or not lookup.may_look_up(entry.name):
            continue
        try:
            reference = lookup.finder.plugin(lookup.in_folder(entry.name), kind)
            options, problems = check_options(
                reference.load_as(record).options, entry.model_extra or {}, lookup.document, where, lookup.key_places
            )
        except UserError as error:
            lookup.problem(where, str(error))
            continue
        lookup.problems += problems
        if reference in plugins:
            lookup.problem(where, f"'{entry.name}' is listed twice")
        plugins.setdefault(reference, ConfiguredPlugin(reference, options))
    return tuple(plugins.values())


def _with_defaults(lookup: Lookup, reference: Reference) -> ConfiguredPlugin | None:
    """An observer that nobody named, which must not keep the tournament from being played."""
    try:
        return ConfiguredPlugin(reference, reference.load_as(Observer).options())
    except Exception as error:
        lookup.left_out.append(f"{reference.source}: observer {reference.name}: {describe(error)}")
        return None
