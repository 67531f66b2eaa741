"""Which teams answer so much alike that it is no chance.

Independent programs of a class are unlike each other by some difference, and how much depends on the game and the class. So each
group of teams is held against its own surroundings: by how much its teams are nearer to each other than the nearest other team is
to them. If teams lie anyhow, the ratio of the distances to the nearest and to the second nearest team is at most r with a
probability of r to the power of k, however densely they lie there (Facco and others, 2017). The k of the class is taken from the
ratios of all its teams; the largest fifth of them doesn't count, so that copies can't hide each other. It is only known as well
as a class of its size tells: that makes the tail of the distribution heavier. The figure of a group is the number of such groups
that one expects in a class of this size without any copies.

Sources: E. Facco, M. d'Errico, A. Rodriguez, A. Laio, Estimating the intrinsic dimension of datasets by a minimal neighborhood
information, Scientific Reports 7 (2017), 12140; B. Epstein, M. Sobel, Life testing, Journal of the American Statistical
Association 48 (1953), 486-502 (the mean of an exponential distribution from the smallest values).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence, Set
from dataclasses import dataclass
from itertools import combinations
from math import log, sqrt
from typing import Final

import numpy as np

from tiltyard_alike.answer_table import NONE, AnswerTable, PairInformation, PairWeights, Values, answer_table
from tiltyard_alike.question_list import AskedMatch
from tiltyard_engine.texts.quantities import counted

LEAST_TELLING: Final = 30.0
"""Telling positions below which a pair is not compared."""
MOST_UNSTEADY: Final = 0.1
"""The difference of a team from itself, when it is asked again, above which it can't be compared."""
LEAST_ANSWERS: Final = 0.5
"""The part of all positions that a team must answer."""
FEWEST_TEAMS: Final = 5
"""Teams that are needed to know what is usual among them."""
EXPECTED: Final = 0.05
"""A group is a hint if fewer such groups are expected by chance."""
COUNTED_PART: Final = 0.8
"""The part of the ratios, from the smallest on, that tell how teams lie."""
FAR_APART: Final = 10.0
"""A group that is so many times nearer together than to others may be copies: it doesn't tell how teams lie otherwise."""
CONFIDENCE: Final = 1.96
"""Standard deviations of an interval that holds in 95 of 100 cases."""


@dataclass(frozen=True, slots=True)
class AlikePair:
    """Two teams, and how alike their answers are."""

    one: str
    other: str
    equal: int
    """Positions at which both answered the same ..."""
    compared: int
    """... of so many that count for them."""
    usual: float
    """The part of these positions at which two others of the class answer the same, on average."""
    telling: float
    """So many positions at which nobody else answers so would tell as much."""
    difference: float
    """The part of the information of their answers in which they differ."""
    nearest: float
    """The difference of the one or the other from the next team that is nearest to them, outside of their group."""
    expected: float
    """How many such groups one expects by chance in a class of this size; infinite if no group has both."""

    @property
    def is_hint(self) -> bool:
        """Whether it is hardly chance."""
        return self.expected < EXPECTED

    @property
    def interval(self) -> tuple[float, float]:
        """The interval of Wilson (1927) for the difference, with 95 % confidence, as if positions were independent."""
        number, square = self.telling, CONFIDENCE**2
        middle = (self.difference + square / (2 * number)) / (1 + square / number)
        spread = self.difference * (1 - self.difference) / number + square / (4 * number**2)
        half = CONFIDENCE * sqrt(spread) / (1 + square / number)
        return max(0.0, middle - half), min(1.0, middle + half)


@dataclass(frozen=True, slots=True)
class ClassComparison:
    """What is known of a class."""

    pairs: tuple[AlikePair, ...]
    """All that can be compared, those first that are least expected by chance."""
    not_compared: tuple[tuple[str, str], ...]
    """Teams that can't be, and why."""
    teams: int
    """How many were compared."""
    positions: int
    telling: float
    """Of a pair, in the middle."""
    too_few: int
    """Pairs with too few telling positions."""

    @property
    def hints(self) -> list[AlikePair]:
        """The pairs that are hardly chance."""
        return [pair for pair in self.pairs if pair.is_hint]


@dataclass(frozen=True, slots=True)
class _Group:
    """Teams of which each is within a distance of another one, and no further team is within ``parent`` of any."""

    height: float
    parent: float
    members: frozenset[int]


def compare(matches: Sequence[AskedMatch], teams: Sequence[str], samples: Set[str] = frozenset()) -> ClassComparison:
    """Compare the teams of a class.

    Args:
        matches: with the answers.
        teams: who is compared.
        samples: names of the teams that all may have copied from.
    """
    table = answer_table(matches, [team for team in teams if team not in samples], samples)
    reasons = dict(_reasons(table, matches))
    usable = [row for row in range(len(table.teams)) if row not in reasons]
    weights = PairWeights(table)
    information = {pair: weights.of(*pair) for pair in combinations(usable, 2)}
    telling = {pair: each.telling for pair, each in information.items()}
    compared = {pair: each for pair, each in information.items() if telling[pair] >= LEAST_TELLING}
    differences = np.ones((len(table.teams), len(table.teams)))
    for (one, other), each in compared.items():
        differences[one, other] = differences[other, one] = each.difference
    groups = list(_expected_groups(differences, usable))
    usual = _usual(table, usable)
    pairs = [_pair(table, pair, each, differences=differences, groups=groups, usual=usual) for pair, each in compared.items()]
    return ClassComparison(
        tuple(sorted(pairs, key=lambda each: (each.expected, each.difference, each.one, each.other))),
        tuple((table.teams[row], why) for row, why in reasons.items()),
        len(usable),
        table.codes.shape[1],
        float(np.median(list(telling.values()))) if telling else 0.0,
        len(information) - len(compared),
    )


def _reasons(table: AnswerTable, matches: Sequence[AskedMatch]) -> Iterator[tuple[int, str]]:
    """The teams that can't be compared, and why."""
    number = table.codes.shape[1]
    for row, name in enumerate(table.teams):
        answers = int((table.codes[row] != NONE).sum())
        if answers < LEAST_ANSWERS * number or not answers:
            problems = (match.answers[name].problem for match in matches if name in match.answers)
            why = next(filter(None, problems), "it has no game without a fault, or the time ran out before it was asked")
            yield row, f"it answered {answers:,} of {counted(number, 'position')}: {why}"
            continue
        twice = (table.codes[row] != NONE) & (table.again[row] != NONE)
        others = (table.codes != NONE).sum(axis=0) - 1
        shared = (table.codes == table.codes[row]).sum(axis=0) - 1
        weights = np.where(twice, -np.log((shared + 0.5) / (others + 1)), 0.0).clip(0)
        if PairInformation(~table.unsteady[row], weights).difference > MOST_UNSTEADY and table.unsteady[row].any():
            changes, both = int(table.unsteady[row].sum()), int(twice.sum())
            yield row, f"it gave a different answer when it was asked again, at {changes:,} of {counted(both, 'position')}"


def _usual(table: AnswerTable, usable: Sequence[int]) -> Values:
    """Of each position, the part of all pairs that answer the same there."""
    codes = table.codes[usable]
    answered = (codes != NONE).sum(axis=0)
    equal = sum(
        (
            np.maximum((codes == code).sum(axis=0) - 1, 0) * (codes == code).sum(axis=0)
            for code in range(int(codes.max(initial=NONE)) + 1)
        ),
        np.zeros(codes.shape[1]),
    )
    return np.asarray(equal / np.maximum(answered * (answered - 1), 1), dtype=np.float64)


def _pair(
    table: AnswerTable,
    pair: tuple[int, int],
    information: PairInformation,
    *,
    differences: Values,
    groups: Iterable[tuple[_Group, float]],
    usual: Values,
) -> AlikePair:
    own = [(expected, group) for group, expected in groups if group.members.issuperset(pair)]
    expected, group = min(own, key=lambda each: each[0], default=(float("inf"), None))
    outside = [row for row in range(len(differences)) if row not in (group.members if group is not None else pair)]
    nearest = min((float(differences[end, row]) for end in pair for row in outside), default=1.0)
    counts = information.weights > 0
    return AlikePair(
        table.teams[pair[0]],
        table.teams[pair[1]],
        equal=int((information.equal & counts).sum()),
        compared=int(counts.sum()),
        usual=float(usual[counts].mean()) if counts.any() else 0.0,
        telling=information.telling,
        difference=information.difference,
        nearest=nearest,
        expected=expected,
    )


def _expected_groups(differences: Values, usable: Sequence[int]) -> Iterator[tuple[_Group, float]]:
    """Each group of teams, and how many such groups are expected by chance."""
    own = differences[np.ix_(usable, usable)]
    if len(own) < FEWEST_TEAMS:
        return
    groups = list(_groups(own))
    likely = [group.parent > FAR_APART * group.height for group in groups]
    while True:
        # Of teams that are copies of each other one stands for all: the others' ratios would tell of copies.
        extra = {row for group, is_likely in zip(groups, likely) if is_likely for row in sorted(group.members)[1:]}
        left = [row for row in range(len(own)) if row not in extra]
        tells, total = _ratios(own[np.ix_(left, left)] if len(left) >= FEWEST_TEAMS else own)
        expected = [len(own) * (1 + log(group.parent / group.height) / total) ** -tells for group in groups]
        before, likely = likely, [was or each < EXPECTED for was, each in zip(likely, expected)]
        if likely == before:
            break
    for group, each in zip(groups, expected):
        yield _Group(group.height, group.parent, frozenset(usable[row] for row in group.members)), each


def _ratios(differences: Values) -> tuple[int, float]:
    """How many ratios count, and the sum of their logarithms, with which the last one stands for those that don't count."""
    nearest = np.sort(differences + np.diag(np.full(len(differences), np.inf)), axis=1)
    logs = np.sort(np.log(nearest[:, 1] / nearest[:, 0]))
    tells = max(1, int(COUNTED_PART * len(logs)))
    return tells, float(logs[:tells].sum() + (len(logs) - tells) * logs[tells - 1]) + 1e-9


def _groups(differences: Values) -> Iterator[_Group]:
    """The groups of single linkage, but that of all."""
    number = len(differences)
    group_of = list(range(number))
    members: dict[int, frozenset[int]] = {row: frozenset((row,)) for row in range(number)}
    heights: dict[int, float] = {}
    ones, others = np.triu_indices(number, 1)
    distances = differences[ones, others]
    for place in np.argsort(distances, kind="stable"):
        joined = group_of[ones[place]], group_of[others[place]]
        if joined[0] == joined[1]:
            continue
        height = float(distances[place])
        for each in joined:
            if each in heights:
                yield _Group(heights[each], height, members[each])
        new = number + len(heights)
        members[new] = members[joined[0]] | members[joined[1]]
        heights[new] = height
        for row in members[new]:
            group_of[row] = new
