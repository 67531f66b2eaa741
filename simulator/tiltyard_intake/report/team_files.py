"""What intakes have put into the folder of teams: it is noted before it is put there, and removed once no team has it any more."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path, PurePath
from typing import Final

from tiltyard_engine.errors import file_errors
from tiltyard_intake.building.products import remove
from tiltyard_intake.report.team_report import IntakeReport, TeamReport

PLACES: Final = "placed.txt"
"""What an intake has put into the folder of teams, until its report says it."""


class TeamFiles:
    """What this intake and earlier ones have put there."""

    def __init__(self, into: Path, reports: Path, before: Mapping[str, TeamReport]) -> None:
        self._into = into
        self._notes = reports / PLACES
        self._before = before

    def note(self, places: Sequence[str]) -> None:
        """Note what will be put there, so that it is known even if this process is killed then."""
        with file_errors(self._notes, "written"), self._notes.open("a") as file:
            file.writelines(f"{place}\n" for place in places)

    def remove_old(self, team_report: TeamReport) -> None:
        """Remove what an earlier attempt of the team put there and this one didn't."""
        old = self._before.get(team_report.team)
        if old is not None:
            self._remove(set(old.products) - set(team_report.products))

    def remove_others(self, report: IntakeReport) -> None:
        """Remove all that the report doesn't name."""
        self._remove(self._file_names() - {name for each in report.teams for name in each.products})

    def forget_notes(self) -> None:
        """The report on disk says it all now."""
        self._notes.unlink(missing_ok=True)

    def _file_names(self) -> set[str]:
        """All that this intake, or earlier ones, put there or were about to."""
        names = {name for each in self._before.values() for name in each.products}
        with file_errors(self._notes, "read"), suppress(FileNotFoundError):
            names.update(self._notes.read_text().splitlines())
        return names

    def _remove(self, names: Iterable[str]) -> None:
        for name in names:
            # The report may have been changed, and must not lead out of the folder.
            plain = PurePath(name)
            if not plain.parts or ".." in plain.parts or plain.is_absolute() or "\0" in name:
                continue
            with file_errors(self._into / name, "removed"):
                remove(self._into / name)
