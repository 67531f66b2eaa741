from __future__ import annotations

from collections import Counter
from itertools import combinations

import numpy as np
import pytest

from tiltyard_league.database.games import Seats
from tiltyard_league.matchmaking.fixtures import Fixtures, before, pair_of
from tiltyard_league.rating.fit import Fit, fit_versions

MAPS = ["a", "b", "c"]
LONGEST = 4
"""Mean intervals between two fixtures of a version that nobody waits longer."""


def test_all_meet_on_all_maps_in_both_seats_and_then_it_is_complete() -> None:
    fixtures = Fixtures(MAPS)
    fit = fit_versions(before([(1, 1), (2, 2), (3, 3)]), {})
    games: list[Seats] = []
    active = [1, 2, 3]
    while (fixture := fixtures.choose(active, fit, seed=5)) is not None:
        assert not fixtures.is_complete(active) or fixtures.left(active) == 0
        games += fixture
    assert fixtures.is_complete(active)
    counts = Counter((game.versions, game.map) for game in games)
    assert set(counts.values()) == {1}
    assert len(counts) == 3 * 2 * len(MAPS)
    # A version that comes later meets everybody on all maps as well.
    fixtures.enter(4)
    assert fixtures.left([2, 3, 4]) == 2 * len(MAPS)
    later = fixtures.choose([2, 3, 4], fit_versions(before([(1, 1), (2, 2), (3, 3), (4, 1)]), {}), seed=5)
    assert later is not None
    assert 4 in later[0].versions


def made_fit(versions: list[int], seed: int) -> Fit:
    """Any strengths; some versions are so well known that nobody would choose them."""
    draw = np.random.default_rng(seed)
    covariance = np.diag(draw.choice([1e-4, 0.1, 1.0], len(versions)))
    return Fit({version: place for place, version in enumerate(versions)}, draw.normal(0, 1.5, len(versions)), covariance, False)


@pytest.mark.parametrize(("players", "teams", "maps"), [(3, 3, 2), (3, 9, 2), (4, 12, 1), (9, 14, 1)])
def test_a_season_of_several(players: int, teams: int, maps: int) -> None:
    fixtures = Fixtures(MAPS[:maps], players)
    active, everybody = list(range(1, teams + 1)), list(range(1, teams + 2))
    for version in active:
        fixtures.enter(version)
    games: list[Seats] = []
    met: Counter[tuple[tuple[int, int], str]] = Counter()

    def have_met(pair: tuple[int, int]) -> bool:
        return all(met[pair, name] >= players for name in MAPS[:maps])

    fit = made_fit(everybody, 0)
    while (fixture := fixtures.choose(active, fit, seed=5)) is not None:
        games += fixture
        met.update((pair, fixture[0].map) for pair in combinations(sorted(fixture[0].versions), 2))
        if len(games) == 20:
            active = [*active[1:], teams + 1]
            fixtures.enter(teams + 1)
        if len(games) % 10 == 0:
            fit = made_fit(everybody, len(games))
            fixtures.fitted()
        if not fixtures.is_complete(active):
            # Who has met everybody often enough waits for nothing.
            waiting = {one for pair in combinations(active, 2) for one in pair if not have_met(pair)}
            longest = max(fixtures.count - fixtures.last[version] for version in waiting)
            assert longest <= LONGEST * max(1, teams / players)
    assert fixtures.is_complete(active)
    assert fixtures.left(active) == 0
    assert all(have_met(pair) for pair in combinations(active, 2))
    # Hardly more are needed than if every game had only pairs that have still to meet.
    least = maps * players * (teams * (teams - 1) / 2 + teams - 1) / (players * (players - 1) / 2)
    assert len(games) <= 1.6 * least + players
    assert all(len(set(game.versions)) == players for game in games)
    assert len({(game.versions, game.map) for game in games}) == len(games)
    for version in everybody:
        assert spread(games, version, players) <= 2
        assert all(spread([game for game in games if game.map == name], version, players) <= 3 for name in MAPS[:maps])
    behind = Counter((game.versions[seat - 1], game.versions[seat]) for game in games for seat in range(players))
    for one, other in combinations(active, 2):
        # Either may sit behind the other one, and the more sit between them, the less often.
        meetings = sum(met[(one, other), name] for name in MAPS)
        assert max(behind[one, other], behind[other, one]) <= meetings / (players - 1) + 4
    again = Fixtures(MAPS[:maps], players)
    assert again.load((game.versions, game.map) for game in games) == []
    assert (again.met, again.count, again.seating.after, again.seating.orders) == (
        *(fixtures.met, fixtures.count, fixtures.seating.after, fixtures.seating.orders),
    )
    assert again.last.items() <= fixtures.last.items()


def spread(games: list[Seats], version: int, players: int) -> int:
    """By how much a version's games in two seats differ."""
    seats = Counter(game.versions.index(version) for game in games if version in game.versions)
    return max(seats[seat] for seat in range(players)) - min(seats[seat] for seat in range(players))


def test_too_few_for_a_game_play_none() -> None:
    fixtures = Fixtures(MAPS, 4)
    assert fixtures.choose([1, 2, 3], made_fit([1, 2, 3], 0), seed=5) is None
    assert fixtures.left([1, 2, 3]) == 0
    # What was played when the game had another number of seats is not taken over.
    assert fixtures.load([((1, 2), "a"), ((1, 2, 3, 4), "a")]) == []
    assert fixtures.count == 1


def test_what_was_played_is_taken_over_and_halves_come_first() -> None:
    fixtures = Fixtures(MAPS)
    missing = fixtures.load([((1, 2), "a"), ((2, 1), "a"), ((3, 1), "b")])
    assert missing == [Seats(versions=(1, 3), map="b")]
    assert fixtures.met == {1: {2: 0x001, 3: 0x010}}
    assert fixtures.count == 2
    assert not fixtures.pending
    assert fixtures.left([1, 2, 3]) == 2 + 3 + 2


def test_each_version_has_the_one_before_it() -> None:
    assert before([(1, 7), (2, 8), (5, 7), (6, 7)]) == {1: None, 2: None, 5: 1, 6: 5}
    assert pair_of(5, 2) == (2, 5)
