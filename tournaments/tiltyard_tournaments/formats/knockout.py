"""Knockout: the loser of a meeting is out."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Final, Literal

from tiltyard_engine.formats import Bye, Field, Fixture, FixtureResult, TournamentFormat, option
from tiltyard_tournaments.formats.conditions import conditions, require
from tiltyard_tournaments.standings.lots import drawn_order

STAGES: Final = {2: "final", 4: "semi-final", 8: "quarter-final"}
THIRD_PLACE: Final = "third place"


@dataclass(frozen=True, slots=True)
class KnockoutOptions:
    """The options of ``knockout``."""

    best_of: int = option(
        0, "the most games of a meeting, which ends as soon as one team can't be caught up; 0: every map in both seats", ge=0
    )
    replays: int = option(
        1,
        "how often to play two more games, in both orders of seats, if a meeting is drawn; after that the better seed advances",
        ge=0,
    )
    seeding: Literal["file", "drawn"] = option(
        "file", "how to seed teams: in the order of the file, the first team best, or at random by the tournament's seed"
    )
    third_place: bool = option(True, "whether the losers of the semi-finals play for third place")


@dataclass(slots=True)
class _Meeting:
    """Two seeds, better first, and what they have played."""

    seeds: tuple[int, int]
    stage: str
    scores: list[float] = field(default_factory=list)
    """What the better seed made of each game: 1, 0.5 or 0."""


@dataclass(slots=True)
class _State:
    """The tree as far as it is known."""

    open: list[_Meeting] = field(default_factory=list)
    """Meetings that need more games."""
    byes: list[Bye] = field(default_factory=list)
    alive: list[int] = field(default_factory=list)
    """Seeds that can still win."""
    out: list[list[int]] = field(default_factory=list)
    """Groups of seeds that are out, worst first."""


class Knockout(TournamentFormat):
    """A batch is what all open meetings of a round need at least: nobody plays on after a meeting is decided."""

    draws = "all"

    def __init__(self, field: Field, options: KnockoutOptions) -> None:
        require(field, "knockout")
        self.field, self.options = field, options
        self.team = drawn_order(field.seed, field.teams) if options.seeding == "drawn" else list(range(len(field.teams)))
        """The team of each seed."""
        self.best_of = options.best_of or 2 * len(conditions(field))

    def next_batch(self, results: Sequence[FixtureResult]) -> Sequence[Fixture]:
        to_play = [(meeting, self._games_wanted(meeting)) for meeting in self._state(results).open]
        steps = max((games for _, games in to_play), default=0)
        return [
            self._fixture(meeting, len(meeting.scores) + step)
            for step in range(steps)
            for meeting, games in to_play
            if step < games
        ]

    def byes(self, results: Sequence[FixtureResult]) -> Sequence[Bye]:
        return self._state(results).byes

    def placings(self, results: Sequence[FixtureResult]) -> Sequence[Sequence[int]]:
        """Who is still in, then those who are out, the later the better; at the end winner, second, third and so on."""
        state = self._state(results)
        return [[self.team[seed] for seed in sorted(group)] for group in [state.alive, *reversed(state.out)]]

    def expected_games(self) -> tuple[int, int]:
        teams = len(self.field.teams)
        meetings = teams - 1 + (1 if self.options.third_place and teams >= 4 else 0)
        return meetings * (self.best_of // 2 + 1), meetings * (self.best_of + 2 * self.options.replays)

    def _state(self, results: Sequence[FixtureResult]) -> _State:
        """Play the tree through as far as the results reach."""
        state = _State(alive=list(range(len(self.team))))
        by_meeting: dict[tuple[str, frozenset[int]], list[FixtureResult]] = {}
        for result in results:
            by_meeting.setdefault((result.fixture.stage, frozenset(result.fixture.seats)), []).append(result)
        pairs = bracket(len(self.team))
        beaten: list[int] = []
        while True:
            final = len(pairs) == 1
            stage = stage_name(2 * len(pairs))
            meetings = [self._meeting((high, low), stage, by_meeting) for high, low in pairs if low is not None]
            third = final and self.options.third_place and len(beaten) == 2
            if third:
                meetings.append(self._meeting((min(beaten), max(beaten)), THIRD_PLACE, by_meeting))
            state.byes += [Bye(self.team[high], stage) for high, low in pairs if low is None]
            state.open = [meeting for meeting in meetings if self._games_wanted(meeting)]
            if third and not self._games_wanted(meetings[-1]):
                winner = self._winner(meetings[-1])
                state.out[-1:] = [[seed for seed in beaten if seed != winner], [winner]]
            if state.open and not (final and not self._games_wanted(meetings[0])):
                return state
            winners = [self._winner(meeting) for meeting in meetings if meeting.stage == stage]
            beaten = [seed for meeting in meetings if meeting.stage == stage for seed in meeting.seeds if seed not in winners]
            state.alive = [seed for seed in state.alive if seed not in beaten]
            state.out.append(beaten)
            if final:
                return state
            through = iter(winners)
            seeds_left = [high if low is None else next(through) for high, low in pairs]
            pairs = [(min(pair), max(pair)) for pair in zip(seeds_left[::2], seeds_left[1::2])]

    def _meeting(
        self, seeds: tuple[int, int], stage: str, results: dict[tuple[str, frozenset[int]], list[FixtureResult]]
    ) -> _Meeting:
        better, worse = self.team[seeds[0]], self.team[seeds[1]]
        meeting = _Meeting(seeds, stage)
        for result in results.get((stage, frozenset((better, worse))), ()):
            winner = result.fixture.seats[result.winner - 1] if result.winner and result.counts else None
            meeting.scores.append({better: 1.0, worse: 0.0}.get(winner, 0.5) if winner is not None else 0.5)
        return meeting

    def _games_wanted(self, meeting: _Meeting) -> int:
        """How many more games a meeting needs at least; 0: it is decided."""
        games = len(meeting.scores)
        lead = abs(2 * sum(meeting.scores) - games)
        if games < self.best_of:
            games_left = self.best_of - games
            return 0 if lead > games_left else min(games_left, int((games_left - lead) // 2) + 1)
        # Draws that are left are played off in pairs of games, which one team must win.
        odd = (games - self.best_of) % 2
        return 0 if (lead and not odd) or games >= self.best_of + 2 * self.options.replays else 2 - odd

    def _winner(self, meeting: _Meeting) -> int:
        """The seed that advances from a decided meeting."""
        return meeting.seeds[0] if 2 * sum(meeting.scores) >= len(meeting.scores) else meeting.seeds[1]

    def _fixture(self, meeting: _Meeting, number: int) -> Fixture:
        """Game ``number`` of a meeting, the same for all: map by map, each in both orders of seats, then with further seeds."""
        if number >= self.best_of:
            number += self.best_of % 2  # a replay begins with the better seed first, on the next map
        game, place = divmod(number // 2, len(self.field.maps))
        better, worse = (self.team[seed] for seed in meeting.seeds)
        seats = (worse, better) if number % 2 else (better, worse)
        return Fixture(seats, place, game, meeting.stage)


def bracket(teams: int) -> list[tuple[int, int | None]]:
    """The first round as pairs of seeds, from 0, better first; winners of neighbouring pairs meet next. None: no opponent.

    The two best can only meet in the final, the four best in the semi-finals, and so on. Where the number of teams is no power
    of two, the best seeds have no opponent in the first round.
    """
    line = [0]
    while len(line) < teams:
        line = [seed for better in line for seed in (better, 2 * len(line) - 1 - better)]
    seeds = [seed if seed < teams else None for seed in line]
    pairs: list[tuple[int, int | None]] = []
    for one, other in zip(seeds[::2], seeds[1::2]):
        low, high = (one, other) if one is not None else (other, one)
        assert low is not None
        pairs.append((low, high) if high is None or low < high else (high, low))
    return pairs


def stage_name(left: int) -> str:
    """What a round is called in which so many places of the tree are left."""
    return STAGES.get(left, f"round of {left}")
