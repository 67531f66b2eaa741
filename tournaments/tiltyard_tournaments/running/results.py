"""A tournament's results as publishers get them, from its store."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Protocol

from tiltyard_engine.publishing import Table, TournamentResults
from tiltyard_engine.records import Game
from tiltyard_engine.replay import Replay
from tiltyard_simulator.loading import load
from tiltyard_simulator.reports import isolation_line, quarantine_line
from tiltyard_simulator.specs import MatchOutcome
from tiltyard_tournaments.running.entering import NOT_ADMITTED
from tiltyard_tournaments.running.events import match_finished
from tiltyard_tournaments.running.reporting import TABLES, matches_with_byes, standings
from tiltyard_tournaments.running.schedule import Progress, Schedule
from tiltyard_tournaments.running.tournament import Tournament


class Kept(Protocol):
    """Gives what is kept of matches, as a ``Store`` does."""

    def outcome(self, key: str) -> MatchOutcome | None:
        """What came of a match."""
        ...

    def replay(self, key: str) -> Replay | None:
        """A match's replay."""
        ...


def tournament_results(tournament: Tournament, progress: Progress, store: Kept, folder: Path | None = None) -> TournamentResults:
    """The results as far as the tournament was played; replays and outputs are read from the store when they are wanted.

    Args:
        tournament: what is played.
        progress: how far it has come.
        store: must stay open as long as the results are used.
        folder: where publishers write, in place of the tournament's own folder.
    """
    schedule = progress.schedule
    hide = tournament.publication.hide

    def table(name: str) -> Table:
        return TABLES[name](tournament, schedule, matches_with_byes(tournament, schedule))

    return TournamentResults(
        tournament.title,
        tournament.game.name,
        tuple(line.team for line in standings(tournament, schedule)),
        tuple(match_finished(planned, outcome, False) for planned, outcome in zip(schedule.planned, schedule.outcomes)),
        len(progress.missing),
        tournament.folder if folder is None else folder,
        tuple(name for name in TABLES if name != NOT_ADMITTED or tournament.not_admitted),
        table,
        _no_replay if "replays" in hide else _replays(schedule, store),
        _no_output if "output" in hide else _outputs(store),
        tournament.publication,
        tournament.description,
        tuple(_notes(tournament, progress)),
        load(tournament.game, Game).theme,
    )


def _notes(tournament: Tournament, progress: Progress) -> list[str]:
    schedule = progress.schedule
    games = [(planned.spec, outcome) for planned, outcome in zip(schedule.planned, schedule.outcomes)]
    notes = [*tournament.format.notes(schedule.results), _voids_note(schedule.voids), quarantine_line(games), isolation_line(games)]
    return [note for note in notes if note]


def _voids_note(voids: int) -> str:
    if voids == 1:
        return "1 game was spoilt by the machine and counts for nobody until the next run has played it."
    return f"{voids} games were spoilt by the machine and count for nobody until the next run has played them." if voids else ""


def _outputs(store: Kept) -> Callable[[str], tuple[str, ...]]:
    def outputs(key: str) -> tuple[str, ...]:
        outcome = store.outcome(key)
        accounts = () if outcome is None else outcome.accounts
        return tuple(account.output.decode("utf-8", "replace") for account in accounts)

    return outputs


def _replays(schedule: Schedule, store: Kept) -> Callable[[str], Replay | None]:
    """Replays with the players under the names that they go by now."""
    names = {planned.key: planned.spec.names for planned in schedule.planned}

    def replay(key: str) -> Replay | None:
        found = store.replay(key)
        if found is not None and key in names:
            found.seats = names[key]
        return found

    return replay


def _no_replay(key: str) -> Replay | None:
    return None


def _no_output(key: str) -> tuple[str, ...]:
    return ()
