"""A tournament's results as publishers get them, from its store."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Protocol

from tiltyard_engine.match_record import MatchRecord
from tiltyard_engine.publishing import Table, TournamentResults
from tiltyard_engine.records import Game
from tiltyard_engine.replay import Replay
from tiltyard_simulator.play.reports import isolation_line, quarantine_line
from tiltyard_tournaments.running.disqualification import DISQUALIFIED
from tiltyard_tournaments.running.qualification import NOT_ADMITTED
from tiltyard_tournaments.running.schedule import Progress, Schedule
from tiltyard_tournaments.running.tables import SHOWN, TABLES, below_standings, matches_with_byes, standings
from tiltyard_tournaments.running.tournament import Tournament
from tiltyard_tournaments.standings import standings_table


class Kept(Protocol):
    """Gives what is kept of matches, as a ``Store`` does."""

    def record(self, key: str) -> MatchRecord | None:
        """What came of a match."""
        ...

    def replay(self, key: str) -> Replay | None:
        """A match's replay."""
        ...


def tournament_results(tournament: Tournament, progress: Progress, store: Kept) -> TournamentResults:
    """The results as far as the tournament was played; replays and outputs are read from the store when they are wanted.

    Args:
        tournament: what is played.
        progress: how far it has come.
        store: must stay open as long as the results are used.
    """
    schedule = progress.schedule
    hide = tournament.publication.hide

    lines = standings(tournament, schedule)

    def table(name: str) -> Table:
        if name == SHOWN[0]:
            return standings_table(lines, tournament.rules)
        return TABLES[name](tournament, schedule, matches_with_byes(tournament, schedule))

    return TournamentResults(
        title=tournament.title,
        game=tournament.game.name,
        teams=tuple(line.team for line in lines),
        matches=tuple([_shown(record) for record in schedule.records]),
        missing=len(progress.missing),
        folder=tournament.folder,
        tables=tuple(name for name in TABLES if name not in (NOT_ADMITTED, DISQUALIFIED) or name in below_standings(tournament)),
        table=table,
        replay=(lambda key: None) if "replays" in hide else _replays(schedule, store),
        output=(lambda key: ()) if "output" in hide else _outputs(schedule, store),
        publication=tournament.publication,
        description=tournament.description,
        notes=tuple(_notes(tournament, progress)),
        theme=tournament.game.load_as(Game).display.theme,
    )


def _shown(record: MatchRecord) -> MatchRecord:
    bare = record.bare()
    return replace(bare, played=False) if bare.played else bare


def _notes(tournament: Tournament, progress: Progress) -> list[str]:
    schedule = progress.schedule
    records = schedule.records
    notes = [
        *tournament.format.notes(schedule.results),
        _voids_note(schedule.voids),
        f"{progress.earlier.note}." if progress.earlier else "",
        *quarantine_line(records).splitlines(),
        isolation_line(records),
    ]
    return [note for note in notes if note]


def _voids_note(voids: int) -> str:
    if voids == 1:
        return "1 game failed because of the machine. It doesn't count; the next run plays it again."
    return f"{voids:,} games failed because of the machine. They don't count; the next run plays them again." if voids else ""


def _forfeits(schedule: Schedule) -> frozenset[str]:
    """Matches that count as forfeits. Some were played before that was known, which depends on timing: nothing is shown of it."""
    return frozenset(record.key for record in schedule.records if record.is_forfeit)


def _outputs(schedule: Schedule, store: Kept) -> Callable[[str], tuple[str, ...]]:
    forfeits = _forfeits(schedule)

    def outputs(key: str) -> tuple[str, ...]:
        record = None if key in forfeits else store.record(key)
        accounts = () if record is None else record.accounts
        return tuple(account.output.decode("utf-8", "replace") for account in accounts)

    return outputs


def _replays(schedule: Schedule, store: Kept) -> Callable[[str], Replay | None]:
    """Replays with the players under the names that they go by now."""
    names = {spec.key: spec.names for spec in schedule.matches}
    forfeits = _forfeits(schedule)

    def replay(key: str) -> Replay | None:
        found = None if key in forfeits else store.replay(key)
        if found is not None and key in names:
            found.seats = names[key]
        return found

    return replay
