"""Tournaments from Python: the same files, stores and results as those of the ``tiltyard`` command.

Nothing here prints, reads from the terminal or changes signal handlers. After an exception, including KeyboardInterrupt (Ctrl-C),
the store contains all matches played so far, and the same call resumes.
"""

from __future__ import annotations

import io
import logging
import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any, Final, TypeAlias

from tiltyard_engine.errors import UserError
from tiltyard_engine.lifecycle import Event
from tiltyard_engine.match_record import MatchRecord
from tiltyard_engine.publishing import TournamentResults
from tiltyard_engine.registry import Selection, Trust
from tiltyard_engine.replay import Replay
from tiltyard_simulator.match.isolation import Isolation
from tiltyard_simulator.play import arena
from tiltyard_simulator.play.executors import available_cores, local_executor
from tiltyard_simulator.play.isolation_policy import IsolationPolicy
from tiltyard_simulator.play.registry import open_registry
from tiltyard_tournaments.ratings.counts import rated
from tiltyard_tournaments.ratings.rate import rate
from tiltyard_tournaments.running.display import display_for
from tiltyard_tournaments.running.disqualification import disqualifications
from tiltyard_tournaments.running.observers import Observers
from tiltyard_tournaments.running.one_match import match_of
from tiltyard_tournaments.running.publication import choose_publishers, publish_by
from tiltyard_tournaments.running.qualification import qualify_teams, with_teams_admitted_so_far
from tiltyard_tournaments.running.replay_lookup import find_replay
from tiltyard_tournaments.running.results import tournament_results
from tiltyard_tournaments.running.run import Tell, run_tournament
from tiltyard_tournaments.running.schedule import Progress, Schedule, follow
from tiltyard_tournaments.running.store_session import open_store, store_for_run
from tiltyard_tournaments.running.tables import matches_with_byes, tables_of
from tiltyard_tournaments.running.tournament import Tournament
from tiltyard_tournaments.standings.scoring import Scoring, finishes, points
from tiltyard_tournaments.store.store import STORE_NAME
from tiltyard_tournaments.tournament_file.document import Document, read_document
from tiltyard_tournaments.tournament_file.resolution import Resolved, resolve

LOG: Final = logging.getLogger("tiltyard")
"""Errors of observers and publishers are logged here as warnings."""
Row: TypeAlias = dict[str, str | int | float | bool | None]
"""Plain values under the names of columns, for data frames."""


@dataclass(frozen=True)
class Status:
    """The progress of a tournament."""

    done: int
    """Games."""
    left: int
    """Games left in the current batch. Later batches may not be known yet."""
    faults: dict[str, int]
    """Matches with faults, by team."""
    voids: int = 0
    """Games that failed because of the machine. They don't count, and the next run plays them again."""

    @property
    def complete(self) -> bool:
        """Whether there is nothing left to play."""
        return self.left == self.voids == 0


class Cup:
    """A tournament and its results so far. Every method reads the store again.

    ``load`` and ``tournament`` create it. Methods raise UserError if a file or an argument is wrong.
    """

    def __init__(self, resolved: Resolved, name: str) -> None:
        self._resolved = resolved
        self._name = name

    def __repr__(self) -> str:
        tournament = self._tournament
        return f"<tournament {tournament.title!r}: {tournament.format_name}, {len(self.teams)} teams, {len(self.maps)} maps>"

    @property
    def _tournament(self) -> Tournament:
        return with_teams_admitted_so_far(self._resolved.tournament)

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
        """Name, what became of its results (``kept`` or ``struck``), and reason of each disqualified team."""
        return tuple(disqualifications(self._tournament))

    def plan(self) -> list[Row]:
        """The matches that are known before anything is played, in order."""
        tournament = self._tournament
        rows: list[Row] = []
        for spec in Schedule(tournament=tournament).next_batch():
            row: Row = {"number": spec.place + 1, "stage": spec.stage, "map": spec.map.name, "game": spec.game_number + 1}
            rows.append(row | {f"player_{seat}": name for seat, name in enumerate(spec.names, start=1)})
        return rows

    # Playing

    def run(self, progress: Tell | bool | None = None, workers: int | None = None) -> Cup:
        """Play the missing matches, and return this tournament.

        Args:
            progress: a function called with each event (see ``tiltyard_engine.lifecycle``) in this thread; True prints lines to
                standard error.
            workers: number of worker processes (overrides the file); 0 means one per core. Results don't depend on it.

        Raises:
            UserError: the store cannot be written, or another run holds it; or a match cannot be set up.
        """
        unqualified = self._resolved.tournament
        wanted = (unqualified.workers if workers is None else workers) or available_cores()
        with store_for_run(unqualified) as store:
            say = partial(print, file=sys.stderr) if progress is True else LOG.info
            tournament = qualify_teams(unqualified, store, lambda: local_executor(wanted), say)
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
        """The progress; it's not an error if nothing has been played yet."""
        if not (self.folder / STORE_NAME).is_file():
            return Status(0, len(Schedule(tournament=self._tournament).next_batch()), {})
        with open_store(self._tournament) as store:
            progress = follow(self._tournament, store.ended_as)
        schedule = progress.schedule
        faults: Counter[str] = Counter()
        for record in schedule.records:
            faults.update({record.teams[fault.seat - 1] for fault in record.faults if fault.seat})
        return Status(len(schedule.records) - schedule.voids, len(progress.missing), dict(faults), schedule.voids)

    # What came of it

    def results(self) -> list[Row]:
        """One row per match, in the order of the schedule, with plain values, ready for ``pandas.DataFrame``."""
        with self._results() as (results, _):
            return [_match_row(match) for match in results.matches]

    def seats(self) -> list[Row]:
        """One row per seat of each match: how one team did in it."""
        with self._results() as (results, _):
            return [row for match in results.matches for row in _seat_rows(match, self._tournament.rules.scoring)]

    def standings(self) -> list[Row]:
        """One row per team, best first."""
        return self.table("standings")

    def table(self, name: str) -> list[Row]:
        """One of the tables that ``tiltyard standings`` prints: crosstable, maps, seats, faults, games, ...

        Raises:
            UserError: there is no such table. The message suggests the nearest name.
        """
        with self._results() as (_, progress):
            (table,) = tables_of(self._tournament, progress.schedule, [name])
        return [dict(zip(table.headers, row)) for row in table.rows]

    def ratings(self) -> list[Row]:
        """One row per team with a rated match, best first: Elo points above the average, and their 95 % interval.

        Raises:
            UserError: the ratings can't be computed.
        """
        with self._results() as (_, progress):
            matches = matches_with_byes(self._tournament, progress.schedule)
        if not list(rated(matches)):
            return []
        found = rate(matches)
        if found.problem:
            raise UserError(found.problem)
        rows: list[Row] = []
        for team in found.teams:
            rating = found.rating(team)
            rows.append({"team": team, "rating": rating.value, "low": rating.low, "high": rating.high, "games": found.games(team)})
        return rows

    def replay(self, match: int | str | Row) -> Replay:
        """The replay of a match, given by its number, its key or the start of its key, or one of its rows.

        Raises:
            UserError: there is no such match, or it has no replay.
        """
        text = match["key"] if isinstance(match, dict) else match
        with open_store(self._tournament) as store:
            return find_replay(self._tournament, store, str(text), self._name).replay

    def publish(self, folder: Path | str | None = None, publishers: Sequence[str] = ()) -> list[Path]:
        """Publish the results so far; return the files to open first.

        Args:
            folder: where to write (overrides the tournament's folder).
            publishers: names, such as ``markdown``. Default: the publishers of the file, or the site.

        Raises:
            UserError: a publisher failed. The others have published.
        """
        chosen = choose_publishers(self._tournament, self._resolved.registry, publishers)
        with open_store(self._tournament) as store:
            output = None if folder is None else Path(folder)
            published = publish_by(self._tournament, store, chosen, LOG.debug, output, notes=io.StringIO())
        if published.failed:
            raise UserError("\n".join(published.failed))
        return published.files

    @contextmanager
    def _results(self) -> Iterator[tuple[TournamentResults, Progress]]:
        with open_store(self._tournament) as store:
            progress = follow(self._tournament, store.ended_as)
            yield tournament_results(self._tournament, progress, store), progress


def _match_row(match: MatchRecord) -> Row:
    """One match; ``winner`` is None for a tie and where there is no result, ``counts`` tells which."""
    row: Row = _where(match)
    row |= {f"player_{seat}": team for seat, team in enumerate(match.teams, start=1)}
    row |= {"winner": match.teams[match.winner - 1] if match.winner else None}
    row |= {f"rank_{seat}": rank for seat, rank in enumerate(match.ranks, start=1)}
    row |= {f"score_{seat}": score for seat, score in enumerate(match.scores, start=1)}
    return row | {
        "reason": match.reason,
        "message": match.message,
        "rounds": match.rounds,
        "faults": len(match.faults),
        "counts": match.counts,
        "seconds": match.seconds,
    }


def _seat_rows(match: MatchRecord, scoring: Scoring) -> list[Row]:
    """A row for each seat of a match; ``result`` is win, tie, loss, or none where the match does not count."""
    given = points(match, scoring)
    rows: list[Row] = []
    for seat, finish in enumerate(finishes(match), start=1):
        result = "win" if finish.place == 1 and finish.sharing == 1 else "tie" if finish.place == 1 else "loss"
        fault = next((fault for fault in match.faults if fault.seat == seat), None)
        rows.append(
            _where(match)
            | {
                "seat": seat,
                "team": match.teams[seat - 1],
                "opponents": ", ".join(team for other, team in enumerate(match.teams, start=1) if other != seat),
                "result": result if match.counts else "none",
                "rank": match.ranks[seat - 1],
                "points": float(given[seat - 1]),
                "score": match.scores[seat - 1] if match.scores else None,
                "fault": None if fault is None else fault.termination.value,
                "fault_message": None if fault is None else fault.message,
                "rounds": match.rounds,
                "held": match.held[seat - 1] if match.held else None,
            }
        )
    return rows


def _where(match: MatchRecord) -> Row:
    """Which match it is; numbers count from 1, as they do everywhere that people read them."""
    return {
        "number": match.place + 1,
        "key": match.key,
        "stage": match.stage,
        "map": match.map,
        "game": match.game + 1,
        "seed": match.seed,
    }


def play_match(
    algorithms: Sequence[str],
    game_map: str,
    *,
    manager: str | None,
    game: str | None,
    seed: int,
    trust: Sequence[str],
    isolation: str | None,
) -> MatchRecord:
    """One match; see ``tiltyard_tournaments.play``."""
    if isolation is not None and isolation not in list(Isolation):
        raise UserError(f"isolation is '{isolation}', expected one of {', '.join(Isolation)}")
    policy = IsolationPolicy(None if isolation is None else Isolation(isolation), trust=Trust.from_environment(trust))
    spec = match_of(algorithms, game_map, manager, game, open_registry(policy))
    return arena.play_match(policy.apply(replace(spec, seed=seed, record=True)))


def open_file(path: Path) -> Cup:
    """The tournament of a file; see ``tiltyard_tournaments.load``."""
    return _cup(read_document(path), path)


def from_keys(keys: dict[str, Any]) -> Cup:
    """The tournament of a file's keys; see ``tiltyard_tournaments.tournament``."""
    data = {name.replace("_", "-") if name == "tie_breaks" else name: _plain(value) for name, value in keys.items()}
    return _cup(Document("tournament()", data), Path("tournament"))


def _cup(document: Document, path: Path) -> Cup:
    selection = Selection.from_environment()
    return Cup(resolve(document, path, lambda isolation_policy: open_registry(isolation_policy, selection)), str(path))


def _plain(value: Any) -> Any:
    """A value as YAML would give it."""
    if isinstance(value, Path):
        return str(value)
    if isinstance(value, dict):
        return {str(key): _plain(each) for key, each in value.items()}
    return [_plain(each) for each in value] if isinstance(value, list | tuple) else value
