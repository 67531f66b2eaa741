"""What all parts of looking a tournament file up share: the file, where names are found, and what was found wrong."""

from __future__ import annotations

import os
from dataclasses import dataclass, field
from pathlib import Path

from tiltyard_engine.registry import Registry
from tiltyard_simulator.play.isolation_policy import IsolationPolicy
from tiltyard_tournaments.running.found_teams import KnownTeams
from tiltyard_tournaments.tournament_file.document import Document, KeyPath, dotted
from tiltyard_tournaments.tournament_file.model import TournamentKeys
from tiltyard_tournaments.tournament_file.problems import Problem


@dataclass(slots=True, kw_only=True)
class Lookup:
    """One look-up of all names of a file."""

    document: Document
    path: Path
    keys: TournamentKeys
    broken: set[str]
    """Keys that are told of already; what stands for them here is their default."""
    problems: list[Problem]
    registry: Registry = field(default_factory=Registry)
    policy: IsolationPolicy = field(default_factory=IsolationPolicy)
    known: KnownTeams = field(default_factory=KnownTeams)
    """The teams that a run has noted."""
    left_out: list[str] = field(default_factory=list)
    """What stands in the folders that the file names, and can't be used."""
    notes: list[str] = field(default_factory=list)
    """What is not as readers of the file may expect."""

    def problem(self, where: KeyPath, message: str) -> None:
        """Note what is wrong with a key, once."""
        if where and where[0] in self.broken:
            return
        self.problems.append(Problem(self.document.line_of(where), dotted(where), message))

    def in_folder(self, text: str) -> str:
        """A path as the file means it: relative to its own folder. What is no path stays as it is."""
        head = text.rpartition(":")[0] or text
        beside = self.path.parent / text
        if Path(text).is_absolute() or not (beside.exists() or (self.path.parent / head).exists() or "/" in text):
            return text
        return os.path.normpath(beside)
