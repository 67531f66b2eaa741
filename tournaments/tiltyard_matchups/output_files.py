"""What a run writes beside its results: the games' output files, and what teams printed."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Final

from tiltyard_checks.faults.fault_folders import folder_name
from tiltyard_engine.data_classes import dataclass
from tiltyard_engine.errors import UserError
from tiltyard_engine.match_record import MatchRecord
from tiltyard_engine.texts.names import file_name
from tiltyard_matchups.new_file import write_new
from tiltyard_simulator.match.spec import MatchSpec

ROOM: Final = 48
"""Bytes of a file's name that stay free for a GameManager's suffix and a number."""


class LogWriter:
    """Writes each game's output file into the current folder, in the order of the schedule.

    So a game gets the same file name with any number of workers. If a file cannot be written, that is reported, but the run goes
    on, because the results are more important.
    """

    def __init__(self) -> None:
        self.status = 0
        """1 if a file could not be written."""
        self._next = 0
        self._early: dict[int, tuple[MatchSpec, MatchRecord]] = {}

    def finished(self, spec: MatchSpec, record: MatchRecord) -> None:
        """Add a game. Its file is written after those of all earlier games in the schedule."""
        self._early[spec.place.number] = (spec, record)
        while self._next in self._early:
            self._write(*self._early.pop(self._next))
            self._next += 1

    def close(self) -> None:
        """Write the files that still wait for games that were not played."""
        for place in sorted(self._early):
            self._write(*self._early.pop(place))

    def _write(self, spec: MatchSpec, record: MatchRecord) -> None:
        """``output_<map>_<manager>_<names>``, with a number if that name is taken."""
        if record.outcome.manager_fault is not None:
            return
        if not record.evidence.claim.log:
            print(
                f"{spec.input.manager.label} doesn't write output files ({spec.input.title})",
                file=sys.stderr,
            )
            return
        stem = file_name("_".join(["output", spec.input.map.name, spec.input.manager.label, *spec.input.names]), room=ROOM)
        try:
            write_new(Path(), stem, spec.input.manager.log_suffix, record.evidence.claim.log)
        except UserError as error:
            print(f"error: {error}", file=sys.stderr)
            self.status = 1


@dataclass(slots=True)
class KeptOutput:
    """Writes what teams printed to ``<number>_<map>_<one>_<other>_player<k>.txt``, up to each seat's limit of output."""

    folder: Path
    """Created with the first file."""
    problem: str = ""
    """Why some files could not be written; empty if all were."""

    def finished(self, spec: MatchSpec, record: MatchRecord) -> None:
        """Add a match that was played. Never raises if a file cannot be written."""
        for seat, account in enumerate(record.evidence.accounts, start=1):
            if account.output and not self.problem:
                try:
                    self.folder.mkdir(parents=True, exist_ok=True)
                    (self.folder / f"{folder_name(spec)}_player{seat}.txt").write_bytes(account.output)
                except OSError as error:
                    self.problem = f"{self.folder}: cannot be written: {error.strerror}"
