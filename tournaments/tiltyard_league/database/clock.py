"""What time it is, for all of a league. The machine's clock may be wrong, and may be set while the league runs."""

from __future__ import annotations

import time
from datetime import UTC, datetime, timedelta
from typing import Final

AHEAD: Final = timedelta(hours=1)
"""What was stored with a time so far ahead of now counts as of now; with a later one it was stored by a wrong clock."""


class Clock:
    """The clocks of this machine."""

    def wall(self) -> float:
        """Seconds since 1970, as people have set them."""
        return time.time()

    def steady(self) -> float:
        """Seconds since the machine was started, also of those in which it slept. Nobody sets them."""
        return time.clock_gettime(time.CLOCK_BOOTTIME) if hasattr(time, "CLOCK_BOOTTIME") else time.monotonic()


CLOCK: Clock = Clock()
"""All times of a league come from here."""


def here() -> datetime:
    """The time, in UTC."""
    return datetime.fromtimestamp(CLOCK.wall(), UTC)


def now() -> str:
    """The time as all tables have it."""
    return as_stored(here())


def as_stored(at: datetime) -> str:
    """A time as all tables have it: ISO 8601, UTC, milliseconds. Later ones sort behind earlier ones."""
    return at.astimezone(UTC).isoformat(timespec="milliseconds")


def last_day() -> tuple[str, str]:
    """From when to when something has a time that counts within 24 hours. A clock that was far ahead uses nobody's quota up."""
    at = here()
    return as_stored(at - timedelta(days=1)), as_stored(at + AHEAD)
