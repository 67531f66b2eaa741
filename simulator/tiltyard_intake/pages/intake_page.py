"""The report of an intake as one page: everything is in the one file, without a script, and opens from a disk or a mail."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final
from urllib.parse import quote

from tiltyard_intake.pages.likeness_page import LIKENESS_PAGE, write_likeness_page
from tiltyard_intake.pages.whole_page import whole_page
from tiltyard_intake.report.feedback import feedback_path
from tiltyard_intake.report.team_report import COUNTED, NOT_THERE, IntakeReport, TeamReport, Verdict
from tiltyard_intake.similarity.comparison import LEAST_SHARE
from tiltyard_intake.similarity.likeness import percent
from tiltyard_simulator.output.result_files import write_over

PAGE: Final = "report.html"
EXPLAINED: Final = {
    Verdict.UNREADABLE: "Their files can't be unpacked. They must hand in again.",
    Verdict.UNKNOWN: "Their files can't be made into a team. They must hand in again, or you can choose a recipe for them.",
    Verdict.UNEQUIPPED: "Their work needs packages that you didn't allow or that aren't available. Allow them with --allow, or"
    " ask the team to remove them.",
    Verdict.UNTRIED: "This machine lacks something that their work needs, so it was not tried. Install it, and run the intake"
    " again.",
    Verdict.UNBUILT: "A compiler or Python found an error, so there is no team. They must fix it and hand in again. The text"
    " for the team shows the first error.",
    Verdict.FAULTY: "Their team was built, but it can't be loaded, or it failed in a short match against itself. It is in the"
    " folder of teams. You decide whether it plays. The text for the team says what went wrong.",
    Verdict.ABSENT: "They are in the list of students, but handed in nothing.",
    Verdict.GONE: "They had a team, but their files are gone. Their team was moved aside.",
    Verdict.FOUND: "A recipe fits. Nothing was built yet.",
    Verdict.WHOLE: "Their work was built. It is a whole program and not a team, so it plays in no tournament. The note says how"
    " to run it.",
    Verdict.PLAYS: "They were built and played a short match against themselves without a fault.",
}
"""What each verdict means, for the lecturer."""


@dataclass(frozen=True, slots=True)
class VerdictGroup:
    """The teams of one verdict."""

    id: str
    title: str
    means: str
    teams: list[TeamReport]


def write_page(report: IntakeReport, folder: Path, name: str) -> Path:
    """Write the page into the folder of reports, and beside it the one of works that are alike.

    Args:
        report: of the whole class.
        folder: the folder of reports; the page links to what lies in it.
        name: of the class, for the page's title.

    Raises:
        UserError: it can't be written.
    """
    path = folder / PAGE
    write_likeness_page(report, folder, name)
    write_over(path, intake_page(report, name))
    return path


def intake_page(report: IntakeReport, name: str) -> str:
    """The page as HTML."""
    groups = list(_groups(report))
    by_verdict = {group.title: group for group in groups}
    groups_shown = [by_verdict[verdict] for verdict in COUNTED if verdict in by_verdict]
    return whole_page(
        "intake.html",
        name=name,
        game=report.game,
        handed_in=sum(len(group.teams) for group in groups if Verdict(group.title) not in NOT_THERE),
        lacks=list(report.lacks()),
        groups=groups,
        figures=[(group.id, len(group.teams), COUNTED[Verdict(group.title)][len(group.teams) != 1]) for group in groups_shown],
        skipped=report.skipped,
        likeness=report.likeness,
        labels={team.team: team.label for team in report.teams},
        least=percent(LEAST_SHARE),
        likeness_page=LIKENESS_PAGE,
        href=_href,
        feedback_path=feedback_path,
    )


def _groups(report: IntakeReport) -> Iterator[VerdictGroup]:
    everybody = report.sorted()
    for verdict in Verdict:
        if teams := [team for team in everybody if team.verdict is verdict]:
            yield VerdictGroup(verdict.name.lower(), verdict.value, EXPLAINED[verdict], teams)


def _href(path: str) -> str:
    """A path below the folder of reports, as a link."""
    return quote(path, safe="/", errors="surrogateescape")
