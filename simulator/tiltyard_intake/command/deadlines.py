"""Deadlines as people write them, and as they are shown back: with the zone that they were taken in."""

from __future__ import annotations

from datetime import UTC, date, datetime, time
from typing import Annotated, Final

from pydantic import PlainValidator

FORM: Final = "%Y-%m-%d %H:%M"


def in_both_zones(at: datetime) -> str:
    """A time in its own zone and in UTC, such as ``2026-12-18 23:59 CET (22:59 UTC)``; without a zone it is in this machine's."""
    at = at if at.tzinfo is not None else at.astimezone()
    plain = at.astimezone(UTC)
    if not at.utcoffset():
        return f"{plain:{FORM}} UTC"
    return f"{at:{FORM} %Z} ({plain:{FORM if plain.date() != at.date() else '%H:%M'}} UTC)"


def deadline_of(value: str | date | None) -> datetime | None:
    """A deadline as people write it; a day alone means its end. Without an offset it is in the time zone of this machine.

    Raises:
        ValueError: it is no time, or none or two of this time zone, where clocks are set; says what is expected.
    """
    at = _time_of(value)
    if at is not None:
        _check_clear(at)
    return at


def _time_of(value: str | date | None) -> datetime | None:
    if value is None or isinstance(value, datetime):
        return value
    if isinstance(value, str):
        try:
            return _time_of(date.fromisoformat(value))
        except ValueError:
            pass
        try:
            return datetime.fromisoformat(value)
        except ValueError:
            raise ValueError(f"'{value}' isn't a time; expected one such as '2026-11-30 23:59'") from None
    return datetime.combine(value, time.max)


def _check_clear(at: datetime) -> None:
    try:
        # The two readings of a time at which clocks are set; of all others both are the same. Source: PEP 495.
        readings = sorted({at.replace(fold=fold).astimezone() for fold in (0, 1)})
    except (OverflowError, OSError, ValueError):
        raise ValueError(f"'{_text(at)}' is too far from today; expected one such as '2026-11-30 23:59'") from None
    if at.tzinfo is None and readings[0].utcoffset() != readings[-1].utcoffset():
        is_twice = readings[0].replace(tzinfo=None) == at
        what = "exists twice, because clocks go back" if is_twice else "doesn't exist, because clocks go forward"
        first, second = (f"'{_text(reading)}' ({reading:%Z})" for reading in readings)
        raise ValueError(f"'{_text(at)}' {what} in this machine's time zone then; write {first} or {second}")


def _text(at: datetime) -> str:
    return at.isoformat(" ", "seconds" if at.second else "minutes")


def _checked(value: object) -> object:
    """What stands in a file, as it is."""
    if value is not None and not isinstance(value, str | date):
        raise ValueError(f"{value!r} isn't a time; expected one such as '2026-11-30 23:59'")
    deadline_of(value)
    return value


Deadline = Annotated[str | date | None, PlainValidator(_checked)]
"""A deadline in a file, as ``deadline_of`` takes it."""
