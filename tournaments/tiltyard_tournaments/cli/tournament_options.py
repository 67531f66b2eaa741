"""What the commands over a tournament file share: the file, and its tournament."""

from __future__ import annotations

import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import typer

from tiltyard_engine.registry import Selection
from tiltyard_engine.texts.quantities import counted
from tiltyard_simulator.output.reports import say_left_out, say_notes
from tiltyard_tournaments.cli.options import Block, Only
from tiltyard_tournaments.running.earlier_games import OtherVersions
from tiltyard_tournaments.running.qualification import with_teams_admitted_so_far
from tiltyard_tournaments.running.tournament import Tournament
from tiltyard_tournaments.tournament_file.resolution import Resolved, load_tournament


@dataclass(frozen=True, slots=True)
class TournamentOptions:
    """A tournament file, and the plugins to load for it."""

    file: Annotated[
        Path, typer.Argument(help="A tournament file (YAML). Create one with 'tiltyard new tournament'.", metavar="FILE")
    ]
    block: Block = None
    only: Only = None

    def resolve(self, *, quiet: bool = True, as_run: bool = False) -> Resolved:
        """The tournament of the file, and all plugins.

        Args:
            quiet: whether nothing is said of what was left out of folders.
            as_run: whether its teams are those of the last run, without a look at their code; what has become of their files since
                is said.

        Raises:
            UserError: the file cannot be read, or has problems: all of them at once.
        """
        resolved = load_tournament(self.file, Selection.from_environment(self.block or (), self.only), as_run=as_run)
        for change in resolved.changes:
            say(f"note: {change}")
        if not quiet:
            say_left_out(resolved.left_out)
            say_notes(resolved.notes)
        return resolved

    def tournament(self, *, quiet: bool = True, as_run: bool = False) -> Tournament:
        """The tournament with the teams that may play, as far as that is known; see ``resolve``."""
        return with_teams_admitted_so_far(self.resolve(quiet=quiet, as_run=as_run).tournament)


def say_rounds(tournament: Tournament) -> None:
    """Say which rounds stand, and what changes in later ones."""
    for note in tournament.round_notes:
        say(f"note: {note}")


def say_earlier(file: Path, earlier: OtherVersions) -> None:
    """Say which games were played with other code than there is now, if there are any."""
    if earlier:
        say(f"note: {earlier.note}; 'tiltyard run {file}' plays {'it' if earlier.games == 1 else 'them'} again")


def say_incomplete(file: Path, voids: int, missing: int = 0) -> None:
    """Say which games are still to be played: those that failed because of the machine, and those of the current batch."""
    if voids:
        games = "1 game failed because of the machine and doesn't"
        if voids > 1:
            games = f"{voids} games failed because of the machine and don't"
        say(f"not complete: {games} count; 'tiltyard run {file}' plays {'it' if voids == 1 else 'them'} again")
    if missing:
        are = "is" if missing == 1 else "are"
        say(f"not complete: {counted(missing, 'game')} of the current batch {are} missing; 'tiltyard run {file}' resumes")


def say(line: str) -> None:
    """Print a line for people, to standard error: programs may read standard output."""
    print(line, file=sys.stderr)
