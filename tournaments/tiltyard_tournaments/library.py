"""Tournaments from Python: the same files, stores and results as those of the ``tiltyard`` command.

Nothing here prints, reads from the terminal or changes how signals are handled. An exception leaves the store as it is after
the last match that was played, so that the same call goes on; Ctrl-C (KeyboardInterrupt) too.
"""

from __future__ import annotations

import io
import logging
import sys
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, Final, TypeAlias

from tiltyard_engine.errors import UserError
from tiltyard_engine.lifecycle import Event
from tiltyard_engine.publishing import Table, TournamentResults
from tiltyard_engine.registry import Selection
from tiltyard_engine.replay import Replay
from tiltyard_simulator.guard.describing import open_registry
from tiltyard_simulator.running import available_cores, local_executor
from tiltyard_tournaments.ratings.counting import rated
from tiltyard_tournaments.ratings.rate import rate
from tiltyard_tournaments.rows import Row, match_row, seat_rows
from tiltyard_tournaments.running.choosing_publishers import choose_publishers
from tiltyard_tournaments.running.display import display_for
from tiltyard_tournaments.running.entering import entered_now, hold_entry
from tiltyard_tournaments.running.finding import find_replay
from tiltyard_tournaments.running.observing import Observers
from tiltyard_tournaments.running.publishing import publish_by
from tiltyard_tournaments.running.reporting import matches_with_byes
from tiltyard_tournaments.running.results import tournament_results
from tiltyard_tournaments.running.run import run_tournament
from tiltyard_tournaments.running.schedule import Progress, Schedule, follow
from tiltyard_tournaments.running.session import store_for_run
from tiltyard_tournaments.running.tournament import Tournament
from tiltyard_tournaments.store import Store
from tiltyard_tournaments.store.store import STORE_NAME
from tiltyard_tournaments.tournament_file.reading import Document, read_document
from tiltyard_tournaments.tournament_file.resolving import Resolved, resolve

LOG: Final = logging.getLogger("tiltyard")
"""What observers and publishers do wrong is said here, as warnings."""
Tell: TypeAlias = Callable[[Event], None]


@dataclass(frozen=True)
class Status:
    """How far a tournament has come."""

    done: int
    """Games."""
    left: int
    """Games of the current batch; later ones may be unknown before it is played."""
    faults: dict[str, int]
    """Matches with faults, by team."""
    voids: int = 0
    """Games that the machine spoilt: they count for nobody, and the next run tries them again."""

    @property
    def complete(self) -> bool:
        """Whether there is nothing left to play."""
        return self.left == self.voids == 0


class Cup:
    """A tournament and what came of it so far. Every method looks into the store anew.

    Made by ``load`` and ``tournament``. Methods raise UserError: of what is on the disk, or of what they are asked for.
    """

    def __init__(self, resolved: Resolved, name: str) -> None:
        self._resolved = resolved
        self._name = name

    def __repr__(self) -> str:
        tournament = self._tournament
        return f"<tournament {tournament.title!r}: {tournament.format_name}, {len(self.teams)} teams, {len(self.maps)} maps>"

    @property
    def _tournament(self) -> Tournament:
        return entered_now(self._resolved.tournament)

    # What is to be played

    @property
    def title(self) -> str:
        """The tournament's name."""
        return self._tournament.title

    @property
    def teams(self) -> tuple[str, ...]:
        """Names, in the order of the file."""
        return self._tournament.names

    @property
    def maps(self) -> tuple[str, ...]:
        """Names, in the order of the file."""
        return self._tournament.field.maps

    @property
    def folder(self) -> Path:
        """Holds the store and all that is written."""
        return self._tournament.folder

    @property
    def left_out(self) -> tuple[str, ...]:
        """What the named folders hold that cannot be used, and why."""
        return tuple(self._resolved.left_out)

    @property
    def not_admitted(self) -> tuple[tuple[str, str], ...]:
        """Teams of the file that did not qualify, and why, as far as they were asked."""
        return self._tournament.not_admitted

    def plan(self) -> list[Row]:
        """The matches that are known before anything is played, in their order."""
        tournament = self._tournament
        rows: list[Row] = []
        for planned in Schedule(tournament).next_batch():
            fixture = planned.fixture
            row: Row = {"number": planned.place + 1, "stage": fixture.stage, "map": planned.spec.map.name, "game": fixture.game + 1}
            rows.append(row | {f"player_{seat}": name for seat, name in enumerate(planned.spec.names, start=1)})
        return rows

    # Playing

    def run(self, progress: Tell | bool | None = None, workers: int | None = None) -> Cup:
        """Play what is missing; this tournament again.

        Args:
            progress: called with each event (see ``tiltyard_engine.lifecycle``), in this thread; True: lines on standard error.
            workers: processes, in place of the file's; 0: one a core. Results do not depend on it.

        Raises:
            UserError: the store cannot be written, or another run holds it; or a match cannot be set up.
        """
        asked = self._resolved.tournament
        wanted = (asked.workers if workers is None else workers) or available_cores()
        with store_for_run(asked) as store:
            say = partial(print, file=sys.stderr) if progress is True else LOG.info
            tournament = hold_entry(asked, store, lambda: local_executor(wanted), say)
            with self._telling(progress) as tell, local_executor(wanted) as executor:
                run_tournament(tournament, store, executor, tell)
            if tournament.publishers:
                publish_by(tournament, store, tournament.publishers, LOG.warning, notes=io.StringIO())
        return self

    @contextmanager
    def _telling(self, progress: Tell | bool | None) -> Iterator[Tell]:
        with ExitStack() as stack:
            tells: list[Tell] = [stack.enter_context(Observers(self._tournament.observers, LOG.warning))]
            if progress is True:
                tells.append(stack.enter_context(display_for(self._tournament)))
            elif callable(progress):
                tells.append(progress)

            def tell(event: Event) -> None:
                for each in tells:
                    each(event)

            yield tell

    def status(self) -> Status:
        """How far it has come; nothing was played yet is no error."""
        if not (self.folder / STORE_NAME).is_file():
            return Status(0, len(Schedule(self._tournament).next_batch()), {})
        with self._store() as store:
            progress = follow(self._tournament, store.ended)
        schedule = progress.schedule
        faults: Counter[str] = Counter()
        for planned, outcome in zip(schedule.planned, schedule.outcomes):
            faults.update({planned.spec.names[fault.seat - 1] for fault in outcome.faults if fault.seat})
        return Status(len(schedule.outcomes) - schedule.voids, len(progress.missing), dict(faults), schedule.voids)

    # What came of it

    def results(self) -> list[Row]:
        """A row a match, in the order of the schedule: flat, plain values, ready for ``pandas.DataFrame``."""
        with self._results() as (results, _):
            return [match_row(match) for match in results.matches]

    def seats(self) -> list[Row]:
        """A row a seat of each match: what one team did in it."""
        with self._results() as (results, _):
            return [row for match in results.matches for row in seat_rows(match, self._tournament.rules.scoring)]

    def standings(self) -> list[Row]:
        """A row a team, best first."""
        return self.table("standings")

    def table(self, name: str) -> list[Row]:
        """One of the tables that ``tiltyard standings`` prints: crosstable, maps, seats, faults, games, ...

        Raises:
            UserError: there is no such table; names the nearest.
        """
        from tiltyard_tournaments.running.reporting import tables_of

        with self._results() as (_, progress):
            (table,) = tables_of(self._tournament, progress.schedule, [name])
        return _objects(table)

    def ratings(self) -> list[Row]:
        """A row a team with a rated match, best first: Elo points above the average, and their 95 % interval."""
        with self._results() as (_, progress):
            matches = matches_with_byes(self._tournament, progress.schedule)
        if not list(rated(matches)):
            return []
        found = rate(matches)
        estimates = {team: found.rating(team) for team in found.teams}
        return [
            {"team": team, "rating": estimate.value, "low": estimate.low, "high": estimate.high, "games": found.games(team)}
            for team, estimate in estimates.items()
        ]

    def replay(self, match: int | str | Row) -> Replay:
        """A match's replay: by its number, by (the beginning of) its key, or by a row of it.

        Raises:
            UserError: there is no such match, or it has no replay.
        """
        asked = match["key"] if isinstance(match, dict) else match
        with self._store() as store:
            return find_replay(self._tournament, store, str(asked), self._name).replay

    def publish(self, folder: Path | str | None = None, publishers: Sequence[str] = ()) -> list[Path]:
        """Publish the results as far as there are any; the files to begin with.

        Args:
            folder: where to write, in place of the tournament's own.
            publishers: by name, such as ``markdown``; by default those of the file, or the site.

        Raises:
            UserError: a publisher failed; the others have published.
        """
        chosen = choose_publishers(self._tournament, self._resolved.registry, publishers)
        with self._store() as store:
            output = None if folder is None else Path(folder)
            published = publish_by(self._tournament, store, chosen, LOG.debug, output, io.StringIO())
        if published.failed:
            raise UserError("\n".join(published.failed))
        return published.files

    def _store(self) -> Store:
        return Store(self.folder, writable=False)

    @contextmanager
    def _results(self) -> Iterator[tuple[TournamentResults, Progress]]:
        with self._store() as store:
            progress = follow(self._tournament, store.ended)
            yield tournament_results(self._tournament, progress, store), progress


def _objects(table: Table) -> list[Row]:
    return [dict(zip(table.headers, row)) for row in table.rows]


def open_file(path: Path) -> Cup:
    """The tournament of a file; see ``tiltyard_tournaments.load``."""
    return _cup(read_document(path), path)


def from_keys(keys: dict[str, Any]) -> Cup:
    """The tournament of a file's keys; see ``tiltyard_tournaments.tournament``."""
    data = {name.replace("_", "-") if name == "tie_breaks" else name: _plain(value) for name, value in keys.items()}
    return _cup(Document("tournament()", data), Path("tournament"))


def _cup(document: Document, path: Path) -> Cup:
    selection = Selection.from_environment()
    return Cup(resolve(document, path, lambda holding: open_registry(holding, selection)), str(path))


def _plain(value: Any) -> Any:
    """A value as YAML would give it."""
    if isinstance(value, Path):
        return str(value)
    if isinstance(value, dict):
        return {str(key): _plain(each) for key, each in value.items()}
    return [_plain(each) for each in value] if isinstance(value, list | tuple) else value
