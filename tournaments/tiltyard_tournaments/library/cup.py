"""A tournament from Python: the same files, stores and results as those of the ``tiltyard`` command.

Nothing here prints, reads from the terminal or changes signal handlers. After an exception, including KeyboardInterrupt (Ctrl-C),
the store contains all matches played so far, and the same call resumes.
"""

from __future__ import annotations

import io
import logging
import sys
from collections import Counter
from collections.abc import AsyncGenerator, Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, ExitStack, aclosing, contextmanager, nullcontext
from functools import partial
from pathlib import Path
from typing import Final

from tiltyard_engine.data_classes import dataclass
from tiltyard_engine.errors import UserError
from tiltyard_engine.formats import FixtureResult, TournamentFormat
from tiltyard_engine.lifecycle import Event, Notice, Table, TournamentResults
from tiltyard_engine.records import Game
from tiltyard_engine.replay import Theme
from tiltyard_engine.texts.quantities import counted
from tiltyard_simulator.match.eligibility import why_absent
from tiltyard_simulator.play.executor import available_cores
from tiltyard_simulator.play.local_matches import local_executor
from tiltyard_simulator.registry.object_teams import ObjectRecords
from tiltyard_tournaments.library.notebook_progress import in_notebook, notebook_display
from tiltyard_tournaments.library.rows import Row, Rows, match_row, rows_of, seat_rows
from tiltyard_tournaments.library.shown_match import PlayedMatch, ShownReplay, ended_match, shown_replay
from tiltyard_tournaments.library.stream import Stoppable, stream_run
from tiltyard_tournaments.publishers.pages import pages
from tiltyard_tournaments.publishers.publication import choose_publishers, publish_by
from tiltyard_tournaments.publishers.results import find_replay, tournament_results
from tiltyard_tournaments.ratings.counts import rated
from tiltyard_tournaments.ratings.rate import rate
from tiltyard_tournaments.running.eligibility import disqualifications
from tiltyard_tournaments.running.events.display import display_for
from tiltyard_tournaments.running.events.observers import Observers
from tiltyard_tournaments.running.events.reporting import Reporter
from tiltyard_tournaments.running.qualification import qualify_teams, with_teams_admitted_so_far
from tiltyard_tournaments.running.run import Tell, run_tournament
from tiltyard_tournaments.running.schedule import Progress, Schedule, games_to_play_again, progress_to_show
from tiltyard_tournaments.running.tables import matches_with_byes, tables_of
from tiltyard_tournaments.running.tournament import Tournament, open_store, store_for_run
from tiltyard_tournaments.store import STORE_NAME, Store
from tiltyard_tournaments.tournament_file.resolution import Resolved

LOG: Final = logging.getLogger("tiltyard")
"""Errors of observers and publishers are logged here as warnings, and that games count which were played with other code."""


@dataclass(frozen=True, slots=True)
class Status:
    """The progress of a tournament."""

    done: int
    """Games."""
    left: int
    """Games left in the current batch. Later batches may not be known yet."""
    faults: dict[str, int]
    """Matches with faults, by team. One that it was not there to play isn't one."""
    voids: int = 0
    """Games that failed because of the machine. They don't count, and the next run plays them again."""
    earlier: int = 0
    """Games that count, but were played with another version of the game or of tiltyard. The next run plays them again."""

    @property
    def complete(self) -> bool:
        """Whether there is nothing left to play."""
        return self.left == self.voids == self.earlier == 0


class Cup:
    """A tournament and its results so far. Every method reads the store again. A notebook shows it as its standings.

    ``load`` and ``tournament`` create it. Methods raise UserError if a file or an argument is wrong.
    """

    def __init__(self, resolved: Resolved, name: str, objects: ObjectRecords | None = None) -> None:
        self._resolved = resolved
        self._name = name
        self._objects = objects or ObjectRecords()

    def __repr__(self) -> str:
        tournament = self._tournament
        field = f"{counted(len(self.teams), 'team')}, {counted(len(self.maps), 'map')}"
        return f"<tournament {tournament.title!r}: {tournament.format_name}, {field}>"

    def _repr_html_(self) -> str:
        standings, missing = None, 0
        if (self.folder / STORE_NAME).is_file():
            with self._results() as (results, _):
                standings, missing = results.table("standings"), results.missing
        return pages().cup_html(repr(self)[1:-1], standings, missing)

    @property
    def _tournament(self) -> Tournament:
        return with_teams_admitted_so_far(self._resolved.tournament)

    # What is to be played

    @property
    def title(self) -> str:
        """The title of the tournament, as tables and pages show it."""
        return self._tournament.title

    @property
    def teams(self) -> tuple[str, ...]:
        """Names, in the order of the file."""
        return self._tournament.names

    @property
    def stages(self) -> Mapping[str, Cup]:
        """The tournaments that follow each other, by name, in order; empty: it has no stages."""
        return {}

    @property
    def maps(self) -> tuple[str, ...]:
        """Names, in the order of the file."""
        return self._tournament.field.maps

    @property
    def folder(self) -> Path:
        """The folder of the store and of everything that is written."""
        return self._tournament.folder

    @property
    def left_out(self) -> tuple[str, ...]:
        """What was left out of the named folders, and why."""
        return tuple(self._resolved.left_out)

    @property
    def not_admitted(self) -> tuple[tuple[str, str], ...]:
        """Teams of the file that did not qualify, and why. Only teams already tested are included."""
        return self._tournament.not_admitted

    @property
    def disqualified(self) -> tuple[tuple[str, str, str], ...]:
        """Name, what happens to its results (``kept`` or ``struck``), and reason of each disqualified team."""
        return tuple(disqualifications(self._tournament))

    def plan(self) -> Rows:
        """The matches that are known before anything is played, in order."""
        tournament = self._tournament
        rows = Rows(title=f"{tournament.title}: plan")
        for spec in Schedule(tournament=tournament).next_batch():
            row: Row = {
                "number": spec.place.number + 1,
                "stage": spec.place.stage,
                "map": spec.input.map.name,
                "game": spec.place.game_number + 1,
            }
            rows.append(row | {f"player_{seat}": name for seat, name in enumerate(spec.input.names, start=1)})
        return rows

    @property
    def format(self) -> TournamentFormat:
        """The format, which says who meets whom."""
        return self._tournament.format

    @property
    def can_generate_maps(self) -> bool:
        """Whether the game can."""
        return self._tournament.game.load_as(Game).maps.generate is not None

    # Playing

    def run(self, progress: Tell | bool | None = None, workers: int | None = None) -> Cup:
        """Play the missing matches, and return this tournament.

        Args:
            progress: a function called with each event (see ``tiltyard_engine.lifecycle``) in this thread; True shows a bar in a
                notebook, and elsewhere prints lines to standard error.
            workers: number of worker processes (overrides the file); 0 means one per core. Results don't depend on it. With teams
                that were given as objects, all is played in this process.

        Raises:
            UserError: the store cannot be written, or another run holds it; or a match cannot be set up.
        """
        self._play([progress], workers)
        return self

    def _play(self, progress: Sequence[Tell | bool | None], workers: int | None, stoppable: Stoppable = nullcontext) -> None:
        unqualified = self._resolved.tournament
        worker_count = 1 if self._objects.sources else (unqualified.workers if workers is None else workers) or available_cores()
        with store_for_run(unqualified) as store:
            say = partial(print, file=sys.stderr) if True in progress else LOG.info
            tournament = qualify_teams(unqualified, store, lambda: local_executor(worker_count), say)
            for note in tournament.round_notes:
                say(note)
            if again := games_to_play_again(tournament, store):
                say(again.warning)
            with self._telling(progress, store) as tell, local_executor(worker_count) as executor:
                if self._objects.sources and workers not in (None, 0, 1):
                    names = ", ".join(source.name for source in self._objects.sources)
                    tell(Notice(f"games are played one after the other in this process, because no other process has {names}"))
                with stoppable():
                    run_tournament(tournament, store, executor, tell)
            self._publish_played(tournament, store)

    def _publish_played(self, tournament: Tournament, store: Store) -> None:
        """Publish what was played, as the file says."""
        if tournament.publishers:
            publish_by(tournament, store, tournament.publishers, LOG.warning, notes=io.StringIO())

    async def stream(self, progress: Tell | bool | None = None, workers: int | None = None) -> AsyncGenerator[PlayedMatch, None]:
        """Play the missing matches, and give every match as soon as it has ended, also those that were played earlier.

        The run has a thread of its own, so that the event loop goes on. If you leave the loop early, call ``aclose`` (or use
        ``contextlib.aclosing``), or cancel the task: the run is stopped like by Ctrl-C, and its processes have ended when that
        returns. What was played until then is in the store.

        Args:
            progress: as for ``run``; a function is called in the run's thread.
            workers: as for ``run``.

        Raises:
            UserError: as for ``run``.
        """
        async with aclosing(stream_run(lambda tell, stoppable: self._play([progress, tell], workers, stoppable))) as outcomes:
            async for outcome in outcomes:
                yield ended_match(outcome)

    @contextmanager
    def _telling(self, progress: Sequence[Tell | bool | None], store: Store) -> Iterator[Tell]:
        with ExitStack() as stack:
            tells: list[Tell] = [stack.enter_context(Observers(self._tournament.observers, LOG.warning))]
            for each in progress:
                if callable(each):
                    tells.append(each)
                elif each is True:
                    tells.append(stack.enter_context(self._display()))

            def tell(event: Event) -> None:
                for each in tells:
                    each(event)

            # What somebody gave is called in this thread.
            with Reporter(store, tell, in_background=not any(progress)) as report:
                yield report

    def _display(self) -> AbstractContextManager[Tell]:
        return notebook_display(self.title) if in_notebook() else display_for(self._tournament)

    def status(self) -> Status:
        """The progress; it's not an error if nothing has been played yet."""
        if not (self.folder / STORE_NAME).is_file():
            return Status(0, len(Schedule(tournament=self._tournament).next_batch()), {})
        with open_store(self._tournament) as store:
            progress = progress_to_show(self._tournament, store)
        schedule = progress.schedule
        faults: Counter[str] = Counter()
        for record in schedule.records:
            faults.update({record.teams[fault.seat - 1] for fault in record.faults if fault.seat and not why_absent(fault)})
        games = len(schedule.records) - schedule.voids
        return Status(games, len(progress.missing), dict(faults), schedule.voids, progress.earlier.games)

    # Results

    def rows(self) -> Rows:
        """The results as ``results`` gives them: every object with results has ``rows`` for data frames."""
        return self.results()

    def results(self) -> Rows:
        """One row per match, in the order of the schedule, with plain values, ready for ``pandas.DataFrame``."""
        with self._results() as (results, _):
            return Rows(map(match_row, results.matches), f"{self.title}: games")

    def seats(self) -> Rows:
        """One row per seat of each match: how one team did in it."""
        with self._results() as (results, _):
            scoring = self._tournament.rules.scoring
            return Rows((row for match in results.matches for row in seat_rows(match, scoring)), f"{self.title}: seats")

    def standings(self) -> Rows:
        """One row per team, best first."""
        return self.table("standings")

    def table(self, name: str) -> Rows:
        """One of the tables that ``tiltyard standings`` prints: crosstable, maps, seats, faults, games, ...

        Raises:
            UserError: there is no such table. The message suggests the nearest name.
        """
        with self._results() as (results, progress):
            (table,) = tables_of(self._tournament, progress.schedule, [name])
        return rows_of(table, self._html_of(name, table, results))

    def _html_of(self, name: str, table: Table, results: TournamentResults) -> Callable[[], str] | None:
        """How a notebook shows a table that is more than rows of text; None for all others."""
        teams, matches = results.teams, results.matches
        if name == "standings":
            return lambda: pages().standings_html(table)
        if name == "crosstable":
            return lambda: pages().crosstable_html(teams, matches)
        return (lambda: pages().ratings_html(matches)) if name == "ratings" else None

    def ratings(self) -> Rows:
        """One row per team with a rated match, best first: Elo points above the average, and their 95 % interval.

        Raises:
            UserError: the ratings can't be computed.
        """
        with self._results() as (_, progress):
            matches = matches_with_byes(self._tournament, progress.schedule)
        rows = Rows(title="Ratings", html=lambda: pages().ratings_html(matches))
        if not list(rated(matches)):
            return rows
        fit = rate(matches)
        if fit.problem:
            raise UserError(fit.problem)
        for team in fit.teams:
            rating = fit.rating(team)
            rows.append({"team": team, "rating": rating.value, "low": rating.low, "high": rating.high, "games": fit.games(team)})
        return rows

    def replay(self, match: int | str | Row | PlayedMatch) -> ShownReplay:
        """The replay of a match, given by its number, its key or the start of its key, its row, or the match itself.

        Raises:
            UserError: there is no such match, or it has no replay.
        """
        text = match["key"] if isinstance(match, dict) else match.key if isinstance(match, PlayedMatch) else match
        with open_store(self._tournament) as store:
            return shown_replay(find_replay(self._tournament, store, str(text), self._name)[1], self._theme)

    def fixture_results(self) -> Sequence[FixtureResult]:
        """What the format knows of the games so far; empty if nothing has been played."""
        if not (self.folder / STORE_NAME).is_file():
            return ()
        with self._results() as (_, progress):
            return progress.schedule.results

    @property
    def _theme(self) -> Theme | None:
        return self._tournament.game.load_as(Game).display.theme

    def publish(self, folder: Path | str | None = None, publishers: Sequence[str] = ()) -> list[Path]:
        """Publish the results so far; return the files to open first.

        Args:
            folder: where to write (overrides the tournament's folder).
            publishers: names, such as ``markdown``. Default: the publishers of the file, or the site.

        Raises:
            UserError: a publisher failed. The others have published.
        """
        chosen_publishers = choose_publishers(self._tournament, self._resolved.registry, publishers)
        with open_store(self._tournament) as store:
            output = None if folder is None else Path(folder)
            published = publish_by(self._tournament, store, chosen_publishers, LOG.debug, output, notes=io.StringIO())
        if published.failed:
            raise UserError("\n".join(published.failed))
        return published.files

    @contextmanager
    def _results(self) -> Iterator[tuple[TournamentResults, Progress]]:
        with open_store(self._tournament) as store:
            progress = progress_to_show(self._tournament, store)
            if progress.earlier:
                LOG.warning("%s: %s; run it to play them again", self.title, progress.earlier.note)
            yield tournament_results(self._tournament, progress, lambda: nullcontext(store)), progress
