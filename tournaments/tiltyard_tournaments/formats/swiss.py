"""Swiss: in each round, teams with about equal points meet, and no two teams meet twice if that can be avoided."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Literal

from tiltyard_engine.data_classes import dataclass
from tiltyard_engine.errors import UserError
from tiltyard_engine.formats import Absence, Bye, Field, Fixture, FixtureResult, TournamentFormat, option
from tiltyard_engine.results import PairingEnding
from tiltyard_tournaments.formats.conditions import MapChoice, conditions_of_round, require
from tiltyard_tournaments.formats.swiss_pairing import Round, SwissStanding, first_seat, pair_round
from tiltyard_tournaments.standings.lots import drawn_order


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

    draws = "rounds"

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
        return self._replay(results, is_complete=True)[0]

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
        return (len(self.field.teams) - len(self._absences(number))) // 2 * self._meeting_length(number)

    def _absences(self, number: int) -> dict[int, Absence]:
        """Who is not paired in round ``number``, from 0."""
        here = (each for each in self.field.absences if each.first <= number + 1 <= (each.last or self.rounds))
        return {each.team: each for each in here}

    def _replay(self, results: Sequence[FixtureResult], *, is_complete: bool = False) -> tuple[list[Fixture], list[Bye]]:
        """The fixtures of the round after the complete ones, and all byes up to it.

        ``is_complete``: whether no result of a round is missing. Else that is told by their number.
        """
        teams = {team: SwissStanding(team, self.field.carried.get(name, 0.0)) for team, name in enumerate(self.field.teams)}
        by_stage: dict[str, list[FixtureResult]] = {}
        for result in results:
            by_stage.setdefault(result.fixture.stage, []).append(result)
        byes: list[Bye] = []
        for number in range(self.rounds):
            here = by_stage.get(f"round {number + 1}", [])
            absences = self._absences(number)
            if len(teams) - len(absences) < 2 and not here:
                break
            stands = is_complete or number < self.field.rounds_drawn or len(here) >= self._round_length(number)
            there = {team: standing for team, standing in teams.items() if team not in absences}
            paired = _round_of(here, there) if here and stands else self._pair(there, number)
            games = len(here) // len(paired.pairs) if here and stands else self._meeting_length(number)
            byes += self._byes_of(paired, number, absences, games, teams)
            if not (here and stands):
                return self._fixtures(paired, number, teams), byes
            _count(teams, paired, here)
        return [], byes

    def _byes_of(
        self, paired: Round, number: int, absences: Mapping[int, Absence], games: int, teams: Mapping[int, SwissStanding]
    ) -> Iterator[Bye]:
        """Everybody who has no opponent in a round of so many games a meeting; they get their points for it."""
        worth = {PairingEnding.BYE: self.field.win_points, PairingEnding.HALF_POINT_BYE: self.field.draw_points}
        sits_out = () if paired.bye is None else (Absence(paired.bye, number + 1, number + 1, PairingEnding.BYE),)
        for each in (*absences.values(), *sits_out):
            own = each.points if each.first == number + 1 else 0.0
            teams[each.team].byes += each.ending is PairingEnding.BYE
            teams[each.team].points += games * worth.get(each.ending, 0.0) + own
            yield Bye(each.team, f"round {number + 1}", games if each.ending in worth else 1, each.ending, own)

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
