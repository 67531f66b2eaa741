"""Groups: teams are drawn from pots into groups, and all teams of a group meet each other."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import zip_longest
from string import ascii_uppercase
from typing import Literal

from tiltyard_engine.errors import UserError
from tiltyard_engine.formats import Field, Fixture, FixtureResult, option
from tiltyard_engine.texts.quantities import counted
from tiltyard_tournaments.formats.conditions import OneBatchFormat, SeatOrders, require
from tiltyard_tournaments.formats.round_robin import RoundRobin, RoundRobinOptions
from tiltyard_tournaments.standings.lots import drawn_order


@dataclass(frozen=True, slots=True)
class GroupsOptions:
    """The options of ``groups``."""

    groups: int = option(2, "number of groups", ge=2, le=len(ascii_uppercase))
    pots: Literal["seeds", "drawn"] = option(
        "seeds",
        "seeds: the first teams of the file are the first pot, the next ones the second, and each group draws one team from"
        " each pot; drawn: all are drawn from one pot",
    )
    seats: SeatOrders = option(
        "double",
        "single: teams of a group meet once on each map, in changing seats; double: until each team has played each seat;"
        " every: in every order of seats",
    )


class DrawnGroups(OneBatchFormat):
    """A round robin in each group; round by round, all groups at the same time."""

    draws = "all"

    def __init__(self, field: Field, options: GroupsOptions) -> None:
        require(field, "groups", most_seats=None)
        self.field, self.options = field, options
        smallest = len(field.teams) // options.groups
        if smallest < (least := max(2, field.seats)):
            raise UserError(
                f"groups: {counted(len(field.teams), 'team')} in {counted(options.groups, 'group')} leave {smallest} for one;"
                f" expected at least {least} in each, so at least {counted(least * options.groups, 'team')}"
            )
        self.pots = self._pots()
        self.groups = self._draw()

    def fixtures(self) -> Iterator[Fixture]:
        rounds = [list(self._rounds(members)) for _, members in self.groups]
        for together in zip_longest(*rounds, fillvalue=()):
            # Game by game, so that all groups come to the same game at about the same time.
            for games in zip_longest(*together):
                yield from (game for game in games if game is not None)

    def notes(self, results: Sequence[FixtureResult]) -> Sequence[str]:
        if self.options.pots == "drawn":
            return ("The groups were drawn by lot.",)
        names = self.field.teams
        pots = [f"{number}: {', '.join(names[team] for team in pot)}" for number, pot in enumerate(self.pots, start=1)]
        return (f"The groups were drawn by lot, one team from each pot. Pot {'; pot '.join(pots)}.",)

    def _pots(self) -> list[list[int]]:
        teams, size = len(self.field.teams), self.options.groups
        order = drawn_order(self.field.seed, self.field.teams) if self.options.pots == "drawn" else list(range(teams))
        return [order[first : first + size] for first in range(0, teams, size)]

    def _draw(self) -> list[tuple[str, list[int]]]:
        """The groups, each with the team of the first pot first. If the last pot is too small, lots say which groups get one."""
        letters = ascii_uppercase[: self.options.groups]
        groups: dict[str, list[int]] = {letter: [] for letter in letters}
        for pot in self.pots:
            lots = drawn_order(self.field.seed, [self.field.teams[team] for team in pot])
            numbers = sorted(drawn_order(self.field.seed, letters)[: len(pot)])
            for place, number in zip(lots, numbers, strict=True):
                groups[letters[number]].append(pot[place])
        return list(groups.items())

    def _rounds(self, members: Sequence[int]) -> Iterator[list[Fixture]]:
        """The fixtures of a group, round by round."""
        own = replace(self.field, teams=tuple(self.field.teams[team] for team in members))
        rounds: dict[str, list[Fixture]] = {}
        for each in RoundRobin(own, RoundRobinOptions(self.options.seats)).fixtures():
            fixture = replace(each, seats=tuple(members[team] for team in each.seats))
            rounds.setdefault(each.stage, []).append(fixture)
        yield from rounds.values()
