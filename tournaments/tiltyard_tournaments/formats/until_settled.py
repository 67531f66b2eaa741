"""Until settled: a round robin that continues between close teams until their order is certain or the budget is used up."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import Any, Final

from tiltyard_engine.data_classes import dataclass
from tiltyard_engine.errors import UserError
from tiltyard_engine.formats import Field, Fixture, FixtureResult, TournamentFormat, option
from tiltyard_engine.texts.quantities import counted
from tiltyard_tournaments.formats.conditions import conditions, fixture, require, seated_pair
from tiltyard_tournaments.formats.round_robin import pair_fixtures
from tiltyard_tournaments.formats.settled_statistics import RatedStrengths, game_digest, rated_strengths, telling
from tiltyard_tournaments.formats.two_team_test import OUTCOMES, SprtState, sprt_state
from tiltyard_tournaments.ratings import beyond_ratings
from tiltyard_tournaments.ratings.repeats import repeats_itself

DEFAULT_BUDGET: Final = 20
"""Times the first batch."""
LEAST_DEFAULT_BUDGET: Final = 1000


@dataclass(frozen=True, slots=True)
class UntilSettledOptions:
    """The options of ``until-settled``."""

    confidence: float = option(0.95, "the probability that two equal teams are not put into an order by mistake", ge=0.6, le=0.9999)
    budget: int = option(0, "the most games in the whole tournament; 0: twenty times the first batch, but at least 1000", ge=0)
    batch: int = option(40, "with two teams: the approximate number of games between two looks at the test", ge=1)
    elo: float = option(50.0, "with two teams: the smallest difference in Elo points that the test should find", ge=1, le=1000)


class UntilSettled(TournamentFormat):
    """First all teams meet each other once on every map in both seats. Then neighbours whose order is not certain play more.

    More than two teams: each such pair doubles its games, so there are few looks at the growing results. Two teams: a test
    made for looking again and again, SPRT. Pairs whose games repeat whatever the seed stop: more of them would show nothing.
    """

    def __init__(self, field: Field, options: UntilSettledOptions) -> None:
        require(field, "until-settled")
        self.field, self.options = field, options
        self.teams = len(field.teams)
        self.block = 2 * len(conditions(field))
        """Games of a pair on all maps in both seats."""
        self.first = self.teams * (self.teams - 1) // 2 * self.block
        self.budget = options.budget or max(DEFAULT_BUDGET * self.first, LEAST_DEFAULT_BUDGET)
        if self.budget < self.first:
            raise UserError(
                f"until-settled: budget: {self.budget} games are fewer than the {self.first} of the first batch, in which every"
                " pair of teams meets on every map in both seats"
            )

        blocks = 1 + (self.budget - self.first) // self.block
        self.looks = 1 + (blocks - 1).bit_length()
        """With more than two teams: at most so many batches. One pair alone would use up the budget with them."""
        # The order is chosen by the same results, so either team could be called the stronger by mistake, at every look.
        self.certainty = 1 - (1 - options.confidence) / (2 * self.looks)
        """With more than two teams: how certain an order must be at a look."""

    def next_batch(self, results: Sequence[FixtureResult]) -> Sequence[Fixture]:
        if not results:
            return [Fixture(each.seats, each.map, each.game, "batch 1") for each in pair_fixtures(self.field, "double")]
        batch = len({result.fixture.stage for result in results}) + 1
        blocks_left = (self.budget - len(results)) // self.block if self.teams == 2 or batch <= self.looks else 0
        due: list[tuple[tuple[int, int], range]] = []
        for pair in self._unsettled(results):
            blocks = len(_games_of(pair, results)) // self.block
            more = min(self._more_blocks(blocks), blocks_left)
            blocks_left -= more
            due.append((pair, range(blocks, blocks + more)))
        return self._blocks(due, f"batch {batch}")

    def placings(self, results: Sequence[FixtureResult]) -> Sequence[Sequence[int]]:
        """Neighbours whose order is not certain share a place, even if each is certainly ahead of or behind others in the group."""
        if not results:
            return [list(range(self.teams))]
        order, open_pairs = self._order(results), self._undecided(results)[0]
        groups = [[order[0]]]
        for above, below in pairwise(order):
            if (above, below) in open_pairs:
                groups[-1].append(below)
            else:
                groups.append([below])
        return groups

    def expected_games(self) -> tuple[int, int]:
        return self.first, self.budget

    def notes(self, results: Sequence[FixtureResult]) -> Sequence[str]:
        if not results:
            return ()
        if self.teams == 2:
            return [*self._sprt_notes(results), *self._repeat_notes(results)]
        strengths = self._strengths(results)
        order, open_pairs = strengths.order(), self._undecided(results)[0]
        lines: list[str] = []
        for above, below in pairwise(order):
            names = f"{self.field.teams[above]} before {self.field.teams[below]}"
            verdict = "not shown" if (above, below) in open_pairs else "shown"
            lines.append(f"{names}: {verdict}, {100 * strengths.superiority(above, below):.1f} % certain")
        certainty = f"{100 * self.certainty:.2f} % is required at each of up to {self.looks} looks"
        method = f"by ratings; {certainty}, for {100 * self.options.confidence:g} % in total for each pair of neighbours"
        return [*lines, method, *self._repeat_notes(results)]

    def _strengths(self, results: Sequence[FixtureResult]) -> RatedStrengths:
        return rated_strengths(telling(results), self.teams)

    def _order(self, results: Sequence[FixtureResult]) -> list[int]:
        if self.teams > 2:
            return self._strengths(results).order()
        first, second = self._sprt(results).ratios
        return [1, 0] if first < second else [0, 1]

    def _undecided(self, results: Sequence[FixtureResult]) -> tuple[list[tuple[int, int]], list[tuple[int, int]]]:
        """Neighbours whose order is not certain or who are in a circle, the stronger first, the least certain pair first.

        And of each circle of three that neighbours may be in, where ratings mean little, the pair that has met least.
        """
        if self.teams == 2:
            one, other = self._order(results)
            return ([(one, other)] if self._sprt(results).better is None else []), []
        strengths = self._strengths(results)
        order = strengths.order()
        sure = {(above, below): strengths.superiority(above, below) for above, below in pairwise(order)}
        circles: dict[tuple[int, int], Any] = more.circle_edges(telling(results), sure) if (more := beyond_ratings()) else {}
        is_open = {pair for pair in sure if sure[pair] < self.certainty or (pair in circles and circles[pair][1])}
        return sorted(is_open, key=lambda pair: (sure[pair], pair)), [edge for edge, _ in circles.values()]

    def _unsettled(self, results: Sequence[FixtureResult]) -> list[tuple[int, int]]:
        """The open pairs that further games could settle."""
        if self.teams == 2 and self._sprt(results).is_over:
            return []
        open_pairs, edges = self._undecided(results)
        pairs = [*open_pairs, *edges]
        pairs = [pair for place, pair in enumerate(pairs) if {*pair} not in map(set, pairs[:place])]
        return [pair for pair in pairs if not repeats_itself(map(game_digest, _games_of(pair, results)))]

    def _more_blocks(self, blocks: int) -> int:
        return blocks if self.teams > 2 else max(1, round(self.options.batch / self.block))

    def _blocks(self, due: Sequence[tuple[tuple[int, int], range]], stage: str) -> list[Fixture]:
        """The blocks of all pairs side by side, so that the table is as readable half-way as in the end."""
        fixtures: list[Fixture] = []
        for step in range(max((len(blocks) for _, blocks in due), default=0)):
            for number in range(len(conditions(self.field))):
                for leg in range(2):
                    for pair, blocks in due:
                        if step < len(blocks):
                            condition = conditions(self.field, blocks[step] * self.field.games)[number]
                            fixtures.append(fixture(seated_pair(*pair, condition, leg), condition, stage))
        return fixtures

    def _sprt(self, results: Sequence[FixtureResult]) -> SprtState:
        return two_team_state(results, self.options)

    def _sprt_notes(self, results: Sequence[FixtureResult]) -> list[str]:
        now = self._sprt(results)
        first, second = self.field.teams
        verdict = f"which of {first} and {second} is better: not shown"
        if now.better is not None:
            verdict = f"{self.field.teams[now.better]} is better than {self.field.teams[1 - now.better]}: shown"
        elif now.is_over:
            verdict = f"{first} and {second} differ by less than {self.options.elo:g} Elo points: shown"
        ratios = " and ".join(f"{ratio:.2f} for {name}" for ratio, name in zip(now.ratios, self.field.teams))
        test = f"SPRT of {self.options.elo:g} Elo points or none, {100 * (1 - self.options.confidence):g} % error"
        bounds = f"bounds {now.lower:.2f} and {now.upper:.2f}"
        return [verdict, f"{test}: log-likelihood ratios {ratios}, {bounds}, {counted(len(results), 'game')}"]

    def _repeat_notes(self, results: Sequence[FixtureResult]) -> list[str]:
        """Honest about games that are the same whatever the seed: only other maps would tell more."""
        pairs = [(one, other) for other in range(self.teams) for one in range(other)]
        same = [pair for pair in pairs if repeats_itself(map(game_digest, _games_of(pair, results)))]
        return [
            f"{self.field.teams[one]} and {self.field.teams[other]} play the same games whatever the seed; each is counted once,"
            " so only games on other maps would show more"
            for one, other in same
        ]


def two_team_state(results: Sequence[FixtureResult], options: UntilSettledOptions) -> SprtState:
    """Where the test of two teams stands after these games."""
    return sprt_state(pair_outcomes(telling(results)), options.elo, 1 - options.confidence)


def _games_of(pair: tuple[int, int], results: Sequence[FixtureResult]) -> list[FixtureResult]:
    return [result for result in results if set(result.fixture.seats) == set(pair)]


def pair_outcomes(results: Sequence[FixtureResult]) -> list[int]:
    """How often two games under one condition had each of the outcomes, for team 0; a game without the other is left out."""
    shares: dict[tuple[int, int], dict[tuple[int, ...], float]] = {}
    for result in results:
        share = 0.5 if result.winner == 0 else float(result.fixture.seats[result.winner - 1] == 0)
        shares.setdefault((result.fixture.map, result.fixture.game), {})[result.fixture.seats] = share
    counts = [0] * len(OUTCOMES)
    for both in shares.values():
        if len(both) == 2:
            counts[OUTCOMES.index(sum(both.values()) / 2)] += 1
    return counts
