from __future__ import annotations

import random
from pathlib import Path

import pytest

from tiltyard_league.rating.fit import fit_versions
from tiltyard_league.rating.standing import (
    FROZEN,
    PROVISIONAL,
    STANDING,
    LeagueStanding,
    make_standing,
    read_standing,
    write_standing,
)

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


def test_a_standing_that_is_gone_or_damaged_is_empty_until_the_next(tmp_path: Path) -> None:
    assert read_standing(tmp_path) == LeagueStanding()
    standing = make_standing(fit_versions(BEFORE, COUNTS), COUNTS, {7: 1}, 3, made_at="now")
    write_standing(tmp_path, standing)
    assert read_standing(tmp_path, [FROZEN, STANDING]) == standing
    (tmp_path / STANDING).write_text("{")
    assert read_standing(tmp_path) == LeagueStanding()
