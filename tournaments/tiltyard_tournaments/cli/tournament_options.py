"""What the commands over a tournament file share: the file, and its tournament."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import typer

from tiltyard_engine.registry import Selection
from tiltyard_simulator.modes import say_left_out
from tiltyard_tournaments.running.entering import entered_now
from tiltyard_tournaments.running.tournament import Tournament
from tiltyard_tournaments.tournament_file.resolving import Resolved, load_tournament

TournamentFile = Annotated[
    Path, typer.Argument(help="A tournament file (YAML); 'tiltyard new tournament' writes one.", metavar="FILE")
]


def tournament_of(path: Path, block: list[str] | None = None, only: list[str] | None = None, quiet: bool = False) -> Tournament:
    """The tournament of a file, of those who may play as far as that is known; see ``resolved_of``."""
    return entered_now(resolved_of(path, block, only, quiet).tournament)


def resolved_of(path: Path, block: list[str] | None = None, only: list[str] | None = None, quiet: bool = False) -> Resolved:
    """The tournament of a file and the plugins beside it; what was left out of folders that it names is said on standard error.

    Raises:
        UserError: the file cannot be read, or has problems: all of them at once.
    """
    resolved = load_tournament(path, Selection.from_environment(block or (), only))
    if not quiet:
        say_left_out(resolved.left_out)
    return resolved


def voids_line(voids: int, file: Path) -> str:
    """What is said of matches that the machine did not let come to an end."""
    games = "1 game was spoilt by the machine and counts" if voids == 1 else f"{voids} games were spoilt by the machine and count"
    return f"not complete: {games} for nobody; 'tiltyard run {file}' tries again"


def say(line: str) -> None:
    """A line for people, beside the output that programs may read."""
    print(line, file=sys.stderr)
