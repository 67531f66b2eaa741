from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tiltyard_tournaments.ratings.shares import share_interval

COUNT = st.integers(0, 1000)


def test_wilsons_interval() -> None:
    # 8 of 10 at 95 %: 0.4902 to 0.9433 (Wilson 1927, as tabulated by Newcombe 1998's method 3).
    # 81 of 263 and 0 of 20: Newcombe, Two-sided confidence intervals for the single proportion, 1998, table I, method 3.
    assert share_interval(81, 0, 182) == pytest.approx((0.2553, 0.3662), abs=1e-4)
    assert share_interval(0, 0, 20) == pytest.approx((0.0, 0.1611), abs=1e-4)
    assert share_interval(8, 0, 2) == pytest.approx((0.4902, 0.9433), abs=1e-4)


@given(COUNT, COUNT, COUNT)
@settings(deadline=None)
def test_it_holds_the_share_and_mirrors(wins: int, ties: int, losses: int) -> None:
    if wins + ties + losses:
        low, high = share_interval(wins, ties, losses)
        assert 0 <= low <= (wins + ties / 2) / (wins + ties + losses) <= high <= 1
        assert share_interval(losses, ties, wins) == pytest.approx((1 - high, 1 - low))


def test_no_games_no_share() -> None:
    with pytest.raises(ValueError, match="no games"):
        share_interval(0, 0, 0)
