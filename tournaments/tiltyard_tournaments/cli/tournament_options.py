"""What the commands over a tournament file share: the file, and its tournament."""

from __future__ import annotations

import shlex
from collections.abc import Callable
from pathlib import Path
from typing import Annotated

import typer

from tiltyard_engine.data_classes import dataclass, replace
from tiltyard_engine.registry import Selection
from tiltyard_engine.texts.quantities import counted
from tiltyard_simulator.output.folder_lock import is_held
from tiltyard_simulator.output.reports import say, say_left_out, say_notes
from tiltyard_tournaments.cli.options import Block, Only
from tiltyard_tournaments.running.earlier_games import OtherVersions
from tiltyard_tournaments.running.qualification import with_teams_admitted_so_far
from tiltyard_tournaments.running.tournament import Tournament
from tiltyard_tournaments.store import STORE_NAME
from tiltyard_tournaments.tournament_file.contest import Stage, stages_of
from tiltyard_tournaments.tournament_file.resolution import Resolved, load_tournament


@dataclass(frozen=True, slots=True)
class TournamentOptions:
    """A tournament file, and the plugins to load for it."""

    file: Annotated[
        Path, typer.Argument(help="A tournament file (YAML). Create one with 'tiltyard new tournament'.", metavar="FILE")
    ]
    block: Block = None
    only: Only = None
    stage: Annotated[str | None, typer.Option("--stage", help="Only this stage of a file with stages.", show_default=False)] = None

    @property
    def words(self) -> str:
        """The file and its stage, as they are typed."""
        return shlex.join([str(self.file), *(["--stage", self.stage] if self.stage else [])])

    def resolve(self, *, quiet: bool = True, as_run: bool = False, is_preview: bool = False, is_redraw: bool = False) -> Resolved:
        """The tournament of the file, and all plugins.

        Args:
            quiet: whether nothing is said of what was left out of folders.
            as_run: whether its teams are those of the last run, without a look at their code; what has become of their files since
                is said.
            is_preview: whether the first teams of a stage that is not over stand in for those who will go on from it.
            is_redraw: whether teams that come from an earlier tournament are looked up again, although this one was begun.

        Raises:
            UserError: the file cannot be read, or has problems: all of them at once.
        """
        selection = Selection.from_environment(self.block or (), self.only)
        stage = self.stage or ""
        resolved = load_tournament(self.file, selection, as_run=as_run, stage=stage, is_preview=is_preview, is_redraw=is_redraw)
        for change in resolved.changes:
            say(f"note: {change}")
        if not quiet:
            say_left_out(resolved.left_out)
            say_notes(resolved.notes)
        return resolved

    def tournament(
        self, *, quiet: bool = True, as_run: bool = False, is_preview: bool = False, is_redraw: bool = False
    ) -> Tournament:
        """The tournament with the teams that may play, as far as that is known; see ``resolve``."""
        resolved = self.resolve(quiet=quiet, as_run=as_run, is_preview=is_preview, is_redraw=is_redraw)
        return with_teams_admitted_so_far(resolved.tournament, is_redraw=is_redraw)

    def stages(self) -> list[Stage]:
        """Those that a command is about, in order; empty for a file without stages, and where one was named."""
        return [] if self.stage else stages_of(self.file)

    def each_stage(
        self, act: Callable[[TournamentOptions], object], *, only_started: bool = False, heading: Callable[[str], object] = print
    ) -> None:
        """Do something for each stage, under its name; once for a file without stages, and where one was named.

        Args:
            act: gets these options with the stage.
            only_started: leave out stages that were not begun, except the first, of which ``act`` says so.
            heading: gets a line before each stage.
        """
        stages = self.stages()
        for number, stage in enumerate(stages):
            if number and only_started and not (stage.folder / STORE_NAME).is_file():
                heading(f"\nStage {stage.name}: not begun")
                continue
            heading(f"{chr(10) if number else ''}Stage {stage.name}")
            act(replace(self, stage=stage.name))
        if not stages:
            act(self)


def say_rounds(tournament: Tournament) -> None:
    """Say which rounds stand, and what changes in later ones."""
    for note in tournament.round_notes:
        say(f"note: {note}")


def say_still_drawn(tournament: Tournament) -> None:
    """Say who has left, but is in a new draw of all rounds."""
    for each in tournament.absences if tournament.format.draws == "all" else ():
        name = each.team.label
        say(f"note: {name} has left, but is still in the draw: its opponents win the games that it doesn't play")
        say(f"note: to draw without {name}, take it out of 'teams' and 'withdraw'")


def say_earlier(file: Path, earlier: OtherVersions, title: str = "note", tell: Callable[[str], object] = say) -> None:
    """Say which games were played with other code than there is now, if there are any."""
    if earlier:
        tell(f"{title}: {earlier.note}; 'tiltyard run {file}' plays {'it' if earlier.games == 1 else 'them'} again")


def say_voids(file: Path, voids: int, title: str = "not complete", tell: Callable[[str], object] = say) -> None:
    """Say which games failed because of the machine, if there are any."""
    if voids:
        does, again = ("doesn't", "it") if voids == 1 else ("don't", "them")
        failed = f"{counted(voids, 'game')} failed because of the machine and {does} count"
        tell(f"{title}: {failed}; 'tiltyard run {file}' plays {again} again")


def say_incomplete(file: Path, voids: int, missing: int = 0, folder: Path | None = None) -> None:
    """Say which games failed because of the machine, and which of the batch are missing; a run in ``folder`` may play them now."""
    say_voids(file, voids)
    if missing:
        how = "a run is playing them now" if folder and is_held(folder) else f"run 'tiltyard run {file}'"
        say(f"{counted(missing, 'game')} must still be played: {how}")
