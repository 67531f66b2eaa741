from __future__ import annotations

import random
from collections.abc import Mapping
from pathlib import Path

import pytest

from tiltyard_league.rating.fit import Fit, Order, fit_orders, fit_versions
from tiltyard_league.rating.standing import (
    FROZEN,
    PROVISIONAL,
    STANDING,
    LeagueStanding,
    make_standing,
    read_standing,
    versions_in,
    with_names,
    write_standing,
)
from tiltyard_tournaments.ratings.model import PRIOR

BEFORE = {1: None, 2: None, 3: None, 4: 1}
COUNTS = {(1, 2): (12, 2, 6), (1, 3): (15, 0, 5), (2, 3): (11, 1, 8)}


def test_a_new_version_begins_where_the_one_before_stands_and_is_less_sure() -> None:
    fit = fit_versions(BEFORE, COUNTS)
    assert fit.rating(4, 3)[0] == pytest.approx(fit.rating(1, 3)[0])
    assert fit.rating(4, 3)[1] > fit.rating(1, 3)[1] + 100
    assert fit.rating(3, 3) == (0.0, 0.0)
    assert fit.chance(1, 3) > 0.6
    # Its own games soon say more than the prior.
    lost = fit_versions(BEFORE, {**COUNTS, (2, 4): (30, 0, 2), (3, 4): (30, 0, 2)})
    assert lost.rating(4, 3)[0] < 0 < lost.rating(1, 3)[0]


def test_the_order_in_which_games_were_played_changes_no_digit() -> None:
    pairs = list(COUNTS.items())
    random.Random(1).shuffle(pairs)
    one = make_standing(fit_versions(BEFORE, COUNTS), COUNTS, {7: 4, 8: 2, 9: 3}, 3, made_at="now")
    assert one == make_standing(fit_versions(BEFORE, dict(sorted(pairs))), COUNTS, {7: 4, 8: 2, 9: 3}, 3, made_at="now")


def test_the_standing_counts_and_says_what_is_provisional() -> None:
    standing = make_standing(fit_versions(BEFORE, COUNTS), COUNTS, {7: 4, 8: 2, 9: 3}, 3, made_at="now")
    assert [line.team for line in standing.lines] == [7, 8, 9]
    assert standing.games == 60
    new, old = standing.line_of(7), standing.line_of(8)
    assert new is not None
    assert old is not None
    assert (new.games, new.is_provisional, new.error > PROVISIONAL) == (0, True, True)
    assert (old.wins, old.ties, old.losses) == (6 + 11, 3, 12 + 8)
    assert (standing.place_of(9), standing.place_of(99)) == (3, 0)
    assert standing.rating_of(1) is not None
    assert standing.rating_of(99) is None


def test_a_circle_of_versions_that_play_is_named_as_each_reader_knows_them() -> None:
    circle = {(1, 2): (40, 0, 0), (2, 3): (40, 0, 0), (1, 3): (0, 0, 40), (1, 4): (40, 0, 0)}
    fit = fit_versions(BEFORE, circle)
    standing = make_standing(fit, circle, {7: 1, 8: 2, 9: 3}, 3, made_at="now")
    assert standing.fit.startswith("One number does not tell it all: {1} beats {2} (40 of 40)")
    assert versions_in(standing.fit) == {1, 2, 3}
    names = {1: "ant", 2: "{bee}", 3: "cat"}
    assert "ant beats {bee} (40 of 40), {bee} beats cat (40 of 40), and cat beats ant" in with_names(standing.fit, names)
    assert with_names(standing.fit, {1: "ant"}) == ""
    # Version 1 plays no more: two always fit.
    assert make_standing(fit, circle, {7: 4, 8: 2, 9: 3}, 3, made_at="now").fit == ""
    assert make_standing(fit, circle, {7: 1, 8: 2, 9: 3}, 3, made_at="now", is_tested=False).fit == ""


def test_a_standing_that_is_gone_or_damaged_is_empty_until_the_next(tmp_path: Path) -> None:
    assert read_standing(tmp_path) == LeagueStanding()
    standing = make_standing(fit_versions(BEFORE, COUNTS), COUNTS, {7: 1}, 3, made_at="now")
    write_standing(tmp_path, standing)
    assert read_standing(tmp_path, [FROZEN, STANDING]) == standing
    (tmp_path / STANDING).write_text("{")
    assert read_standing(tmp_path) == LeagueStanding()


ORDERS: Mapping[Order, int] = {
    ((1,), (2,), (3,), (5,)): 9,
    ((2,), (1,), (5,), (3,)): 7,
    ((3,), (1, 2), (5,)): 4,
    ((5,), (3,), (1,), (2,)): 3,
    ((4,), (2,), (3, 5)): 5,
    ((3,), (4,), (2,)): 2,
    ((1, 2, 3, 5),): 2,
    ((2, 4), (1,), (3,)): 2,
}
EARLIER = {**BEFORE, 5: None}


def test_of_more_than_two_a_new_version_begins_where_the_one_before_stands() -> None:
    without = {order: count for order, count in ORDERS.items() if all(4 not in group for group in order)}
    fit = fit_orders(EARLIER, without)
    assert fit.rating(4, 3)[0] == pytest.approx(fit.rating(1, 3)[0])
    assert fit.rating(4, 3)[1] > fit.rating(1, 3)[1] + 100
    assert fit_orders(EARLIER, ORDERS).rating(4, 3)[1] < fit.rating(4, 3)[1]
    shares = [fit.share(version, [each for each in (1, 2, 3, 5) if each != version]) for version in (1, 2, 3, 5)]
    assert sum(shares) == pytest.approx(2)
    assert shares[0] == pytest.approx((fit.chance(1, 2) + fit.chance(1, 3) + fit.chance(1, 5)) / 3)


@pytest.mark.parametrize("order", [((1,), (2,), (3,), (5,)), ((3,), (1, 2), (5,)), ((4,), (2,), (3, 5)), ((1, 2, 3, 5),)])
def test_what_a_game_of_several_changed_is_what_a_little_more_of_it_would_change(order: Order) -> None:
    more, less = (fit_orders(EARLIER, {**ORDERS, order: ORDERS[order] + part}, spread=PRIOR) for part in (1e-4, -1e-4))  # type: ignore[dict-item]
    change = fit_orders(EARLIER, ORDERS, spread=PRIOR).change(order, 3)
    assert change.keys() == {version for group in order for version in group}
    for version, points in change.items():
        assert points == pytest.approx((more.rating(version, 3)[0] - less.rating(version, 3)[0]) / 2e-4, abs=1e-4)
    # Played once more, the game changes it by about as much again.
    again = fit_orders(EARLIER, {**ORDERS, order: ORDERS[order] + 1}, spread=PRIOR)
    for version, points in change.items():
        assert again.rating(version, 3)[0] - fit_orders(EARLIER, ORDERS, spread=PRIOR).rating(version, 3)[0] == pytest.approx(
            points, rel=0.2, abs=0.5
        )


@pytest.mark.parametrize(("order", "result"), [(((1,), (2,)), 0), (((1, 2),), 1), (((2,), (1,)), 2)])
def test_what_a_game_of_two_changed_is_what_a_little_more_of_it_would_change(order: Order, result: int) -> None:
    def fit(part: float) -> Fit:
        counts: list[float] = list(COUNTS[1, 2])
        counts[result] += part
        return fit_versions(BEFORE, {**COUNTS, (1, 2): (counts[0], counts[1], counts[2])})  # type: ignore[dict-item]

    more, less, change = fit(1e-4), fit(-1e-4), fit(0).change(order, 3)
    for version in (1, 2):
        slope = (more.rating(version, 3)[0] - less.rating(version, 3)[0]) / 2e-4
        assert change[version] == pytest.approx(slope, abs=1e-4)


def test_the_standing_of_games_of_several_has_places() -> None:
    order: Order = ((1, 2), (3,), (5,))
    standing = make_standing(fit_orders(EARLIER, ORDERS), {}, {7: 4, 8: 2, 9: 3}, 3, made_at="now", results=ORDERS)
    assert standing.games == sum(ORDERS.values())
    line = standing.line_of(8)
    assert line is not None
    # 7 + 2 + 2 times first, of which 4 shared; the places of the others by hand.
    assert (line.games, line.wins, line.ties, line.losses) == (34, 7, 4, 23)
    places = 9 * 2 + 7 * 1 + 4 * 2.5 + 3 * 4 + 5 * 2 + 2 * 3 + 2 * 2.5 + 2 * 1.5
    assert line.mean_place == pytest.approx(places / 34, abs=1e-6)
    shares = (9 * 2 + 7 * 3 + 4 * 1.5 + 3 * 0 + 5 * 2 + 2 * 1.5 + 2 * 2.5) / 3 + 2 * 0
    assert line.share == pytest.approx(shares / 34, abs=1e-6)
    one = make_standing(fit_orders(EARLIER, {order: 1}), {}, {7: 5}, 5, made_at="now", results={order: 1}).lines[0]
    assert (one.mean_place, one.share) == (4, 0)


def test_a_standing_of_an_earlier_version_is_read(tmp_path: Path) -> None:
    line = '{"team":1,"version":2,"rating":3.0,"error":4.0,"games":5,"wins":3,"ties":1,"losses":1}'
    (tmp_path / STANDING).write_text(f'{{"lines":[{line}]}}')
    assert read_standing(tmp_path).lines[0].mean_place == 0


def test_the_spread_of_first_versions_is_estimated_from_games_of_several() -> None:
    estimated, wide = fit_orders(EARLIER, ORDERS), fit_orders(EARLIER, ORDERS, spread=PRIOR)
    assert abs(estimated.rating(5, 1)[0]) < abs(wide.rating(5, 1)[0])
    assert estimated.rating(5, 1)[1] < wide.rating(5, 1)[1]
    assert fit_orders(EARLIER, {}).rating(5, 1) == fit_orders(EARLIER, {}, spread=PRIOR).rating(5, 1)


def test_the_spread_of_first_versions_is_estimated_from_games_of_two() -> None:
    estimated, wide = fit_versions(BEFORE, COUNTS), fit_versions(BEFORE, COUNTS, spread=PRIOR)
    assert abs(estimated.rating(2, 1)[0]) < abs(wide.rating(2, 1)[0])
    assert estimated.rating(2, 1)[1] < wide.rating(2, 1)[1]
    assert fit_versions(BEFORE, {}).rating(2, 1) == fit_versions(BEFORE, {}, spread=PRIOR).rating(2, 1)
