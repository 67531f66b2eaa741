"""What an intake says of each team: a value for the machine, rows for a table, and a text for the team."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator
from enum import StrEnum
from pathlib import Path
from typing import Final

import msgspec

from tiltyard_engine.errors import UserError, file_errors
from tiltyard_simulator.play.result_files import write_over

REPORT: Final = "intake.json"
TABLE: Final = "intake.csv"
FEEDBACK: Final = "feedback"
COLUMNS: Final = ("team", "verdict", "what", "recipe", "handed in", "build s", "words")


class Verdict(StrEnum):
    """What became of a team, those first who need a word most."""

    UNREADABLE = "can't be opened"
    UNKNOWN = "not recognised"
    UNEQUIPPED = "lacks packages"
    UNBUILT = "doesn't build"
    FAULTY = "fails in a match"
    ABSENT = "nothing handed in"
    FOUND = "recognised"
    PLAYS = "plays"


class TeamReport(msgspec.Struct, frozen=True, kw_only=True):
    """One team."""

    label: str
    """Who handed it in, for people."""
    verdict: Verdict
    team: str = ""
    """What its files are called by."""
    student_id: str = ""
    members: tuple[str, ...] = ()
    handed_in: str = ""
    """ISO 8601; empty if it isn't known."""
    time_from: str = ""
    is_late: bool = False
    earlier: tuple[str, ...] = ()
    """Paths of earlier attempts."""
    found: str = ""
    """What it holds, in words."""
    files: int = 0
    recipe: str = ""
    ways: tuple[str, ...] = ()
    products: tuple[str, ...] = ()
    """Relative to the folder of teams."""
    seconds: float = 0.0
    """Of the build."""
    is_reused: bool = False
    digest: str = ""
    environment: str = ""
    """The digest of its own environment; empty: it runs on the runner's."""
    packages: tuple[str, ...] = ()
    """In its own environment, with versions."""
    error: str = ""
    notes: tuple[str, ...] = ()
    log: str = ""
    """The build's output, relative to the folder of reports."""


class IntakeReport(msgspec.Struct, frozen=True, kw_only=True):
    """A whole class."""

    game: str
    teams: tuple[TeamReport, ...] = ()
    skipped: tuple[tuple[str, str], ...] = ()
    """Paths that belong to no team, and why."""

    def sorted(self) -> list[TeamReport]:
        """Those first who need a word from the lecturer."""
        order = list(Verdict)
        return sorted(self.teams, key=lambda each: (order.index(each.verdict), not each.is_late, each.label.casefold(), each.label))

    def rows(self) -> Iterator[tuple[str, ...]]:
        """A row of COLUMNS for each team."""
        for each in self.sorted():
            late = " (late)" if each.is_late else ""
            seconds = "kept" if each.is_reused else f"{each.seconds:.1f}" if each.seconds else ""
            words = each.error or "; ".join(each.notes)
            yield (each.label, each.verdict.value, each.found, each.recipe, f"{each.handed_in[:16]}{late}", seconds, words)


def feedback(team: TeamReport) -> str:
    """A text that can be sent to the team."""
    lines = [f"{team.label}: {team.verdict.value}", ""]
    if team.found:
        lines.append(f"What was handed in {team.found}.")
    if team.recipe:
        lines.append(f"Read as: {team.recipe}{', built from ' + ' and '.join(team.ways) if team.ways else ''}.")
    if team.handed_in:
        lines.append(f"Handed in: {team.handed_in}{', which is late' if team.is_late else ''}.")
    if team.error:
        lines += ["", "What went wrong:", *(f"    {line}" for line in team.error.splitlines())]
    if team.notes:
        lines += ["", "Please note:", *(f"- {note}" for note in team.notes)]
    return "\n".join(lines) + "\n"


def write_report(report: IntakeReport, folder: Path) -> None:
    """Write the report for the machine, and the table. Each file is there as a whole or not at all.

    Raises:
        UserError: the folder can't be written.
    """
    with file_errors(folder, "written"):
        folder.mkdir(parents=True, exist_ok=True)
    write_over(folder / REPORT, msgspec.json.format(msgspec.json.encode(report), indent=2).decode())
    table = io.StringIO(newline="")
    writer = csv.writer(table)
    writer.writerow(COLUMNS)
    writer.writerows(report.rows())
    write_over(folder / TABLE, table.getvalue())


def write_feedback(team: TeamReport, folder: Path) -> None:
    """Write the text for a team.

    Raises:
        UserError: the folder can't be written.
    """
    with file_errors(folder, "written"):
        (folder / FEEDBACK).mkdir(parents=True, exist_ok=True)
    write_over(folder / FEEDBACK / f"{team.team}.txt", feedback(team))


def read_report(folder: Path) -> IntakeReport | None:
    """The report of an earlier intake; None if there is none.

    Raises:
        UserError: it can't be read.
    """
    path = folder / REPORT
    try:
        return msgspec.json.decode(path.read_bytes(), type=IntakeReport)
    except FileNotFoundError:
        return None
    except OSError as error:
        raise UserError(f"{path}: cannot be read: {error.strerror}") from error
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError) as error:
        raise UserError(
            f"{path}: isn't the report of an intake ({error}). Remove it, or choose another folder by --report"
        ) from error
