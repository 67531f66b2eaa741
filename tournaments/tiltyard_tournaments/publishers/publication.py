"""Publishing a tournament from its store: by which publishers, and by one after the other."""

from __future__ import annotations

import errno
import sys
from collections.abc import Callable, Iterable, Sequence
from contextlib import nullcontext, redirect_stdout
from pathlib import Path
from typing import IO, Final

from tiltyard_engine.data_classes import dataclass, field, replace
from tiltyard_engine.lifecycle import Publisher, TournamentResults
from tiltyard_engine.registry import Registry
from tiltyard_engine.registry.registry import PUBLISHER
from tiltyard_simulator.registry.finder import Finder
from tiltyard_tournaments.publishers.results import tournament_results
from tiltyard_tournaments.running.earlier_games import NO_OTHER_VERSIONS, OtherVersions
from tiltyard_tournaments.running.schedule import progress_to_show
from tiltyard_tournaments.running.tournament import ConfiguredPlugin, Tournament
from tiltyard_tournaments.store import Store

HERE: Final = Path()
DEFAULT_PUBLISHER: Final = "site"


@dataclass(slots=True)
class PublishedBy:
    """What came of publishing."""

    files: list[Path] = field(default_factory=list)
    """What each publisher wants to be looked at, in order."""
    failed: list[str] = field(default_factory=list)
    """A line for each publisher that failed: who, and why."""
    disk_full: bool = False
    """Whether one of them failed because of that."""
    missing: int = 0
    """Matches of the current batch that are still to be played."""
    voids: int = 0
    """Matches that failed because of the machine. They don't count until they are played again."""
    earlier: OtherVersions = NO_OTHER_VERSIONS
    """Matches that count although a run would play them again."""


def choose_publishers(tournament: Tournament, registry: Registry, names: Sequence[str] = ()) -> list[ConfiguredPlugin]:
    """Publishers by name or path; by default those of the tournament file, or else the site.

    Those that the file names get its options.

    Raises:
        UserError: there is no such publisher, or it is not trusted; says what to do.
    """
    if not names and tournament.publishers:
        return list(tournament.publishers)
    plugins = {plugin.name: plugin for plugin in tournament.publishers}
    in_order = list(dict.fromkeys(names or (DEFAULT_PUBLISHER,)))
    for name in in_order:
        if name not in plugins:
            reference = Finder(registry).plugin(name, PUBLISHER)
            plugins[name] = ConfiguredPlugin(reference, reference.load_as(Publisher).options())
    return [plugins[name] for name in in_order]


def publish_by(
    tournament: Tournament,
    store: Store,
    publishers: Sequence[ConfiguredPlugin],
    say: Callable[[str], None],
    output: Path | None = None,
    *,
    notes: IO[str] | None = None,
) -> PublishedBy:
    """Give each publisher the results so far; one that fails does not keep the others from publishing.

    Args:
        tournament: what is played.
        store: read only.
        publishers: in this order.
        say: told of each failure, once.
        output: where they write, in place of the tournament's own folder; the site goes right there.
        notes: gets what publishers print; by default standard error.

    Raises:
        UserError: the store cannot be read.
    """
    progress = progress_to_show(tournament, store)
    published = PublishedBy(missing=len(progress.missing), voids=progress.schedule.voids, earlier=progress.earlier)
    results = tournament_results(tournament, progress, lambda: nullcontext(store))
    if output is not None:
        results = replace(results, folder=output, publication=replace(results.publication, folder=HERE))
    for plugin in publishers:
        with redirect_stdout(notes or sys.stderr):
            problem = _publish(plugin, results, published)
        if problem:
            published.failed.append(problem)
            say(problem)
    return published


def _publish(plugin: ConfiguredPlugin, results: TournamentResults, published: PublishedBy) -> str:
    try:
        pages: object = plugin.reference.load_as(Publisher).publish(results, plugin.options)
        # One path in place of a list of them is easily written, and easily meant.
        paths = [pages] if isinstance(pages, str | Path) else list(pages) if isinstance(pages, Iterable) else []
        published.files += [Path(path) for path in paths]
    except KeyboardInterrupt:
        raise
    except BaseException as error:
        published.disk_full |= _is_disk_full(error)
        return f"publisher {plugin.failure(error)}"
    return ""


def _is_disk_full(error: BaseException | None) -> bool:
    while error is not None:
        if isinstance(error, OSError) and error.errno in (errno.ENOSPC, errno.EDQUOT):
            return True
        error = error.__cause__ or error.__context__
    return False
