"""What the core asks pages for, by the entry-point group ``tiltyard.pages``: this module is a ``PageMaker`` of its publishers."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from tiltyard_engine.match_record import MatchRecord
from tiltyard_matchups.comparison import Group, ManagerComparison
from tiltyard_site.notebook.cells import (
    comparison_html,
    crosstable_html,
    cup_html,
    match_html,
    progress_html,
    ratings_html,
    replay_html,
    standings_html,
    table_html,
)
from tiltyard_site.pages.comparison import comparison_data
from tiltyard_site.publication.whole_site import publish

__all__ = [
    "comparison_html",
    "crosstable_html",
    "cup_html",
    "match_html",
    "progress_html",
    "publish_comparison",
    "ratings_html",
    "replay_html",
    "standings_html",
    "table_html",
]


def publish_comparison(
    comparison: ManagerComparison, groups: Sequence[Group], records: Sequence[MatchRecord], folder: Path
) -> Path:
    """Write the site of a comparative run; the page to begin with.

    Raises:
        UserError: the folder cannot be written, or a file that is not the site's is in its way.
    """
    return publish(comparison_data(comparison, groups, records), folder).index
