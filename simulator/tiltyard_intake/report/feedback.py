"""The text for a team: the result of what it handed in, ready to be sent."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Final

from tiltyard_engine.errors import file_errors
from tiltyard_engine.texts.public_text import public_text
from tiltyard_engine.texts.sanitize import lines, one_line
from tiltyard_intake.report.team_report import TeamReport, Verdict, time_in_words
from tiltyard_simulator.output.result_files import write_over

FEEDBACK: Final = "feedback"
MOST_LINES: Final = 60
"""Of what a build printed, the last ones."""
OPENING: Final[Mapping[Verdict, str]] = {
    Verdict.UNREADABLE: "Your work can't be opened, so you have no team yet.",
    Verdict.UNKNOWN: "Your work can't be made into a team as it is, so you have no team yet.",
    Verdict.UNEQUIPPED: "Your work needs packages that aren't available, so you have no team yet.",
    Verdict.UNTRIED: "Your work could not be tried, because the course's machine lacks something. This says nothing about your"
    " work. You don't need to do anything: the organiser was told.",
    Verdict.UNBUILT: "Your work doesn't build, so you have no team yet.",
    Verdict.FAULTY: "Your work was built, but it failed in a short match against itself.",
    Verdict.WHOLE: "Your work was built. It is a whole program and not a team, so it plays in no tournament.",
    Verdict.PLAYS: "Your work was built, and it plays.",
}
EARLIER_PLAYS: Final = "Your latest work can't play, so your previous work still plays."
NEXT: Final[Mapping[Verdict, str]] = {
    Verdict.UNREADABLE: "Fix this, and hand in again.",
    Verdict.UNKNOWN: "Fix this, and hand in again.",
    Verdict.UNEQUIPPED: "Remove them, or ask the organiser to allow them, and hand in again.",
    Verdict.UNBUILT: "Fix this, copy your files to an empty folder, try them there with 'tiltyard check FILE', then hand in again.",
    Verdict.FAULTY: "Fix this, and hand in again. 'tiltyard check FILE' plays such matches on your own machine.",
}
"""What to do after each refusal."""
HELPER: Final = re.compile(r"\$ python3 (.* )?headers/[^ ]*\.py\b")
TIMES: Final = {"file": ", by the file's own time", "archive": ", by the time in the download"}
HEADINGS: Final[Mapping[Verdict, str]] = {
    Verdict.UNREADABLE: "What to do:",
    Verdict.UNKNOWN: "What is wrong:",
    Verdict.UNTRIED: "What the machine lacks:",
    Verdict.UNBUILT: "The first error:",
    Verdict.FAULTY: "What went wrong:",
}


def feedback(team: TeamReport, output: str = "") -> str:
    """The text.

    Args:
        team: the result of its work.
        output: what its build printed; quoted where the build failed.
    """
    return "\n".join(_lines(team, output)) + "\n"


def _lines(team: TeamReport, output: str) -> Iterator[str]:
    yield one_line(team.label)
    yield ""
    yield EARLIER_PLAYS if team.earlier_plays else OPENING.get(team.verdict, f"{team.verdict.value}.")
    if team.error:
        yield ""
        yield HEADINGS.get(team.verdict, "What went wrong:")
        yield from (f"    {line}" for line in clean(team.error).splitlines())
        if team.verdict in NEXT:
            yield NEXT[team.verdict]
    if team.packages:
        yield ""
        yield f"Packages of your own: {one_line(', '.join(team.packages))}"
    if team.notes:
        yield ""
        yield "Notes:"
        yield from (f"- {clean(note)}" for note in team.notes)
    yield ""
    if team.handed_in:
        own = TIMES.get(team.time_from, "")
        yield f"Handed in: {time_in_words(team.handed_in)}{own}{', which is late' if team.is_late else ''}"
    if team.found:
        yield f"Found in it: {clean(team.found.removeprefix('holds '))}"
    if team.recipe:
        ways = f", from {' and '.join(team.ways)}" if team.ways else ""
        yield f"Read as: {team.title or team.recipe}{ways}"
    if team.smoke:
        yield f"Match against itself: {team.smoke}"
    if team.verdict is Verdict.UNBUILT and output.strip():
        # Only the course has the helpers of a recipe, so students can't use the commands that run them.
        lines = [line for line in clean(output).strip("\n").splitlines() if not HELPER.match(line)]
        yield ""
        yield "What the build printed:" if len(lines) <= MOST_LINES else f"The last {MOST_LINES} lines that the build printed:"
        yield from (f"    {line}".rstrip() for line in lines[-MOST_LINES:])


def clean(text: str) -> str:
    """Text of strangers and of tools, fit for a team: without paths of the machine that builds."""
    return lines(public_text(text))


def write_feedback(team: TeamReport, folder: Path) -> None:
    """Write the text for a team into the folder of reports.

    Raises:
        UserError: the folder can't be written.
    """
    output = ""
    if team.log and team.verdict is Verdict.UNBUILT:
        with file_errors(folder / team.log, "read"):
            output = (folder / team.log).read_text(encoding="utf-8", errors="replace")
    with file_errors(folder, "written"):
        (folder / FEEDBACK).mkdir(parents=True, exist_ok=True)
    write_over(folder / feedback_path(team), feedback(team, output))


def feedback_path(team: TeamReport) -> str:
    """Where a team's text is, relative to the folder of reports."""
    return f"{FEEDBACK}/{team.team}.txt"
