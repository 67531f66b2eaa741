"""Playing formats without games: the results are made up, by a rule or by a number that stands for chance."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Callable, Sequence

from tiltyard_engine.formats import Field, Fixture, FixtureResult, TournamentFormat
from tiltyard_tournaments.formats.batch_checks import check_batch

Judge = Callable[[Fixture], int]
"""The winning seat of a fixture, 0 for a tie."""


def field_of(teams: int, maps: int = 1, seats: int = 2, games: int = 1, seed: int = 0) -> Field:
    """A field with made up names."""
    names = tuple(f"team-{number}" for number in range(teams))
    return Field(teams=names, maps=tuple(f"map-{number}" for number in range(maps)), seats=seats, games=games, seed=seed)


def by_chance(salt: int) -> Judge:
    """Each seat or nobody wins, drawn from the fixture alone."""

    def judge(fixture: Fixture) -> int:
        drawn = hashlib.blake2b(repr((salt, fixture.seats, fixture.map, fixture.game)).encode(), digest_size=4).digest()
        return int.from_bytes(drawn, "big") % (len(fixture.seats) + 1)

    return judge


def lower_number_wins(fixture: Fixture) -> int:
    """The first team of the file is the strongest."""
    return fixture.seats.index(min(fixture.seats)) + 1


def result_of(fixture: Fixture, winner: int, counts: bool = True, digest: str = "") -> FixtureResult:
    """What the host would say of it, with 3 points for a win and 1 for a tie."""
    seats = range(1, len(fixture.seats) + 1)
    ranks = tuple(1 if winner in (0, seat) else 2 for seat in seats)
    points = tuple(1.0 if winner == 0 else 3.0 * (winner == seat) for seat in seats)
    return FixtureResult(fixture=fixture, winner=winner, ranks=ranks, scores=(), points=points, counts=counts, digest=digest)


def batches(tournament: TournamentFormat, field: Field, judge: Judge, most: int = 1000) -> list[list[Fixture]]:
    """All batches to the end, each looked at as the host looks at it."""
    found: list[list[Fixture]] = []
    played: list[FixtureResult] = []
    while batch := tournament.next_batch(played):
        found.append(check_batch("tested", field, batch, played))
        assert tournament.next_batch(played) == batch
        played += [result_of(fixture, judge(fixture)) for fixture in batch]
        assert len(found) <= most
    return found


def play(tournament: TournamentFormat, field: Field, judge: Judge) -> list[FixtureResult]:
    """All results to the end."""
    return [result_of(fixture, judge(fixture)) for batch in batches(tournament, field, judge) for fixture in batch]


def only_batch(tournament: TournamentFormat, field: Field) -> list[Fixture]:
    """The fixtures of a format that has one batch, whose number it knows beforehand."""
    (batch,) = batches(tournament, field, lower_number_wins)
    assert tournament.expected_games() == (len(batch), len(batch))
    return batch


def largest_spread(teams: int, fixtures: Sequence[Fixture]) -> int:
    """How many more matches one team has than another at most, after any number of the fixtures."""
    counts = Counter(dict.fromkeys(range(teams), 0))
    spread = 0
    for fixture in fixtures:
        counts.update(fixture.seats)
        spread = max(spread, max(counts.values()) - min(counts.values()))
    return spread


def seat_counts(fixtures: Sequence[Fixture]) -> Counter[tuple[int, int]]:
    """How often each (team, seat) is there, seats from 1."""
    return Counter((team, seat) for fixture in fixtures for seat, team in enumerate(fixture.seats, start=1))


def shortest_rest(fixtures: Sequence[Fixture]) -> int:
    """The fewest matches between two of one team; 0 is back to back."""
    last: dict[int, int] = {}
    rest = len(fixtures)
    for number, fixture in enumerate(fixtures):
        for team in fixture.seats:
            if team in last:
                rest = min(rest, number - last[team] - 1)
            last[team] = number
    return rest
