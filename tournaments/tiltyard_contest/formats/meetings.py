"""Meetings of two teams, and rounds of them: what all formats with a bracket share.

A meeting is as many games as it takes until one team is ahead. Rounds are played through as far as the results reach; places of
a round whose team nobody knows yet, or that stay empty, are numbers below zero.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Final, Literal, TypeAlias

from tiltyard_engine.formats import Bracket, BracketMeeting, Bye, Field, Fixture, FixtureResult, TournamentFormat, option
from tiltyard_tournaments.formats.conditions import conditions, require
from tiltyard_tournaments.standings.lots import drawn_order

NOBODY: Final = -1
"""A place that stays empty, because there are fewer teams than places."""
UNKNOWN: Final = -2
"""A place whose team is not decided yet."""
Column: TypeAlias = tuple[BracketMeeting[int] | None, ...]


@dataclass(frozen=True, slots=True)
class MeetingOptions:
    """The options that all formats with meetings have."""

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


@dataclass(slots=True)
class Encounter:
    """Two seeds, and what they have played."""

    seeds: tuple[int, int]
    """The first one sits first, and advances if nothing decides."""
    stage: str
    earlier: int = 0
    """How often the two have met in earlier stages."""
    scores: list[float] = field(default_factory=list)
    """What the first one made of each game: 1, 0.5 or 0."""

    @property
    def is_drawn(self) -> bool:
        """Whether both have won as much."""
        return 2 * sum(self.scores) == len(self.scores)

    @property
    def winner(self) -> int:
        """The seed that advances from a decided meeting."""
        return self.seeds[0] if 2 * sum(self.scores) >= len(self.scores) else self.seeds[1]

    @property
    def loser(self) -> int:
        """The seed that does not advance."""
        return self.seeds[self.winner == self.seeds[0]]


@dataclass(slots=True)
class MeetingRound:
    """The meetings of a stage, from top to bottom."""

    stage: str
    level: int
    order: int
    winners: list[int] = field(default_factory=list)
    """Of each meeting; a seed, or a number below zero."""
    losers: list[int] = field(default_factory=list)
    column: list[BracketMeeting[int] | None] = field(default_factory=list)
    """What a page shows of it."""
    open: list[Encounter] = field(default_factory=list)
    """Meetings that need more games."""
    byes: list[Bye] = field(default_factory=list)
    pairs: int = 0
    """How many meetings it has, byes left out. Without any, nobody plays in it, and it is not shown."""

    @property
    def is_complete(self) -> bool:
        """Whether all of it is decided."""
        return UNKNOWN not in self.winners


class MeetingFormat(TournamentFormat):
    """A batch is what all open meetings of a level need at least: nobody plays on after a meeting is decided."""

    draws = "all"

    def __init__(self, field: Field, options: MeetingOptions, name: str) -> None:
        require(field, name)
        self.field = field
        self.team = drawn_order(field.seed, field.teams) if options.seeding == "drawn" else list(range(len(field.teams)))
        """The team of each seed."""
        self.best_of = options.best_of or 2 * len(conditions(field))
        self.replays = options.replays

    @abstractmethod
    def play_through(self, rounds: Rounds) -> list[list[int]]:
        """Play all rounds as far as their results reach, and give the seeds as groups of equals, best first."""

    def next_batch(self, results: Sequence[FixtureResult]) -> Sequence[Fixture]:
        rounds, _ = self._progress(results)
        to_play = [(meeting, self._games_wanted(meeting)) for each in rounds.current for meeting in each.open]
        steps = max((games for _, games in to_play), default=0)
        return [
            self._fixture(meeting, len(meeting.scores) + step)
            for step in range(steps)
            for meeting, games in to_play
            if step < games
        ]

    def byes(self, results: Sequence[FixtureResult]) -> Sequence[Bye]:
        rounds, _ = self._progress(results)
        return [bye for each in rounds.until_now for bye in each.byes]

    def placings(self, results: Sequence[FixtureResult]) -> Sequence[Sequence[int]]:
        """Who is still in, then those who are out, the later the better; at the end winner, second, third and so on."""
        _, groups = self._progress(results)
        return [[self.team[seed] for seed in sorted(group)] for group in groups]

    def brackets(self, results: Sequence[FixtureResult]) -> Sequence[Bracket[int]]:
        rounds, _ = self._progress(results)
        return [each for _, each in sorted(rounds.brackets, key=lambda bracket: bracket[0])]

    def expected_games(self) -> tuple[int, int]:
        rounds, _ = self._progress(())
        meetings = sum(each.pairs for each in rounds.all)
        most = self.best_of + 2 * self.replays
        return meetings * (self.best_of // 2 + 1), (meetings + self.most_extra_meetings) * most

    most_extra_meetings = 0
    """Meetings that take place only after some results."""

    def _progress(self, results: Sequence[FixtureResult]) -> tuple[Rounds, list[list[int]]]:
        rounds = Rounds(self, results)
        return rounds, self.play_through(rounds)

    def _games_wanted(self, meeting: Encounter) -> int:
        """How many more games a meeting needs at least; 0: it is decided."""
        games = len(meeting.scores)
        lead = abs(2 * sum(meeting.scores) - games)
        if games < self.best_of:
            games_left = self.best_of - games
            return 0 if lead > games_left else min(games_left, int((games_left - lead) // 2) + 1)
        # Draws that are left are played off in pairs of games, which one team must win.
        odd = (games - self.best_of) % 2
        return 0 if (lead and not odd) or games >= self.best_of + 2 * self.replays else 2 - odd

    def is_decided(self, meeting: Encounter) -> bool:
        """Whether nobody has to play on."""
        return not self._games_wanted(meeting)

    def _fixture(self, meeting: Encounter, number: int) -> Fixture:
        """Game ``number`` of a meeting, the same for all: map by map, each in both orders of seats, then with further seeds."""
        if number >= self.best_of:
            number += self.best_of % 2  # a replay begins with the first seed first, on the next map
        game, place = divmod(number // 2, len(self.field.maps))
        # A second meeting must not be the first one again.
        longest = -(-(self.best_of + self.best_of % 2 + 2 * self.replays) // (2 * len(self.field.maps)))
        one, other = (self.team[seed] for seed in meeting.seeds)
        seats = (other, one) if number % 2 else (one, other)
        return Fixture(seats, place, game + longest * meeting.earlier, meeting.stage)


class Rounds:
    """The rounds of a tournament in the order in which they are drawn, with their results."""

    def __init__(self, form: MeetingFormat, results: Sequence[FixtureResult]) -> None:
        self.form = form
        self.all: list[MeetingRound] = []
        self.brackets: list[tuple[int, Bracket[int]]] = []
        """Each with its place among the others."""
        self._met: dict[frozenset[int], int] = {}
        self._results: dict[tuple[str, frozenset[int]], list[FixtureResult]] = {}
        for result in results:
            self._results.setdefault((result.fixture.stage, frozenset(result.fixture.seats)), []).append(result)

    def play(self, stage: str, places: Sequence[int], level: int, order: int = 0, is_ranked: bool = False) -> MeetingRound:
        """A round in which neighbours meet.

        Args:
            stage: what it is called.
            places: seeds, or NOBODY or UNKNOWN, from top to bottom; of an even number.
            level: rounds of one level are played at the same time, after those of lower ones.
            order: that of rounds of one level.
            is_ranked: the first of two neighbours comes first in a meeting, instead of the better seed.
        """
        own = MeetingRound(stage, level, order)
        self.all.append(own)
        pairs = list(zip(places[::2], places[1::2], strict=True))
        own.pairs = sum(NOBODY not in pair for pair in pairs)
        for pair in pairs:
            winner, loser, box = self._result(own, pair if is_ranked else _better_first(pair))
            own.winners.append(winner)
            own.losers.append(loser)
            own.column.append(box)
        return own

    def _result(self, own: MeetingRound, pair: tuple[int, int]) -> tuple[int, int, BracketMeeting[int] | None]:
        """Who wins and who loses, and what is shown."""
        teams = tuple(self.form.team[seed] for seed in pair if seed >= 0)
        if NOBODY in pair:
            alone = pair[0] if pair[1] == NOBODY else pair[1]
            if alone == NOBODY:
                return NOBODY, NOBODY, None
            if teams and own.pairs:
                own.byes.append(Bye(teams[0], own.stage))
            return alone, NOBODY, BracketMeeting(own.stage, teams, teams[0] if teams else None)
        if UNKNOWN in pair:
            return UNKNOWN, UNKNOWN, BracketMeeting(own.stage, teams)
        meeting = self._meeting(pair, own.stage)
        if not self.form.is_decided(meeting):
            own.open.append(meeting)
            return UNKNOWN, UNKNOWN, BracketMeeting(own.stage, teams)
        note = (
            "" if not meeting.is_drawn else "drawn, the better seed advances" if pair[0] < pair[1] else "drawn, the first advances"
        )
        return (
            meeting.winner,
            meeting.loser,
            BracketMeeting(own.stage, teams, self.form.team[meeting.winner], note if meeting.is_drawn else ""),
        )

    def _meeting(self, pair: tuple[int, int], stage: str) -> Encounter:
        one, other = (self.form.team[seed] for seed in pair)
        meeting = Encounter(pair, stage, self._met.get(frozenset(pair), 0))
        self._met[frozenset(pair)] = meeting.earlier + 1
        for result in self._results.get((stage, frozenset((one, other))), ()):
            winner = result.fixture.seats[result.winner - 1] if result.winner and result.counts else None
            meeting.scores.append({one: 1.0, other: 0.0}.get(winner, 0.5) if winner is not None else 0.5)
        return meeting

    @property
    def current(self) -> list[MeetingRound]:
        """Those that are being played or are to be played next; empty: it is over."""
        level = min((each.level for each in self.all if each.open), default=None)
        return sorted((each for each in self.all if each.level == level), key=lambda each: each.order)

    @property
    def until_now(self) -> Iterator[MeetingRound]:
        """The current ones and all before them."""
        level = min((each.level for each in self.all if each.open), default=None)
        return (each for each in self.all if level is None or each.level <= level)

    def show(self, name: str, rounds: Sequence[MeetingRound], order: int) -> None:
        """Draw rounds as a bracket; ``order``: its place among the others."""
        columns = tuple(tuple(each.column) for each in rounds if each.pairs)
        if columns:
            self.brackets.append((order, Bracket(name, columns)))


def _better_first(pair: tuple[int, int]) -> tuple[int, int]:
    """The better seed first; what is no seed comes last."""
    one, other = pair
    return (other, one) if one < 0 <= other or 0 <= other < one else pair


def seeded_places(teams: int) -> list[int]:
    """The seeds from 0 in the places of a bracket; neighbours meet, and so do the winners of neighbouring pairs.

    The two best can only meet in the final, the four best in the semi-finals, and so on. Where the number of teams is no power
    of two, the best seeds have no opponent in the first round.
    """
    line = [0]
    while len(line) < teams:
        line = [seed for better in line for seed in (better, 2 * len(line) - 1 - better)]
    return [seed if seed < teams else NOBODY for seed in line]
