"""What commands share that take a tournament file or the output folder of a run."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import typer

from tiltyard_checks.runs.run_folder import is_run_folder
from tiltyard_engine.errors import UserError
from tiltyard_simulator.registry.isolation_policy import IsolationPolicy
from tiltyard_tournaments.cli.options import IsolationOptions, TrustNames, Unconfined
from tiltyard_tournaments.cli.tournament_options import TournamentOptions


@dataclass(frozen=True, slots=True)
class FileOrFolder(TournamentOptions):
    """A tournament file, or a run's output folder, which can't say what is trusted."""

    file: Annotated[
        Path, typer.Argument(help="A tournament file, or the output folder of a run, such as a round robin.", metavar="TOURNAMENT")
    ]
    trust: TrustNames = None
    unconfined: Unconfined = False

    @property
    def is_folder(self) -> bool:
        """Whether it is a run's output folder.

        Raises:
            UserError: it is, and options are given that only a file has.
        """
        if not is_run_folder(self.file):
            return False
        if self.stage:
            raise UserError(f"--stage {self.stage}: is for a tournament file; {self.file} is an output folder: leave --stage out")
        return True

    @property
    def policy(self) -> IsolationPolicy:
        """What the user allows to play of a folder."""
        return IsolationOptions(IsolationPolicy.from_environment().isolation, self.unconfined).policy(self.trust)

    def check_file(self) -> None:
        """Raise UserError if options are given that only a folder needs."""
        if self.trust or self.unconfined:
            raise UserError(f"{self.file} says what is trusted and what may run unconfined: leave --trust and --unconfined out")
