"""The answers of a class as numbers, and how unlike each pair of teams is.

What two answers say depends on the class. With n others who answered there, of whom m answered the same, the answer has ``-log((m
+ 1/2) / (n + 1))`` of information: hardly any if nearly all answer so, much if nobody else does. The two that are compared are
not among the others. Over all positions, the *difference* of two teams is the information of their answers where they differ, by
that of all their answers.

Left out for a pair: answers that three of four others give, games that one of them has own_games, answers that a sample of the
staff gives as well, and where a team answered differently when it was asked again.
"""

from __future__ import annotations

from collections.abc import Sequence, Set
from dataclasses import dataclass
from math import log
from typing import Final

import numpy as np
from numpy.typing import NDArray

from tiltyard_alike.question_list import AskedMatch

Values = NDArray[np.float64]
Codes = NDArray[np.int64]
Flags = NDArray[np.bool_]
NONE: Final = -1
"""In place of an answer that wasn't given."""
LEAST_INFORMATION: Final = -log(0.75)
"""What nearly all answer tells nothing, however often it is answered."""


@dataclass(frozen=True, slots=True, eq=False)
class AnswerTable:
    """All answers, a row a team and a column a position."""

    teams: tuple[str, ...]
    """Without the samples."""
    codes: Codes
    """Equal ones are equal answers to a position."""
    again: Codes
    """The second answers."""
    samples: Codes
    """A row a sample."""
    own_games: Flags
    """Whether the position is of a game that the team itself has played."""
    match: Codes
    """Of each position."""
    place: Codes
    """Of each position among those of its match."""

    @property
    def unsteady(self) -> Flags:
        """Where a team answered differently when it was asked again."""
        unsteady: Flags = (self.again != NONE) & (self.codes != NONE) & (self.again != self.codes)
        return unsteady


def answer_table(matches: Sequence[AskedMatch], teams: Sequence[str], samples: Set[str] = frozenset()) -> AnswerTable:
    """The answers as numbers.

    Args:
        matches: with the answers.
        teams: who is compared.
        samples: names of the teams that all may have copied from.
    """
    columns = [(number, place) for number, match in enumerate(matches) for place in range(len(match.positions))]
    rows = [*teams, *sorted(samples)]
    codes, again = np.full((2, len(rows), len(columns)), NONE, dtype=np.int64)
    own_games = np.zeros((len(teams), len(columns)), dtype=np.bool_)
    first = 0
    for match in matches:
        numbers: list[dict[str, int]] = [{} for _ in match.positions]
        for answers, table in ((match.answers, codes), (match.again, again)):
            for row, name in enumerate(rows):
                if name not in answers:
                    continue
                for at, text in enumerate(answers[name].answers):
                    if text is not None:
                        table[row, first + at] = numbers[at].setdefault(text, len(numbers[at]))
        for row, name in enumerate(teams):
            own_games[row, first : first + len(match.positions)] = name in match.teams
        first += len(match.positions)
    number = len(teams)
    place_of = np.array(columns, dtype=np.int64).reshape(-1, 2)
    return AnswerTable(tuple(teams), codes[:number], again[:number], codes[number:], own_games, place_of[:, 0], place_of[:, 1])


@dataclass(frozen=True, slots=True, eq=False)
class PairInformation:
    """The information of the answers of two teams, position by position."""

    equal: Flags
    weights: Values
    """0 where the position doesn't count for the pair."""

    @property
    def telling(self) -> float:
        """So many positions of equal weight would tell as much."""
        squares = float((self.weights**2).sum())
        return float(self.weights.sum()) ** 2 / squares if squares else 0.0

    @property
    def difference(self) -> float:
        """The part of the information in which they differ, from 0 to 1, as if there was another position with half of it."""
        telling = self.telling
        if not telling:
            return 1.0
        differing = float(self.weights[~self.equal].sum()) / float(self.weights.sum())
        return (differing * telling + 0.5) / (telling + 1)


class PairWeights:
    """Makes the information of each pair of a table."""

    def __init__(self, table: AnswerTable) -> None:
        self._table = table
        answered = table.codes != NONE
        same = _same(table.codes)
        others = np.maximum(answered.sum(axis=0) - 2, 0) + 1
        # Of the others' answers, neither its own nor, where it is equal, the other one's.
        self._alone, self._shared = (np.maximum(-np.log((np.maximum(same - own, 0) + 0.5) / others), 0.0) for own in (1, 2))
        usable = answered & ~table.unsteady & ~table.own_games
        for weights in (self._alone, self._shared):
            weights[~usable] = 0.0
        self._usable = usable
        for sample in table.samples:
            self._shared[(table.codes == sample) & (sample != NONE)] = 0.0

    def of(self, one: int, other: int) -> PairInformation:
        """The information of two teams, by their rows."""
        equal = self._table.codes[one] == self._table.codes[other]
        weights = np.where(equal, self._shared[one], (self._alone[one] + self._alone[other]) / 2)
        counts = self._usable[one] & self._usable[other] & (weights >= LEAST_INFORMATION)
        return PairInformation(equal, np.where(counts, weights, 0.0))


def _same(codes: Codes) -> Codes:
    """How many teams answer as each does, itself included."""
    same = np.zeros(codes.shape, dtype=np.int64)
    for code in range(int(codes.max(initial=NONE)) + 1):
        has = codes == code
        same += has * has.sum(axis=0)
    return same
