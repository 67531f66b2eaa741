"""What the site's package shows for the core: results below a notebook's cell, and the site of a comparative run.

The core never imports that package. It finds this by the entry-point group ``tiltyard.pages``.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import Any, Final, Protocol, cast

from tiltyard_engine.data_classes import dataclass
from tiltyard_engine.lifecycle import Table
from tiltyard_engine.match_record import MatchRecord, Outcome
from tiltyard_engine.registry.sources import host_value
from tiltyard_engine.replay import Replay, Theme

PAGES_GROUP: Final = "tiltyard.pages"


@dataclass(frozen=True, slots=True)
class EloInterval:
    """An estimated difference, and the interval that it lies in; infinite where one side has won everything."""

    value: float
    low: float
    high: float


@dataclass(frozen=True, slots=True, kw_only=True)
class ComparedTeams:
    """What is shown of a comparison of two teams."""

    verdict: str
    summary: str
    names: tuple[str, str]
    elo: EloInterval
    expected_elo: float
    """Elo points that the test should find."""
    bounds: tuple[float, float]
    course: Sequence[tuple[int, float, float]]
    """(games, ratio of the one, ratio of the other) after every few games."""
    note: str = ""


class PageMaker(Protocol):
    """Results as HTML. Its templates take a moment to load, and most programs never need them."""

    def table_html(self, title: str, headers: Sequence[str], rows: Sequence[Sequence[Any]]) -> str:
        """Rows of plain values."""

    def cup_html(self, text: str, table: Table | None, missing: int) -> str:
        """A tournament as its standings, if it has any yet, with the number of games that are missing."""

    def standings_html(self, table: Table) -> str:
        """The standings, with a bar for the points."""

    def crosstable_html(self, teams: Sequence[str], matches: Sequence[Outcome]) -> str:
        """How every team did against every other."""

    def ratings_html(self, matches: Sequence[Outcome]) -> str:
        """Ratings with their intervals."""

    def progress_html(self, title: str, text: str, finished: int, total: int, lines: Sequence[str]) -> str:
        """How far a run is."""

    def match_html(self, match: Outcome, replay: Replay | None, theme: Theme | None) -> str:
        """A match: its replay if there is one that can be shown, else how it ended."""

    def replay_html(self, replay: Replay, theme: Theme | None) -> str:
        """A replay whose match is not known."""

    def comparison_html(self, compared: ComparedTeams) -> str:
        """A comparison of two teams: what was shown, the difference, and the walk of the test between its bounds."""

    def publish_comparison(self, comparison: Any, groups: Sequence[Any], records: Sequence[MatchRecord], folder: Path) -> Path:
        """Write the site of a comparative run, with a record for each GameManager in their order; the page to begin with.

        What is compared, and the groups that agree, are values of the package that compares.
        """


@cache
def pages() -> PageMaker:
    """What shows results as pages.

    Raises:
        UserError: it is not installed.
    """
    return cast("PageMaker", host_value(PAGES_GROUP, "what makes pages of results"))
