"""The teams that go on from a tournament to a later one, such as from groups to finals."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import groupby
from typing import Final

from tiltyard_engine.errors import UserError
from tiltyard_engine.registry import Reference
from tiltyard_engine.texts.quantities import counted
from tiltyard_tournaments.running.qualification import with_admitted_teams
from tiltyard_tournaments.running.schedule import progress_to_show
from tiltyard_tournaments.running.tables import standings
from tiltyard_tournaments.running.tournament import Tournament, open_store
from tiltyard_tournaments.standings.lots import drawn_order
from tiltyard_tournaments.store import STORE_NAME

NOT_OVER: Final = "so nobody goes on from it yet; 'tiltyard run' plays it"


@dataclass(frozen=True, slots=True)
class PlacedTeams:
    """Teams in the order of their places, and what is to be said of that."""

    teams: tuple[Reference, ...]
    notes: tuple[str, ...] = ()


def placed_teams(unqualified: Tournament, after: int = 0, top: int | None = None) -> PlacedTeams:
    """Those between two places of the final standings, best first.

    Who was disqualified or has left does not go on: those behind move up. Lots by the tournament's seed decide between teams that
    share a place.

    Args:
        unqualified: as its file has it.
        after: so many of the best are left out.
        top: the last place; None: all.

    Raises:
        UserError: it is not over, or its store cannot be read.
    """
    if not (unqualified.folder / STORE_NAME).is_file():
        raise UserError(f"{unqualified.title} has not begun, {NOT_OVER}")
    with open_store(unqualified) as store:
        tournament = with_admitted_teams(unqualified, store, as_played=True)
        progress = progress_to_show(tournament, store)
    if left := len(progress.missing) + progress.schedule.voids:
        raise UserError(f"{tournament.title} is not over: {counted(left, 'game')} of the current batch missing, {NOT_OVER}")
    by_label = {team.label: team for team in tournament.teams}
    leaving = {each.team for each in tournament.absences if each.last is None} | tournament.missing_teams
    lines = [line for line in standings(tournament, progress.schedule) if line.place and by_label[line.team] not in leaving]
    last = len(lines) if top is None else top
    order: list[str] = []
    notes: list[str] = []
    for place, tied in groupby(lines, key=lambda line: line.place):
        names = [line.team for line in tied]
        first, names = len(order), [names[number] for number in drawn_order(tournament.field.seed, names)]
        order += names
        if any(first < cut < len(order) for cut in (after, last)):
            notes.append(f"{', '.join(names)} share place {place} of {tournament.title}; lots were drawn, in this order")
    if top is not None and len(order) < top:
        notes.append(f"{tournament.title} has only {counted(len(order), 'team')} that can go on, not {top}")
    return PlacedTeams(tuple(by_label[name] for name in order[after:last]), tuple(notes))
