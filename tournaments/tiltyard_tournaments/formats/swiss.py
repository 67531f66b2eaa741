"""Swiss: in each round, teams with about equal points meet, and no two teams meet twice if that can be avoided."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from tiltyard_engine.errors import UserError
from tiltyard_engine.formats import Bye, Field, Fixture, FixtureResult, TournamentFormat, option
from tiltyard_tournaments.formats.conditions import MapChoice, conditions_of_round, drawn_order, require
from tiltyard_tournaments.formats.swiss_pairing import Round, SwissStanding, first_seat, pair_round


@dataclass(frozen=True, slots=True)
class SwissOptions:
    """The options of ``swiss``."""

    rounds: int = option(0, "number of rounds; 0: the logarithm to base 2 of the number of teams, rounded up", ge=0)
    maps: MapChoice = option("rotate", "rotate: each round on the next map; all: each meeting on every map")
    seats: Literal["both", "balanced"] = option(
        "both",
        "both: each game of a meeting in both orders of seats; balanced: each game once, with seats balanced from round to round",
    )
    seeding: Literal["file", "drawn"] = option(
        "file",
        "which of two teams with equal points counts as better: the earlier one in the file, or one chosen at random by the seed",
    )


class Swiss(TournamentFormat):
    """A round a batch; a round has a fixed number of matches. Each is paired by the results of all earlier ones."""

    def __init__(self, field: Field, options: SwissOptions) -> None:
        require(field, "swiss")
        teams = len(field.teams)
        most = teams - 1 + teams % 2
        if options.rounds > most:
            raise UserError(
                f"swiss: rounds: {options.rounds} rounds are too many for {teams} teams that never meet twice; expected at"
                f" most {most}"
            )
        self.field, self.options = field, options
        self.rounds = options.rounds or (teams - 1).bit_length()
        order = drawn_order(field.seed, field.teams) if options.seeding == "drawn" else range(teams)
        self.seed = {team: place for place, team in enumerate(order)}

    def next_batch(self, results: Sequence[FixtureResult]) -> Sequence[Fixture]:
        return self._replay(results)[0]

    def byes(self, results: Sequence[FixtureResult]) -> Sequence[Bye]:
        return self._replay(results)[1]

    def expected_games(self) -> tuple[int, int]:
        games = sum(self._round_length(number) for number in range(self.rounds))
        return games, games

    def _meeting_length(self, number: int) -> int:
        """Games of a meeting in round ``number``, from 0."""
        orders = 2 if self.options.seats == "both" else 1
        return orders * len(conditions_of_round(self.field, number, self.options.maps))

    def _round_length(self, number: int) -> int:
        return len(self.field.teams) // 2 * self._meeting_length(number)

    def _replay(self, results: Sequence[FixtureResult]) -> tuple[list[Fixture], list[Bye]]:
        """The fixtures of the round after the complete ones, and all byes up to it."""
        teams = {team: SwissStanding(team) for team in range(len(self.field.teams))}
        byes: list[Bye] = []
        start = 0
        for number in range(self.rounds):
            end = start + self._round_length(number)
            complete = len(results) >= end
            paired = _round_of(results[start:end], teams) if complete else self._pair(teams, number)
            if paired.bye is not None:
                games = self._meeting_length(number)
                byes.append(Bye(paired.bye, f"round {number + 1}", games))
                teams[paired.bye].byes += 1
                teams[paired.bye].points += games * self.field.win_points
            if not complete:
                return self._fixtures(paired, number, teams), byes
            _count(teams, paired, results[start:end])
            start = end
        return [], byes

    def _pair(self, teams: Mapping[int, SwissStanding], number: int) -> Round:
        table = sorted(teams.values(), key=lambda team: (-team.points, self.seed[team.team]))
        return pair_round(table, weigh_seats=self._meeting_length(number) % 2 == 1)

    def _fixtures(self, paired: Round, number: int, teams: Mapping[int, SwissStanding]) -> list[Fixture]:
        """All meetings of a round, game by game, so that every meeting comes to the same game at about the same time."""
        games: list[Fixture] = []
        places = conditions_of_round(self.field, number, self.options.maps)
        for step in range(self._meeting_length(number)):
            both = self.options.seats == "both"
            place = places[step // 2 if both else step]
            for one, other in paired.pairs:
                first = first_seat(teams[one], teams[other], number)
                second = other if first == one else one
                seats = (second, first) if step % 2 else (first, second)
                # A second meeting must not be the first one again: further games, further seeds.
                game = place.game + self.field.games * teams[one].met.get(other, 0)
                games.append(Fixture(seats, place.map, game, f"round {number + 1}"))
        return games


def _round_of(results: Sequence[FixtureResult], teams: Iterable[int]) -> Round:
    """Who met whom in a complete round: it need not be paired again."""
    pairs = list(dict.fromkeys((min(result.fixture.seats), max(result.fixture.seats)) for result in results))
    playing = {team for pair in pairs for team in pair}
    return Round(tuple(pairs), next((team for team in teams if team not in playing), None))


def _count(teams: Mapping[int, SwissStanding], paired: Round, results: Sequence[FixtureResult]) -> None:
    """Bring a played round into the table."""
    for one, other in paired.pairs:
        teams[one].met[other] = teams[one].met.get(other, 0) + 1
        teams[other].met[one] = teams[other].met.get(one, 0) + 1
    for result in results:
        first, second = result.fixture.seats
        teams[first].lean += 1
        teams[second].lean -= 1
        if result.counts:
            for team, points in zip(result.fixture.seats, result.points):
                teams[team].points += points
