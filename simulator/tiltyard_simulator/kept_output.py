"""What teams printed in the matches of a run, a file for each team and match that printed anything."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from tiltyard_simulator.fault_folders import folder_name
from tiltyard_simulator.specs import MatchOutcome, MatchSpec


@dataclass(slots=True)
class KeptOutput:
    """Writes ``<number>_<map>_<one>_<other>_player<k>.txt``; each holds at most the seat's limit of output."""

    folder: Path
    """Made with the first file."""
    problem: str = ""
    """Why the rest could not be kept, if so."""

    def finished(self, place: int, spec: MatchSpec, outcome: MatchOutcome) -> None:
        """Take a match that was played; never raises for what cannot be written."""
        for seat, account in enumerate(outcome.accounts, start=1):
            if account.output and not self.problem:
                try:
                    self.folder.mkdir(parents=True, exist_ok=True)
                    (self.folder / f"{folder_name(place, spec)}_player{seat}.txt").write_bytes(account.output)
                except OSError as error:
                    self.problem = f"{self.folder}: cannot be written: {error.strerror}"
