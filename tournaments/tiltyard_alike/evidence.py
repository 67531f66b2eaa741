"""The positions that tell most of two teams: both gave the same answer, and hardly anybody else did."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence, Set
from dataclasses import dataclass
from typing import Final

import numpy as np

from tiltyard_alike.answer_table import PairWeights, answer_table
from tiltyard_alike.asking import AskedPosition
from tiltyard_alike.comparison import AlikePair
from tiltyard_alike.question_list import AskedMatch

MOST_OF_A_PAIR: Final = 6
MOST_OF_A_MATCH: Final = 2
"""Of one pair."""


@dataclass(frozen=True, slots=True)
class SharedAnswer:
    """An answer that two teams gave at a position."""

    match: AskedMatch
    position: AskedPosition
    answer: str
    others: tuple[tuple[str, int], ...]
    """What the others answered and how many did, the most usual answer first."""


class SharedAnswers:
    """Finds the positions.

    Args:
        matches: with the answers.
        teams: who was compared.
        samples: names of the teams that all may have copied from.
    """

    def __init__(self, matches: Sequence[AskedMatch], teams: Sequence[str], samples: Set[str] = frozenset()) -> None:
        self._matches = matches
        self._table = answer_table(matches, [team for team in teams if team not in samples], samples)
        self._weights = PairWeights(self._table)

    def of(self, pair: AlikePair) -> list[SharedAnswer]:
        """Those of a pair that tell most, in the order of the matches."""
        table = self._table
        one, other = (table.teams.index(name) for name in (pair.one, pair.other))
        information = self._weights.of(one, other)
        weights = np.where(information.equal, information.weights, 0.0)
        columns: list[int] = []
        of_match: Counter[int] = Counter()
        for column in map(int, np.argsort(-weights, kind="stable")):
            match = int(table.match[column])
            if weights[column] > 0 and len(columns) < MOST_OF_A_PAIR and of_match[match] < MOST_OF_A_MATCH:
                columns.append(column)
                of_match[match] += 1
        return [self._answer(pair, column) for column in sorted(columns)]

    def _answer(self, pair: AlikePair, column: int) -> SharedAnswer:
        match, place = self._matches[int(self._table.match[column])], int(self._table.place[column])
        answers = {team: each.answers[place] for team, each in match.answers.items() if team in self._table.teams}
        others = Counter(text for team, text in answers.items() if team not in (pair.one, pair.other) and text is not None)
        return SharedAnswer(match, match.positions[place], answers[pair.one] or "", tuple(others.most_common()))
