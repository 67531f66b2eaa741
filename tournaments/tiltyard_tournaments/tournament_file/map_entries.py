"""The maps of a tournament file: named, matched by patterns, in folders, or generated."""

from __future__ import annotations

import glob
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from tiltyard_engine.errors import MapError, UserError
from tiltyard_engine.records import Game
from tiltyard_engine.seat_kinds.author_mistakes import differing_maps
from tiltyard_simulator.match.spec import MapSource
from tiltyard_simulator.registry.map_files import no_usable_map
from tiltyard_simulator.registry.plugin_list import INSTALLED
from tiltyard_tournaments.tournament_file.document import KeyPath
from tiltyard_tournaments.tournament_file.lookup import Lookup
from tiltyard_tournaments.tournament_file.validation import check_options

if TYPE_CHECKING:
    from tiltyard_tournaments.tournament_file.model import MapEntry

PATTERN: Final = "*?["
MOST_GENERATED: Final = 10_000
"""Maps of one entry. Each is kept in memory from the beginning."""


def find_maps(lookup: Lookup, game: Game[Any] | None, players: int) -> list[MapSource]:
    """All maps that stand under ``maps``, with unique names, for so many players."""
    sources: dict[str, MapSource] = {}
    for place, entry in enumerate(lookup.keys.maps):
        where = ("maps", place)
        if lookup.is_broken(*where):
            continue
        try:
            if game is None:
                _look_for(lookup, entry)
                continue
            for source in _map(lookup, entry, game, players, where):
                if source.name in sources:
                    lookup.problem(where, f"two maps are called '{source.name}'; rename or remove one")
                sources.setdefault(source.name, source)
        except UserError as error:
            # Whether a map is for that many players can't be told where their number is wrong.
            if not (isinstance(error, MapError) and lookup.is_broken("players")):
                lookup.problem(where, str(error))
    # Maps that nobody wrote are no mistake beside others.
    is_told = lookup.has_problem_in("maps", "players") or (lookup.problems and "maps" not in lookup.document.data)
    if game is not None and not sources and not is_told:
        lookup.problem(("maps",), str(no_usable_map(lookup.finder.registry, game, players)))
    return list(sources.values())


def _look_for(lookup: Lookup, entry: MapEntry) -> None:
    """Raise UserError if no game has such a map; for a file whose game isn't known."""
    text = lookup.in_folder((entry.map or INSTALLED).removeprefix("all "))
    if text != INSTALLED and not any(character in text for character in PATTERN) and not Path(text).exists():
        lookup.finder.map(text)


def _map(lookup: Lookup, entry: MapEntry, game: Game[Any], players: int, where: KeyPath) -> list[MapSource]:
    if (entry.map is None) == (entry.generate is None):
        raise UserError("expected either 'map' or 'generate'")
    if entry.generate is not None:
        return _generated(lookup, entry.generate, game, players, (*where, "generate"))
    text = (entry.map or "").removeprefix("all ")
    texts = [text]
    if any(character in text for character in PATTERN):
        texts = sorted(glob.glob(text, root_dir=lookup.path.parent, recursive=True))  # noqa: PTH207 -- patterns as people know them
        if not texts:
            raise UserError(f"no file matches the pattern '{text}' in {lookup.path.parent}")
    maps = lookup.finder.maps([lookup.in_folder(text) for text in texts], game, players)
    lookup.left_out += maps.left_out
    return maps.maps


def _generated(lookup: Lookup, wishes: dict[str, Any], game: Game[Any], players: int, where: KeyPath) -> list[MapSource]:
    if game.maps.generate is None:
        raise UserError(f"the game {game.name} cannot generate maps")
    wishes = dict(wishes)
    count, seed = wishes.pop("count", 1), wishes.pop("seed", lookup.keys.seed)
    for name, value, allowed in (("count", count, range(1, MOST_GENERATED + 1)), ("seed", seed, range(sys.maxsize))):
        if isinstance(value, bool) or not isinstance(value, int) or value not in allowed:
            between = f" from 1 to {MOST_GENERATED:,}" if name == "count" else ""
            lookup.problem((*where, name), f"expected a whole number{between}, got {value!r}")
    options, problems = check_options(game.maps.options, wishes, lookup.document, where, lookup.key_places)
    lookup.problems += problems
    if lookup.has_problem_in("maps"):
        return []
    numbers = range(seed, seed + count)
    sources = [MapSource(f"generated-{number}", game.maps.generate(options, number, players)) for number in numbers]
    if sources and sources[0].data != game.maps.generate(options, seed, players):
        raise UserError(differing_maps(game.name, game.maps.generate))
    return sources
