"""Times as pages show them."""

from __future__ import annotations

from datetime import UTC, datetime

FORM = "%Y-%m-%d %H:%M"


def in_both_zones(at: datetime) -> str:
    """A time in its own zone and in UTC, such as ``2026-12-18 23:59 CET (22:59 UTC)``.

    A deadline is in the zone of the server; all other times on the pages are UTC.
    """
    plain = at.astimezone(UTC)
    if not at.utcoffset():
        return f"{plain:{FORM}} UTC"
    return f"{at:{FORM} %Z} ({plain:{FORM if plain.date() != at.date() else '%H:%M'}} UTC)"
