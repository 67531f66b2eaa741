"""Is one team better than another? A sequential test that plays until it knows, and how it came to that."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import asdict
from math import ceil, inf, isinf, log10, sqrt
from statistics import NormalDist
from typing import Any, Final

from tiltyard_engine.data_classes import dataclass, replace
from tiltyard_engine.errors import UserError
from tiltyard_engine.formats import FixtureResult
from tiltyard_engine.texts.quantities import counted
from tiltyard_simulator.registry.object_teams import ObjectRecords, is_named
from tiltyard_tournaments.formats.settled_statistics import game_digest, telling
from tiltyard_tournaments.formats.two_team_test import OUTCOMES, SprtState
from tiltyard_tournaments.formats.until_settled import LEAST_DEFAULT_BUDGET, UntilSettledOptions, pair_outcomes, two_team_state
from tiltyard_tournaments.library.cup import Cup
from tiltyard_tournaments.library.making import from_keys, temporary_folder
from tiltyard_tournaments.library.rows import Rows
from tiltyard_tournaments.publishers.pages import ComparedTeams, EloInterval, pages
from tiltyard_tournaments.ratings.repeats import repeats_itself
from tiltyard_tournaments.ratings.shares import share_interval
from tiltyard_tournaments.running.run import Tell
from tiltyard_tournaments.tournament_file.problems import Problem, TournamentFileError

FORMAT: Final = "until-settled"
GENERATED_MAPS: Final = 40
"""To begin with, where no map is named: algorithms without chance play the same game again on the same map."""
MOST_STEPS: Final = 50
"""Of the course of a test."""
CONFIDENCE: Final = 0.95
"""Of the intervals of differences."""
WIDTH: Final = 41
"""Characters between the bounds of a test that is drawn as text."""


@dataclass(frozen=True, slots=True)
class EloDifference:
    """How many Elo points one team is better than the other, and the 95 % interval. Infinite where one side won every point."""

    value: float
    low: float
    high: float

    def __str__(self) -> str:
        return f"{_signed(self.value)} Elo (95 %: {_signed(self.low)} to {_signed(self.high)})"


class Comparison:
    """A sequential test of two teams, and the games that it was made of. ``compare`` creates it.

    The test is that of the format ``until-settled``: SPRT on pairs of games in swapped seats, once for each team being better.
    Every property reads the store again.

    Args:
        make_cup: the tournament with these options of the format, and on so many generated maps.
        options: of the format.
        generated: how many maps to begin with; 0: the maps are what they are.
    """

    def __init__(self, make_cup: Callable[[UntilSettledOptions, int], Cup], options: UntilSettledOptions, generated: int) -> None:
        self._make_cup = make_cup
        self._options = options
        self._generated = generated
        self._has_repeats = False
        self.cup = make_cup(options, generated)
        """The tournament that is played: its replays, tables and files."""

    def run(self, progress: Tell | bool | None = None, workers: int | None = None) -> Comparison:
        """Play until the test knows or the budget is used up. It continues where it was stopped.

        Arguments and errors are those of ``Cup.run``.
        """
        self.cup.run(progress, workers)
        most = self._options.budget or LEAST_DEFAULT_BUDGET
        # More games on the same maps may show nothing more. Then each of twice as many is played in both seats.
        while self._generated and self.result == "undecided" and self._repeats() and 4 * self._generated <= most:
            self._generated *= 2
            once = replace(self._options, budget=2 * self._generated)
            self.cup = self._make_cup(once, self._generated).run(progress, workers)
        return self

    @property
    def names(self) -> tuple[str, str]:
        """The two teams, in the order in which they were given."""
        one, other = self.cup.teams
        return one, other

    @property
    def result(self) -> str:
        """``better``, ``worse`` (both of the first team), ``equal`` (no such difference) or ``undecided``."""
        state = self._state()
        if state.better is not None:
            return ("better", "worse")[state.better]
        return "equal" if state.is_over else "undecided"

    @property
    def better(self) -> str | None:
        """The team that was shown to be better, if one was."""
        index = self._state().better
        return None if index is None else self.names[index]

    @property
    def llr(self) -> tuple[float, float]:
        """For each team the log-likelihood ratio of "better by so many Elo points" to "equal"."""
        return self._state().ratios

    @property
    def bounds(self) -> tuple[float, float]:
        """The ratios at which a team is shown not to be better by so much, and to be better."""
        state = self._state()
        return state.lower, state.upper

    @property
    def games(self) -> int:
        """Games that were played and count."""
        return sum(self.counts)

    @property
    def counts(self) -> tuple[int, int, int]:
        """Wins, ties and losses of the first team."""
        return _counts([result for result in self._results() if result.counts])

    @property
    def elo(self) -> EloDifference:
        """How much better the first team is, from the games that are no repetitions of others."""
        return _elo(telling(self._results()))

    def rows(self) -> Rows:
        """How the test went, a row for every few games: games so far, both ratios, wins, ties and losses."""
        one, other = self.names
        rows = Rows(title=f"{one} against {other}: the course of the test", html=self._repr_html_)
        for results in self._course():
            wins, ties, losses = _counts([result for result in results if result.counts])
            first, second = self._ratios(results)
            rows.append({"games": len(results), "llr_1": first, "llr_2": second, "wins": wins, "ties": ties, "losses": losses})
        return rows

    def __repr__(self) -> str:
        """The verdict, the difference and the number of games."""
        return f"<{self.verdict}; {self._numbers()}>"

    def __str__(self) -> str:
        """The verdict and the numbers, with the test drawn between its bounds."""
        state = self._state()
        names = self.names
        width = max(map(len, names))
        lines = [self.verdict, self._numbers(), ""]
        for name, ratio in zip(names, state.ratios, strict=True):
            lines.append(f"{name:<{width}}  {state.lower:.2f} {_gauge(ratio, state)} {state.upper:.2f}  LLR {ratio:.2f}")
        return "\n".join([*lines, *([self._note()] if self._note() else [])])

    def _repr_html_(self) -> str:
        difference = self.elo
        return pages().comparison_html(
            ComparedTeams(
                verdict=self.verdict,
                summary=self._numbers(),
                names=self.names,
                elo=EloInterval(difference.value, difference.low, difference.high),
                expected_elo=self._options.elo,
                bounds=self.bounds,
                course=[(len(results), *self._ratios(results)) for results in self._course()],
                note=self._note(),
            )
        )

    @property
    def verdict(self) -> str:
        """What was shown, in a sentence."""
        one, other = self.names
        return {
            "better": f"{one} is better than {other}",
            "worse": f"{one} is worse than {other}",
            "equal": f"{one} and {other} differ by less than {self._options.elo:g} Elo",
            "undecided": f"not settled yet: {one} against {other}",
        }[self.result]

    def _numbers(self) -> str:
        if not self.games:
            return "no games"
        wins, ties, losses = self.counts
        return f"{self.elo}, {counted(self.games, 'game')}: {wins} won, {ties} tied, {losses} lost"

    def _note(self) -> str:
        if not self._repeats() or self.result != "undecided":
            return ""
        return "They play the same game again on the same map, so only games on other maps would show more."

    def _repeats(self) -> bool:
        """Whether further games on the same maps would show nothing."""
        self._has_repeats = self._has_repeats or repeats_itself(map(game_digest, self._results()))
        return self._has_repeats

    def _ratios(self, results: Sequence[FixtureResult]) -> tuple[float, float]:
        first, second = two_team_state(results, self._options).ratios
        return float(first), float(second)

    def _state(self) -> SprtState:
        return two_team_state(self._results(), self._options)

    def _results(self) -> Sequence[FixtureResult]:
        return self.cup.fixture_results()

    def _course(self) -> list[Sequence[FixtureResult]]:
        """What was known after every few pairs of games, at most MOST_STEPS times; the games of a pair one after the other."""
        results = sorted(self._results(), key=lambda result: (result.fixture.game, result.fixture.map))
        step = 2 * max(1, ceil(len(results) / 2 / MOST_STEPS))
        ends = [*range(step, len(results), step), len(results)] if results else []
        return [results[:end] for end in ends]


def compare_teams(
    one: Any, other: Any, maps: Any, *, run: bool, progress: Tell | bool | None, workers: int, **keys: Any
) -> Comparison:
    """A comparison; see ``tiltyard_tournaments.compare``."""
    options = UntilSettledOptions(**{name: keys.pop(name) for name in ("elo", "confidence", "budget", "batch")})
    if is_named(one) and one == other:
        raise UserError(f"both teams are '{one}'; a comparison needs two")
    if options.budget == 1:
        raise UserError("compare(): budget is 1, expected at least 2: the two play each map in both seats")
    objects = ObjectRecords()
    plain = {name: value for name, value in keys.items() if value is not None}
    plain |= {"teams": _pair(one, other), "workers": workers, "title": "Comparison"}

    def make_cup(options: UntilSettledOptions, generated: int) -> Cup:
        map_words = (
            {"generate": {"count": generated, "seed": plain["seed"]}} if generated else "installed" if maps is None else maps
        )
        try:
            return from_keys(plain | {"maps": map_words, "format": {"name": FORMAT, **asdict(options)}}, "comparison", objects)
        except TournamentFileError as error:
            raise TournamentFileError("compare()", [_of_argument(problem) for problem in error.problems]) from None

    if "output" not in plain and any(not is_named(each[1] if isinstance(each, tuple) else each) for each in (one, other)):
        plain["output"] = temporary_folder(objects)
    # Maps that nobody asked for must not need a larger budget.
    can_generate = maps is None and make_cup(replace(options, budget=min(options.budget, 0)), 0).can_generate_maps
    most = min(GENERATED_MAPS, options.budget // 2) if options.budget else GENERATED_MAPS
    comparison = Comparison(make_cup, options, most if can_generate else 0)
    return comparison.run(progress) if run else comparison


def _of_argument(problem: Problem) -> Problem:
    """A problem of the tournament's keys in the words of ``compare``."""
    if problem.key != "format":
        return replace(problem, key=problem.key.removeprefix("format."))
    return replace(problem, key="", message=f"{problem.message.removeprefix(f'{FORMAT}: ')}; give a larger budget or fewer maps")


def _pair(one: Any, other: Any) -> list[Any]:
    """Both teams; a pair of a name and a team is shown under that name."""
    return [{"name": each[0], "team": each[1]} if isinstance(each, tuple) else each for each in (one, other)]


def _counts(results: Sequence[FixtureResult]) -> tuple[int, int, int]:
    ties = sum(result.winner == 0 for result in results)
    wins = sum(result.winner > 0 and result.fixture.seats[result.winner - 1] == 0 for result in results)
    return wins, ties, len(results) - wins - ties


def _elo(results: Sequence[FixtureResult]) -> EloDifference:
    """From the share of the points: S = 1 / (1 + 10 ** (-d / 400)).

    Pairs of games in swapped seats are what is independent, so the share varies as theirs do, as in Fishtest of the chess engine
    Stockfish. Where all pairs ended alike, that would be nothing at all: then it is Wilson's interval, of the games.
    """
    counts = pair_outcomes(results)
    pairs = sum(counts)
    if not pairs:
        return EloDifference(0.0, -inf, inf)
    share = sum(count * outcome for count, outcome in zip(counts, OUTCOMES, strict=True)) / pairs
    spread = sum(count * (outcome - share) ** 2 for count, outcome in zip(counts, OUTCOMES, strict=True))
    if spread:
        half = NormalDist().inv_cdf((1 + CONFIDENCE) / 2) * sqrt(spread / (pairs - 1) / pairs)
        low, high = share - half, share + half
    else:
        low, high = share_interval(*_counts(results), CONFIDENCE)
    return EloDifference(_elo_of(share), _elo_of(low), _elo_of(high))


def _elo_of(share: float) -> float:
    if not 0 < share < 1:
        return inf if share >= 1 else -inf
    return -400 * log10(1 / share - 1)


def _signed(value: float) -> str:
    if isinf(value):
        return "+\u221e" if value > 0 else "\u2212\u221e"
    return f"{round(value):+d}".replace("-", "\u2212") if round(value) else "0"


def _gauge(ratio: float, state: SprtState) -> str:
    """Where a ratio is between the bounds."""
    share = (ratio - state.lower) / (state.upper - state.lower)
    zero = round(-state.lower / (state.upper - state.lower) * (WIDTH - 1))
    at = max(0, min(WIDTH - 1, round(share * (WIDTH - 1))))
    return "|" + "".join("o" if place == at else ":" if place == zero else "-" for place in range(WIDTH)) + "|"
