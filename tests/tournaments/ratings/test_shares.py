from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tiltyard_tournaments.ratings.shares import share_interval

COUNT = st.integers(0, 1000)


def test_wilsons_interval() -> None:
    # 8 of 10 at 95 %: 0.4902 to 0.9433 (Wilson 1927, as tabulated by Newcombe 1998's method 3).
    found = share_interval(8, 0, 2)
    assert (found.share, found.low, found.high) == pytest.approx((0.8, 0.4902, 0.9433), abs=1e-4)


@given(COUNT, COUNT, COUNT)
@settings(deadline=None)
def test_it_holds_the_share_and_mirrors(wins: int, ties: int, losses: int) -> None:
    if wins + ties + losses:
        one, other = share_interval(wins, ties, losses), share_interval(losses, ties, wins)
        assert 0 <= one.low <= one.share <= one.high <= 1
        assert (one.low, one.high) == pytest.approx((1 - other.high, 1 - other.low))


def test_no_games_no_share() -> None:
    with pytest.raises(ValueError, match="no games"):
        share_interval(0, 0, 0)
