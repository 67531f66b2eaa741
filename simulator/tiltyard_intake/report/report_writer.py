"""The report and the record of the folder of teams on disk while an intake runs: nothing that was done is missing after a kill."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Final

from msgspec.structs import replace

from tiltyard_intake.report.feedback import write_feedback
from tiltyard_intake.report.team_record import add_to_team_folder, write_team_folder
from tiltyard_intake.report.team_report import IntakeReport, TeamReport, add_to_report, write_report

SHARE: Final = 10
"""The whole is written again when this part of it is new, so that all the writing together grows with the number of teams."""


class ReportWriter:
    """The report of a class that grows team by team.

    Args:
        report: without the teams that are still to come.
        before: what an earlier intake said about teams, by their names.
        reports: the folder of reports.
        into: the folder of teams.
        is_dry: nothing is written.
    """

    def __init__(
        self, report: IntakeReport, before: Mapping[str, TeamReport], *, reports: Path, into: Path, is_dry: bool = False
    ) -> None:
        self._report = report
        self._before = before
        self._reports = reports
        self._into = into
        self._is_dry = is_dry
        self._teams = list(report.teams)
        self._new = 0

    @property
    def report(self) -> IntakeReport:
        """What was said until now."""
        return replace(self._report, teams=tuple(self._teams))

    def add(self, team: TeamReport) -> None:
        """Report the result for a team.

        Raises:
            UserError: a folder can't be written.
        """
        self._teams.append(team)
        if self._is_dry:
            return
        self._new += 1
        write_feedback(team, self._reports)
        if self._new * SHARE >= len(self._teams):
            self.write()
        else:
            add_to_report(team, self._reports)
            add_to_team_folder(team, self._into)

    def write(self) -> None:
        """Write the whole.

        Raises:
            UserError: a folder can't be written.
        """
        # Teams of last time that are still waited for stay known, so that nothing that they left behind is forgotten.
        current = {each.team for each in self._teams}
        waiting = (each for team, each in self._before.items() if team not in current)
        whole = replace(self._report, teams=(*self._teams, *waiting))
        write_report(whole, self._reports)
        write_team_folder(whole, self._into)
        self._new = 0
