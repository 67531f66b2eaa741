"""What the core finds of this package, by the entry-point group ``tiltyard.contest``; see ``tournament_file.contest``.

Pages take a moment to load, so what shows stages is imported late.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from tiltyard_contest.carried_points import check_carry
from tiltyard_contest.earlier_teams import entry_with_words, teams_of_earlier
from tiltyard_contest.stages import stage_document, stages_of_document
from tiltyard_contest.tie_break_games import tie_break_games
from tiltyard_tournaments.cli.tournament_options import TournamentOptions
from tiltyard_tournaments.tournament_file.contest import PublishStage

if TYPE_CHECKING:
    from tiltyard_contest.live_stages import LiveStages

__all__ = [
    "check_carry",
    "entry_with_words",
    "live_stages",
    "publish_stages",
    "show_final_ranking",
    "stage_document",
    "stages_of_document",
    "teams_of_earlier",
    "tie_break_games",
]


def show_final_ranking(options: TournamentOptions, style: str) -> None:
    """Print who is where after all stages that were begun."""
    from tiltyard_contest.showing import show_final_ranking

    show_final_ranking(options, style)


def publish_stages(options: TournamentOptions, publish: PublishStage, output: Path | None) -> Path:
    """Publish each stage, and the page that leads to them."""
    from tiltyard_contest.showing import publish_stages

    return publish_stages(options, publish, output)


def live_stages(options: TournamentOptions) -> LiveStages:
    """The sites of all stages and that page, for a server."""
    from tiltyard_contest.live_stages import LiveStages

    return LiveStages(options)
