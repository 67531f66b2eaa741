"""The site as a publisher, and its command, through the same hooks as everybody's. What they need is imported late."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from tiltyard_engine.hooks import hookimpl
from tiltyard_engine.match import NoOptions
from tiltyard_engine.records import Command

if TYPE_CHECKING:
    from tiltyard_engine.lifecycle import Publisher, TournamentResults

TILTYARD_API = 1


@hookimpl
def publishers() -> Iterator[Publisher]:
    """Yield the site, the one publisher here."""
    from tiltyard_engine.lifecycle import Publisher

    yield Publisher("site", _publish, NoOptions, "a folder of pages with standings, ratings and the replay of every game")


@hookimpl
def commands() -> Iterator[Command]:
    """Yield ``tiltyard serve`` and ``tiltyard replay``; publishing is a command of the core, for all publishers."""
    yield Command("serve", "Serve the site over HTTP, live during a run.", "tiltyard_site.commands.serve:app")
    yield Command("replay", "Extract a replay from a tournament's store.", "tiltyard_site.commands.replay:app")


def _publish(results: TournamentResults, options: NoOptions) -> Iterable[Path]:
    from tiltyard_site.publication.publisher import publish_site

    return publish_site(results)
