"""The teams that go on from a tournament to a later one, such as from groups to finals."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Final

from tiltyard_contest.formats.meetings import seeded_places
from tiltyard_engine.errors import UserError
from tiltyard_engine.registry import Reference
from tiltyard_engine.texts.quantities import counted
from tiltyard_tournaments.formats.matching import least_weight_pairs
from tiltyard_tournaments.running.qualification import with_admitted_teams
from tiltyard_tournaments.running.schedule import Schedule, progress_to_show
from tiltyard_tournaments.running.tables import standings
from tiltyard_tournaments.running.tournament import Tournament, open_store
from tiltyard_tournaments.standings import Standing
from tiltyard_tournaments.standings.lots import drawn_order
from tiltyard_tournaments.store import STORE_NAME

NOT_OVER: Final = "so no team advances from it yet; 'tiltyard run' plays it"


@dataclass(frozen=True, slots=True)
class PlacedTeams:
    """Teams in the order of their places, and what people should know about it."""

    teams: tuple[Reference, ...]
    notes: tuple[str, ...] = ()
    earlier: tuple[Tournament, Schedule] | None = None
    """Where they come from, as it was played; None: it is not over."""


def placed_teams(unqualified: Tournament, after: int = 0, top: int | None = None, *, of_each_group: bool = False) -> PlacedTeams:
    """Those between two places of the final standings, best first.

    Who was disqualified or has left does not go on: those behind move up. Lots by the tournament's seed decide between teams that
    share a place.

    Args:
        unqualified: as its file has it.
        after: so many of the best are left out.
        top: the last place; None: all.
        of_each_group: whether these are places in the groups of the tournament. Then teams of one group come so that they meet
            late in a bracket, and winners meet others than winners first.

    Raises:
        UserError: it is not over, or its store cannot be read.
    """
    if not (unqualified.folder / STORE_NAME).is_file():
        raise UserError(f"{unqualified.title} has not begun, {NOT_OVER}")
    with open_store(unqualified) as store:
        tournament = with_admitted_teams(unqualified, store, as_played=True)
        progress = progress_to_show(tournament, store)
    if left := len(progress.missing) + progress.schedule.voids:
        games = f"{counted(left, 'game')} {'is' if left == 1 else 'are'} still to be played"
        raise UserError(f"{tournament.title} is not over: {games}, {NOT_OVER}")
    by_label = {team.label: team for team in tournament.teams}
    leaving = {each.team for each in tournament.absences if each.last is None} | tournament.missing_teams
    everybody = standings(tournament, progress.schedule)
    lines = [line for line in everybody if line.place and by_label[line.team] not in leaving]
    groups = [[line for line in lines if line.group == name] for name, _ in tournament.format.groups] if of_each_group else [lines]
    last = len(everybody) if top is None else top
    leavers = [line.team for line in everybody if by_label[line.team] in leaving and after < line.place <= last]
    notes = [
        f"{name} has left {tournament.title} and does not advance; the teams below it move up"
        for name in leavers
        if top is not None
    ]
    places: list[list[Reference]] = []
    for group in groups:
        where = f"group {group[0].group} of {tournament.title}" if of_each_group and group else tournament.title
        order = _in_order(sorted(group, key=lambda line: line.place), tournament.field.seed, (after, top), where, notes)
        places.append([by_label[name] for name in order[after:top]])
        if top is not None and len(order) < top:
            notes.append(f"{where} has only {counted(len(order), 'team')} that can advance, not {top}")
    return PlacedTeams(tuple(across_groups(places)), tuple(notes), (tournament, progress.schedule))


def _in_order(lines: Sequence[Standing], seed: int, cuts: Iterable[int | None], where: str, notes: list[str]) -> list[str]:
    """The teams by their places, and by lots within one; ``notes`` gets the places that a cut divides."""
    order: list[str] = []
    for place, tied in groupby(lines, key=lambda line: line.place):
        names = [line.team for line in tied]
        first, names = len(order), [names[number] for number in drawn_order(seed, names)]
        order += names
        divided = [cut - first for cut in cuts if cut is not None and first < cut < len(order)]
        if divided:
            ahead = ", ".join(names[: divided[-1]])
            notes.append(f"{', '.join(names)} share place {place} of {where}; lots were drawn, which put {ahead} ahead")
    return order


def across_groups(groups: Sequence[Sequence[Reference]]) -> list[Reference]:
    """All teams as seeds of a bracket: winners first, group by group, then the second teams and so on.

    Of each place, teams are put so that those of one group can meet as late as possible: in the other half of the bracket, if
    there are two, and never in the first round if that can be avoided. Among equals, it is the order of the groups.

    Args:
        groups: the teams of each group that go on, best first.
    """
    places = seeded_places(sum(map(len, groups)))
    line = {seed: number for number, seed in enumerate(places) if seed >= 0}
    seeds: list[tuple[int, Reference]] = []
    for place in range(max(map(len, groups), default=0)):
        own = [number for number, group in enumerate(groups) if len(group) > place]
        # How early two seeds can meet: by the bits in which their lines of the bracket differ.
        early = [
            [
                sum(
                    len(places) ** 2 >> 2 * (line[seed] ^ line[len(seeds) + at]).bit_length()
                    for seed, (one, _) in enumerate(seeds)
                    if one == group
                )
                for group in own
            ]
            for at in range(len(own))
        ]
        seeds += [(group, groups[group][place]) for group in _least_cost(early, own)]
    return [team for _, team in seeds]


def _least_cost(costs: Sequence[Sequence[int]], groups: Sequence[int]) -> list[int]:
    """The group of each row, every one once, for the least sum of costs."""
    count = len(groups)
    # Pairs of two rows or two groups are as dear as no other pairing; ties are broken by the order of the groups.
    most = (max(map(max, costs), default=0) + 1) * count * count * count
    weights = [[most * 4] * (2 * count) for _ in range(2 * count)]
    for row in range(count):
        for column in range(count):
            weights[row][count + column] = costs[row][column] * count * count + abs(row - column)
    pairs = dict(least_weight_pairs(weights))
    return [groups[pairs[row] - count] for row in range(count)]
