from __future__ import annotations

from datetime import UTC, datetime, timedelta, timezone

import pytest

from tiltyard_league.door.times import in_both_zones


@pytest.mark.parametrize(
    ("zone", "shown"),
    [
        (UTC, "2026-12-18 23:59 UTC"),
        (timezone(timedelta(hours=1), "CET"), "2026-12-18 23:59 CET (22:59 UTC)"),
        (timezone(timedelta(hours=-5), "EST"), "2026-12-18 23:59 EST (2026-12-19 04:59 UTC)"),
    ],
)
def test_a_deadline_is_shown_in_the_zone_of_the_server_and_in_that_of_all_other_times(zone: timezone, shown: str) -> None:
    assert in_both_zones(datetime(2026, 12, 18, 23, 59, tzinfo=zone)) == shown
