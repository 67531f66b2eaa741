"""What a match gives each seat: points by result, points by place, or the game's own score. All sums are exact."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from math import isfinite
from typing import Final, Literal, NamedTuple

from tiltyard_engine.data_classes import dataclass
from tiltyard_engine.match_record import Outcome
from tiltyard_engine.results import PairingEnding


class Finish(NamedTuple):
    """How a seat came out of a match."""

    place: int
    """From 1; seats that share a place all have the best of the places that they take (1, 2, 2, 4)."""
    sharing: int
    """How many seats have this place, itself included."""


FIRST: Final = Finish(1, 1)
TIE_BREAK_MATCH: Final = "tie-break match"
"""The stage of matches that only decide between tied teams. They count for nothing else."""
BYES: Final = frozenset([PairingEnding.BYE, PairingEnding.HALF_POINT_BYE])
BYES_AND_ABSENCES: Final = BYES | {PairingEnding.LATE, PairingEnding.ABSENT, PairingEnding.CARRIED}
"""Endings of rounds in which a team has no opponent. They are no games."""
_FINISHES: Final = {PairingEnding.BYE: FIRST, PairingEnding.HALF_POINT_BYE: Finish(1, 2)}
BEYOND_DIGITS: Final = 2**53
"""From here on a float has no digits after the point."""


def without_tie_breaks(matches: Sequence[Outcome]) -> Sequence[Outcome]:
    """The matches that count for points, ratings and all tables but the list of games."""
    if all(match.stage != TIE_BREAK_MATCH for match in matches):
        return matches
    return [match for match in matches if match.stage != TIE_BREAK_MATCH]


@dataclass(frozen=True, slots=True)
class Scoring:
    """Points for a match; the defaults are those of assignment 3.

    Raises:
        ValueError: a number of points is not finite.
    """

    win: float = 3.0
    """For being first alone."""
    draw: float = 1.0
    """For each of those that share the first place."""
    loss: float = 0.0
    places: tuple[float, ...] = ()
    """If given: points by place, best first, in place of win, draw and loss. Places beyond the list give nothing; seats that
    share places get the average of what these places give."""
    by: Literal["result", "score"] = "result"
    """``score``: each seat gets the game's own score, and nothing where the match has none."""

    def __post_init__(self) -> None:
        if not all(isfinite(points) for points in (self.win, self.draw, self.loss, *self.places)):
            raise ValueError("points must be finite numbers")

    def points_of(self, finish: Finish) -> Fraction:
        """What a finish gives, without regard to the game's own score."""
        if self.places:
            shares = self.places[finish.place - 1 : finish.place - 1 + finish.sharing]
            return sum((Fraction(points) for points in shares), Fraction(0)) / finish.sharing
        if finish.place > 1:
            return Fraction(self.loss)
        return Fraction(self.win if finish.sharing == 1 else self.draw)

    def duel_points(self, result: float) -> Fraction:
        """Points for a win (1), a tie (0.5) or a loss (0) between two, whatever others did."""
        return Fraction(self.win if result == 1 else self.draw if result else self.loss)


def finishes(match: Outcome) -> tuple[Finish, ...]:
    """How each seat came out. Between two the winner decides; among more the ranks do, the winner before all others."""
    if len(match.teams) <= 2:
        keys = [0 if seat == match.winner else 1 for seat in range(1, len(match.teams) + 1)]
    else:
        keys = [min(match.ranks) - 1 if seat == match.winner else rank for seat, rank in enumerate(match.ranks, start=1)]
    return tuple(Finish(1 + sum(other < key for other in keys), keys.count(key)) for key in keys)


def own_scores(match: Outcome) -> tuple[float, ...]:
    """The game's own score a seat; 0 where it has none, or one that is no finite number."""
    scores = (*match.scores, *(0.0,) * len(match.teams))[: len(match.teams)]
    return tuple(score if isfinite(score) else 0.0 for score in scores)


def points(match: Outcome, scoring: Scoring) -> tuple[Fraction, ...]:
    """What the match gives each seat, exactly; nothing if it does not count."""
    if match.ending in BYES_AND_ABSENCES:
        return (bye_points(match, scoring),)
    if not match.counts:
        return (Fraction(0),) * len(match.teams)
    if scoring.by == "score":
        return tuple(Fraction(score) for score in own_scores(match))
    return tuple(scoring.points_of(finish) for finish in finishes(match))


def bye_points(match: Outcome, scoring: Scoring) -> Fraction:
    """What a team gets for a round without an opponent: by a bye as for a win or a draw, but nothing of the game's own score."""
    if match.ending in (PairingEnding.LATE, PairingEnding.CARRIED):
        return Fraction(*match.scores)
    finish = _FINISHES.get(match.ending) if scoring.by == "result" else None
    return Fraction(0) if finish is None else scoring.points_of(finish)


def was_played(match: Outcome) -> bool:
    """Whether it says something about its teams' play: it counts, has opponents, and nobody forfeited."""
    return match.ending is PairingEnding.PLAYED


def number(value: Fraction | float) -> int | float:
    """A number for tables: whole where it is whole, else to three digits after the point."""
    exact = Fraction(value)
    if exact.denominator == 1 or abs(exact) >= BEYOND_DIGITS:
        return int(exact)
    return round(float(exact), 3)
