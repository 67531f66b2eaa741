"""Gauntlet: some teams, the challengers, meet all others."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

from tiltyard_engine.data_classes import dataclass
from tiltyard_engine.errors import NotFoundError, UserError
from tiltyard_engine.formats import Field, Fixture, option
from tiltyard_tournaments.formats.conditions import Condition, OneBatchFormat, fixture, require, rounds_in_turn, seated_pair
from tiltyard_tournaments.formats.round_robin import circle_rounds


@dataclass(frozen=True, slots=True)
class GauntletOptions:
    """The options of ``gauntlet``."""

    challengers: Sequence[str] = option((), "names of the teams that meet all others; none: the first team in the file")
    challengers_meet: bool = option(False, "whether the challengers meet each other too")
    seats: Literal["single", "double"] = option(
        "double", "single: a pair meets once on each map, in changing seats; double: a pair meets in both orders of seats"
    )


class Gauntlet(OneBatchFormat):
    """The pairs of a challenger and another team, under the same conditions."""

    def __init__(self, field: Field, options: GauntletOptions) -> None:
        require(field, "gauntlet")
        self.field, self.options = field, options
        self.challengers = _places(field, options.challengers) or [0]
        self.others = [team for team in range(len(field.teams)) if team not in self.challengers]
        if not self.others:
            raise UserError("gauntlet: challengers: names every team, so there is no team left to challenge; use round-robin")

    def fixtures(self) -> list[Fixture]:
        return [
            fixture(self._seated(pair, condition, leg), condition, stage)
            for leg, pairs, condition, stage in rounds_in_turn(self.field, self.options.seats, self._rounds())
            for pair in pairs
        ]

    def _rounds(self) -> list[list[tuple[int, int]]]:
        """Places in the line of challengers, then others, in rounds where nobody plays twice."""
        first = len(self.challengers)
        few, many = sorted((range(first), range(first, len(self.field.teams))), key=len)
        rounds = [[(one, many[(place + turn) % len(many)]) for place, one in enumerate(few)] for turn in range(len(many))]
        return rounds + (circle_rounds(first) if self.options.challengers_meet and first > 1 else [])

    def _seated(self, pair: tuple[int, int], condition: Condition, leg: int) -> tuple[int, int]:
        """The teams of two places. A challenger is first against every second of the others, and the other way round."""
        first = len(self.challengers)
        line = [*self.challengers, *self.others]
        low, high = min(pair), max(pair)
        between_both = low < first <= high
        # Places of the others are counted from 0 too, so that both sides see odd and even numbers in turn.
        one, other = seated_pair(low, high, condition, leg + (first if between_both else 0))
        return line[one], line[other]


def _places(field: Field, names: Sequence[str]) -> list[int]:
    """The challengers as places in the list of teams, in its order.

    Raises:
        UserError: a name is no team's.
    """
    for name in names:
        if name not in field.teams:
            raise UserError(f"gauntlet: challengers: {NotFoundError('team', name, field.teams)}")
    return [place for place, team in enumerate(field.teams) if team in names]
