"""What the core finds of this package, by the entry-point group ``tiltyard.contest``; see ``tournament_file.contest``.

Pages take a moment to load, so what shows stages is imported late.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from tiltyard_contest.carried_points import check_carry
from tiltyard_contest.earlier_teams import as_one_problem, entry_with_words, open_earlier, teams_of_earlier
from tiltyard_contest.stages import other_stages, stage_document, stages_of_document, unknown_teams
from tiltyard_contest.tie_break_games import tie_break_games
from tiltyard_engine.registry import Selection
from tiltyard_simulator.output.reports import say
from tiltyard_tournaments.cli.tournament_options import TournamentOptions
from tiltyard_tournaments.tournament_file.contest import PublishStage
from tiltyard_tournaments.tournament_file.document import read_document
from tiltyard_tournaments.tournament_file.problems import Problem, TournamentFileError
from tiltyard_tournaments.tournament_file.resolution import load_tournament

if TYPE_CHECKING:
    from tiltyard_contest.live_stages import LiveStages
    from tiltyard_simulator.registry.object_teams import ObjectRecords
    from tiltyard_tournaments.library.cup import Cup
    from tiltyard_tournaments.publishers.publication import PublishedBy
    from tiltyard_tournaments.running.tournament import Tournament
    from tiltyard_tournaments.tournament_file.document import Document

__all__ = [
    "check_carry",
    "check_stages",
    "entry_with_words",
    "live_stages",
    "open_earlier",
    "publish_played",
    "publish_stages",
    "show_final_ranking",
    "show_tables",
    "stage_document",
    "stages_cup",
    "stages_of_document",
    "teams_of_earlier",
    "tie_break_games",
]


def check_stages(options: TournamentOptions) -> None:
    """Raise what is wrong with all stages, and say which have results but are in the file no more.

    Raises:
        UserError: one cannot be read.
        TournamentFileError: with the problems of all.
    """
    stages = options.stages()
    for name in other_stages(stages):
        say(f"note: {name} is no longer a stage of {options.file}; its results stay, but don't count")
    selection = Selection.from_environment(options.block or (), options.only)
    problems: list[Problem] = []
    causes: set[str] = set()
    tournaments: list[Tournament] = []
    for stage in stages:
        try:
            tournaments.append(load_tournament(options.file, selection, stage=stage.name, is_preview=True).tournament)
        except TournamentFileError as error:
            # That an earlier stage can't be opened follows from what is wrong with it.
            problems += [problem for problem in error.problems if problem.message not in causes]
            causes.add(as_one_problem(error))
    problems = problems or unknown_teams(read_document(options.file), tournaments)
    if problems:
        raise TournamentFileError(str(options.file), problems)


def show_final_ranking(options: TournamentOptions, style: str) -> None:
    """Print who is where after all stages that were begun."""
    from tiltyard_contest.showing import show_final_ranking

    show_final_ranking(options, style)


def show_tables(options: TournamentOptions, names: Sequence[str], style: str) -> None:
    """Print tables of all stages that were begun, each as one with a column for the stage."""
    from tiltyard_contest.showing import show_tables

    show_tables(options, names, style)


def publish_stages(options: TournamentOptions, publish: PublishStage, output: Path | None) -> Sequence[Path]:
    """Publish each stage; the files above them, of which the last is the page that leads to them."""
    from tiltyard_contest.showing import FileStages

    file_stages = FileStages.of(options)
    page, *paths = file_stages.publish(lambda name, folder, links: publish(replace(options, stage=name), folder, links), output)
    return [*(path for path in paths if path.parent == page.parent), page]


def publish_played(options: TournamentOptions, say: Callable[[str], None]) -> PublishedBy:
    """Publish a stage that was played, as its file says, with the page above all of them."""
    from tiltyard_contest.showing import publish_played

    return publish_played(options, say)


def stages_cup(document: Document, path: Path, objects: ObjectRecords) -> Cup:
    """A file with stages, for a program."""
    from tiltyard_contest.stages_cup import StagesCup

    return StagesCup(document, path, objects)


def live_stages(options: TournamentOptions) -> LiveStages:
    """The sites of all stages and that page, for a server."""
    from tiltyard_contest.live_stages import LiveStages

    return LiveStages(options)
