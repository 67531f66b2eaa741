from __future__ import annotations

from collections import Counter

from tiltyard_league.database.games import Seats
from tiltyard_league.matchmaking.fixtures import Fixtures, before, pair_of
from tiltyard_league.rating.fit import fit_versions

MAPS = ["a", "b", "c"]


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
