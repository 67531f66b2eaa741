"""Where a key belongs that stands elsewhere, such as an option of the format at the top of a file."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from dataclasses import is_dataclass
from typing import Any, Final

from tiltyard_engine.data_classes import dataclass, field, fields
from tiltyard_engine.formats import Format
from tiltyard_engine.lifecycle import Observer, Publisher
from tiltyard_engine.records import Game
from tiltyard_engine.registry import Registry
from tiltyard_engine.registry.registry import FORMAT, OBSERVER, PUBLISHER
from tiltyard_simulator.match.limits import Limits

MOST_PLACES: Final = 2
"""A key that is known in more is a common word, such as ``name``."""


@dataclass(frozen=True, slots=True)
class KeyPlaces:
    """The keys that a file may have, by the key around them; empty at the top."""

    places: Mapping[str, Collection[str]]
    formats: Mapping[str, Collection[str]] = field(default_factory=dict)
    """The options of each format."""
    chosen_format: str = ""

    def hint(self, key: str, around: str) -> str:
        """Where the key belongs, for a message; empty if it is known nowhere else, or in too many places."""
        if around == "format" and (others := [name for name, options in self.formats.items() if key in options]):
            return f"'{key}' is an option of {' and '.join(others)}, not of {self.chosen_format}"
        homes = [self._words(key, place) for place, keys in self._all() if key in keys and place != around]
        if "" in self.places and around and key in self.places[""]:
            return f"'{key}' belongs at the top level of the file, not under '{around}'"
        return f"'{key}' belongs under {' or '.join(homes)}" if 0 < len(homes) <= MOST_PLACES else ""

    def _all(self) -> Iterator[tuple[str, Collection[str]]]:
        yield from self.places.items()
        yield "format", {option for options in self.formats.values() for option in options}

    def _words(self, key: str, place: str) -> str:
        if place != "format":
            return f"'{place}'"
        with_it = [name for name, options in self.formats.items() if key in options]
        if self.chosen_format in with_it:
            return f"'format', as in 'format: {{name: {self.chosen_format}, {key}: ...}}'"
        return f"'format', as an option of {' or '.join(with_it)}, as in 'format: {{name: {with_it[-1]}, {key}: ...}}'"


def key_places(places: Mapping[str, Collection[str]], registry: Registry, game: Game[Any] | None, chosen_format: str) -> KeyPlaces:
    """The places of a tournament file: its own, and those whose keys are options of plugins."""
    qualifier = None if game is None else game.teams.qualifier
    generated = () if game is None or game.maps.generate is None else ("count", "seed", *_options(game.maps.options))
    options = {
        "limits": [each.name for each in fields(Limits)],
        "qualify": _options(None if qualifier is None else qualifier.options),
        "maps: generate": generated,
        "publication.publishers": _options_of(registry, PUBLISHER, Publisher),
        "observers": _options_of(registry, OBSERVER, Observer),
    }
    formats = {entry.name: _options(entry.reference.load_as(Format).options) for entry in registry.all(FORMAT)}
    own = {place: keys for place, keys in places.items() if place != "format"}
    whole = own | {place: [*own.get(place, ()), *keys] for place, keys in options.items()}
    return KeyPlaces(whole, formats, chosen_format)


def _options_of(registry: Registry, kind: str, record: type[Publisher | Observer]) -> list[str]:
    return [option for entry in registry.all(kind) for option in _options(entry.reference.load_as(record).options)]


def _options(kind: type[Any] | None) -> list[str]:
    return [each.name for each in fields(kind)] if kind is not None and is_dataclass(kind) else []
