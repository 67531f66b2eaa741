"""What stands below the title: who won or leads, whether it is over, when, and in which format."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Final

from tiltyard_site.pages.data import SiteData
from tiltyard_site.pages.labels import counted

MONTHS: Final = (
    *("January", "February", "March", "April", "May", "June", "July"),
    *("August", "September", "October", "November", "December"),
)
MOST_LEADERS: Final = 3
"""More that share the first place are counted."""
FORMATS: Final = {"swiss": "Swiss", "round-robin": "round robin"}
"""What formats are called on pages, where that isn't their name with spaces."""


@dataclass(frozen=True, slots=True)
class Headline:
    """One line."""

    leaders: tuple[str, ...]
    """Empty: nobody leads yet, or too many do."""
    words: str
    """What they do, such as ``won``."""
    when: str
    """In words, with the time zone; empty: not known."""
    at: str
    """The same in ISO 8601."""
    facts: tuple[str, ...]
    """Format, teams, games."""


@dataclass(frozen=True, slots=True)
class Progress:
    """How far the tournament has come."""

    played: int
    planned: int
    maps: int
    rounds: Sequence[str] = ()
    """What the rounds are called that were drawn, of a format that is known by them."""
    champion: str = ""
    """A knockout's; empty while it goes on."""

    @property
    def is_over(self) -> bool:
        """Whether nothing is left to be played."""
        return 0 < self.played >= self.planned


def headline(data: SiteData, places: Mapping[str, str], progress: Progress) -> Headline:
    """The line; ``places`` are those of the standings."""
    played, planned, is_over = progress.played, progress.planned, progress.is_over
    at = data.period()[1] if played else ""
    when = time_in_words(at)
    leaders, words = _leaders(data, places, progress) if played else ((), "not begun")
    name = FORMATS.get(data.format, data.format.replace("-", " "))
    if data.format == "swiss" and progress.rounds:
        name = f"{name}, {counted(len(progress.rounds), 'round')}" if is_over else f"{name}, {progress.rounds[-1]}"
    games = counted(played, "game") if is_over or played >= planned else f"{played} of {counted(planned, 'game')}"
    where = f" on {counted(progress.maps, 'map')}" if progress.maps else ""
    return Headline(
        leaders,
        words,
        f"{'finished' if is_over else 'last game'} {when}" if when else "finished" if is_over else "",
        at,
        tuple(fact for fact in (name, counted(len(data.teams), "team"), f"{games}{where}") if fact),
    )


def _leaders(data: SiteData, places: Mapping[str, str], progress: Progress) -> tuple[tuple[str, ...], str]:
    first = tuple(team for team, place in places.items() if place == "1")
    if progress.champion:
        return (progress.champion,), "is the champion"
    if data.format == "knockout":
        return (), f"{counted(len(first), 'team')} still in"
    if len(first) > MOST_LEADERS or not first:
        return (), f"{len(first)} teams share the first place" if first else ""
    if len(first) > 1:
        return first, "share the first place" if progress.is_over else "share the lead"
    return first, "won" if progress.is_over else "leads"


def time_in_words(text: str) -> str:
    """A time in ISO 8601 as ``26 November 2026, 13:35 UTC``; empty for what is none."""
    try:
        at = datetime.fromisoformat(text)
    except ValueError:
        return ""
    if at.tzinfo is None:
        return ""
    at = at.astimezone(UTC)
    return f"{at.day} {MONTHS[at.month - 1]} {at.year}, {at:%H:%M} UTC"
