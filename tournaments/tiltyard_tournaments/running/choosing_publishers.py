"""Who publishes: those that are asked for, else those of the tournament file, else the site."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from tiltyard_engine.publishing import Publisher
from tiltyard_engine.registry import Reference, Registry
from tiltyard_engine.registry.registry import PUBLISHER
from tiltyard_simulator.choosing import choose
from tiltyard_simulator.loading import load
from tiltyard_tournaments.running.tournament import Chosen, Tournament

DEFAULT_PUBLISHER: Final = "site"


def choose_publishers(tournament: Tournament, registry: Registry, names: Sequence[str] = ()) -> list[Chosen]:
    """Publishers by name or path; those that the file names too have its options.

    Raises:
        UserError: there is no such publisher, or it is not trusted; says what to do.
    """
    if not names and tournament.publishers:
        return list(tournament.publishers)
    by_name = {chosen.name: chosen for chosen in tournament.publishers}
    found: dict[str, Chosen] = {}
    for name in names or (DEFAULT_PUBLISHER,):
        found[name] = by_name[name] if name in by_name else _with_defaults(choose(name, PUBLISHER, registry))
    return list(found.values())


def _with_defaults(reference: Reference) -> Chosen:
    return Chosen(reference, load(reference, Publisher).options())
