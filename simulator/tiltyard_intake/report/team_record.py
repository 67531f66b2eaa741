"""What an intake leaves in the folder of teams for those who play it: who each file is of, and whose work became no team.

It lies in that folder, so that it comes along wherever the folder is copied to.
"""

from __future__ import annotations

from pathlib import Path

import msgspec

from tiltyard_engine.errors import file_errors
from tiltyard_engine.texts.public_text import public_text
from tiltyard_engine.texts.sanitize import one_line
from tiltyard_intake.report.team_report import NO_TEAM, IntakeReport, TeamReport, Verdict, add_line, first_line
from tiltyard_simulator.output.result_files import write_over
from tiltyard_simulator.teams import TEAMS_RECORD
from tiltyard_simulator.teams.team_folder import LONGEST_REASON, NEWER, NewerTeam, TeamFolder


def write_team_folder(report: IntakeReport, folder: Path) -> None:
    """Write the record of a folder of teams; it is there as a whole or not at all.

    Raises:
        UserError: it can't be written.
    """
    labels = {name: each.label for each in report.teams for name in each.products}
    out = tuple((each.label, reason) for each in report.sorted() if (reason := _why_not_admitted(each)))
    with file_errors(folder, "written"):
        folder.mkdir(parents=True, exist_ok=True)
    record = TeamFolder(labels=labels, not_admitted=out)
    write_over(folder / TEAMS_RECORD, msgspec.json.format(msgspec.json.encode(record), indent=2).decode())
    with file_errors(folder / NEWER, "removed"):
        (folder / NEWER).unlink(missing_ok=True)


def add_to_team_folder(team: TeamReport, folder: Path) -> None:
    """Note what is there of a team, until the record is written again. ``read_team_folder`` knows it from now on.

    Raises:
        UserError: it can't be written.
    """
    add_line(folder / NEWER, NewerTeam(label=team.label, files=team.products, reason=_why_not_admitted(team)))


def _why_not_admitted(team: TeamReport) -> str:
    """Empty for a team that is there, or from whom there is nothing."""
    if team.verdict not in NO_TEAM or team.products:
        return ""
    return one_line(public_text(f"{team.verdict.value}: {_reason(team)}"), LONGEST_REASON)


def _reason(team: TeamReport) -> str:
    """What the others should know: not all that might have been handed in instead."""
    if team.verdict is Verdict.UNKNOWN and team.error.startswith("expected "):
        return team.found.removeprefix("holds ")
    return first_line(team.error)
