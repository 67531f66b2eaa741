"""Publishing a tournament from its store, by one publisher after the other."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Sequence
from contextlib import redirect_stdout
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import IO, Final

from tiltyard_engine.publishing import Publisher, TournamentResults
from tiltyard_simulator.loading import load
from tiltyard_tournaments.running.guarding import what_went_wrong
from tiltyard_tournaments.running.results import tournament_results
from tiltyard_tournaments.running.schedule import follow
from tiltyard_tournaments.running.tournament import Chosen, Tournament
from tiltyard_tournaments.store import Store

HERE: Final = Path()


@dataclass(slots=True)
class PublishedBy:
    """What came of publishing."""

    files: list[Path] = field(default_factory=list)
    """What each publisher wants to be looked at, in order."""
    failed: list[str] = field(default_factory=list)
    """A line for each publisher that failed: who, and why."""
    missing: int = 0
    """Matches of the current batch that are still to be played."""
    voids: int = 0
    """Matches that the machine spoilt; they count for nobody until they are played."""


def publish_by(
    tournament: Tournament,
    store: Store,
    publishers: Sequence[Chosen],
    say: Callable[[str], None],
    output: Path | None = None,
    notes: IO[str] | None = None,
) -> PublishedBy:
    """Let each publisher have the results as far as the tournament was played; one that fails does not keep the others.

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
    progress = follow(tournament, store.ended)
    found = PublishedBy(missing=len(progress.missing), voids=progress.schedule.voids)
    results = tournament_results(tournament, progress, store)
    if output is not None:
        results = replace(results, folder=output, publication=replace(results.publication, folder=HERE))
    for chosen in publishers:
        with redirect_stdout(notes or sys.stderr):
            problem = _publish(chosen, results, found.files)
        if problem:
            found.failed.append(problem)
            say(problem)
    return found


def _publish(chosen: Chosen, results: TournamentResults, files: list[Path]) -> str:
    try:
        given: object = load(chosen.reference, Publisher).publish(results, chosen.options)
        # One path in place of a list of them is easily written, and easily meant.
        paths = [given] if isinstance(given, str | Path) else list(given) if isinstance(given, Iterable) else []
        files += [Path(path) for path in paths]
    except KeyboardInterrupt:
        raise
    except BaseException as error:
        return f"publisher {what_went_wrong(chosen, error)}"
    return ""
