"""What an intake says about each team: a value for the machine, and rows for a table."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterator, Mapping
from datetime import datetime
from enum import StrEnum
from pathlib import Path
from typing import Final, TypeVar

import msgspec

from tiltyard_engine.errors import UserError, file_errors, some_of
from tiltyard_engine.texts.sanitize import one_line
from tiltyard_intake.similarity.likeness import Likeness
from tiltyard_kit.sheet import Column, Sheet
from tiltyard_simulator.output.result_files import write_over
from tiltyard_simulator.teams.line_files import read_lines

S = TypeVar("S", bound=msgspec.Struct)
REPORT: Final = "intake.json"
NEWER: Final = "intake.newer.jsonl"
"""The results for teams since the report was last written, a line each."""
TABLE: Final = "intake.csv"
MOST_BYTES: Final = 256 << 20
"""Of a report that is read."""


class Verdict(StrEnum):
    """The result for a team: first what the organiser must mend, then what the teams must."""

    UNTRIED = "can't be tried here"
    UNREADABLE = "can't be opened"
    UNKNOWN = "not recognised"
    UNEQUIPPED = "lacks packages"
    UNBUILT = "doesn't build"
    FAULTY = "fails in a match"
    ABSENT = "nothing handed in"
    GONE = "not handed in any more"
    FOUND = "recognised"
    WHOLE = "whole program"
    PLAYS = "plays"


COUNTED: Final[Mapping[Verdict, tuple[str, str]]] = {
    Verdict.PLAYS: ("plays", "play"),
    Verdict.WHOLE: ("is a whole program", "are whole programs"),
    Verdict.FOUND: ("recognised", "recognised"),
    Verdict.FAULTY: ("fails in a match", "fail in a match"),
    Verdict.UNBUILT: ("doesn't build", "don't build"),
    Verdict.UNTRIED: ("can't be tried here", "can't be tried here"),
    Verdict.UNEQUIPPED: ("lacks packages", "lack packages"),
    Verdict.UNKNOWN: ("not recognised", "not recognised"),
    Verdict.UNREADABLE: ("can't be opened", "can't be opened"),
    Verdict.ABSENT: ("handed in nothing", "handed in nothing"),
    Verdict.GONE: ("is not handed in any more", "are not handed in any more"),
}
"""The verdicts behind a number, one or several."""
BUILT: Final = frozenset({Verdict.PLAYS, Verdict.WHOLE})
"""Whether there is a result, and nothing is wrong with it."""
NO_TEAM: Final = frozenset({Verdict.UNREADABLE, Verdict.UNKNOWN, Verdict.UNEQUIPPED, Verdict.UNTRIED, Verdict.UNBUILT})
"""Something was handed in, but it is no team."""
NOT_THERE: Final = frozenset({Verdict.ABSENT, Verdict.GONE})


class TeamReport(msgspec.Struct, frozen=True, kw_only=True):
    """The result of one team's work."""

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
    """Paths of earlier attempts, in what was handed in."""
    found: str = ""
    """What it holds, in words."""
    files: int = 0
    recipe: str = ""
    title: str = ""
    """The recipe's, for people."""
    ways: tuple[str, ...] = ()
    protocol: str = ""
    """Which of the game's its program speaks, by its sources or by its first match; empty if there is one, or it isn't known."""
    products: tuple[str, ...] = ()
    """Relative to the folder of teams."""
    seconds: float = 0.0
    """Of the build."""
    is_reused: bool = False
    digest: str = ""
    """Of the build that the products are from."""
    environment: str = ""
    """The digest of its own environment; empty: it runs on the runner's."""
    packages: tuple[str, ...] = ()
    """In its own environment, with versions."""
    error: str = ""
    lacks: str = ""
    """What this machine would need to try it."""
    notes: tuple[str, ...] = ()
    log: str = ""
    """The build's output, relative to the folder of reports."""
    smoke: str = ""
    """How long the first match was, and on which map."""
    smoke_limits: str = ""
    """Under which it was played: under others it is played again."""
    replaced: tuple[str, ...] = ()
    """What played for it before, relative to the folder of reports, the oldest first."""
    sources: str = ""
    """A copy of what was handed in, relative to the folder of reports."""
    older_sources: tuple[str, ...] = ()
    """The same of attempts before, the oldest first."""
    earlier_plays: bool = False
    """Whether the products are those of a previous attempt."""
    earlier_handed_in: str = ""
    """When that was handed in, as ``handed_in``."""
    as_it_is: str = ""
    """Where it lies, if it plays without being built."""

    @property
    def playing_since(self) -> str:
        """When what plays was handed in; ISO 8601, empty if it isn't known."""
        return self.earlier_handed_in if self.earlier_plays else self.handed_in


class IntakeReport(msgspec.Struct, frozen=True, kw_only=True):
    """The result of a whole class."""

    game: str
    teams: tuple[TeamReport, ...] = ()
    skipped: tuple[tuple[str, str], ...] = ()
    """Paths that belong to no team, and why."""
    likeness: Likeness | None = None
    """Which works are alike, for the organiser alone: it isn't with a team, since texts for teams are made from that."""

    def sorted(self) -> list[TeamReport]:
        """The teams in order, first those that the lecturer should contact."""
        order = list(Verdict)
        return sorted(
            self.teams,
            key=lambda each: (order.index(each.verdict), not each.is_late, not each.notes, each.label.casefold(), each.label),
        )

    def lacks(self) -> Iterator[str]:
        """What this machine lacks, a sentence each, with whose work waits for it."""
        waiting: dict[str, list[TeamReport]] = {}
        for each in self.sorted():
            if each.verdict is Verdict.UNTRIED:
                waiting.setdefault(each.lacks, []).append(each)
        for lack, teams in waiting.items():
            titles = {each.title for each in teams}
            alike = [each for each in self.teams if each.title in titles]
            whose = "nobody's work can" if len(teams) == len(alike) else f"{len(teams)} of {len(alike)} works can't"
            names = some_of([one_line(each.label) for each in teams])
            yield (
                f"this machine lacks {lack}: {whose} be built here that was read as {' or '.join(sorted(titles))} ({names})."
                " It isn't their fault. Install it, then take them in again ('tiltyard explain missing-compiler' says how)"
            )

    def sheet(self) -> Sheet[TeamReport]:
        """The table of the class. In a file, what was left out has a line too."""
        alike = self.likeness.words_of({each.team: each.label for each in self.teams}) if self.likeness is not None else {}

        def words(team: TeamReport) -> str:
            return "; ".join(filter(None, ("; ".join(team.error.splitlines() or team.notes), alike.get(team.team, ""))))

        left_out = [{"verdict": "left out", "what": path, "words": reason} for path, reason in self.skipped]
        return Sheet((*COLUMNS, Column("words", words, is_whole=True)), self.sorted(), left_out)

    def summary(self) -> str:
        """How many there are of each: ``60 handed in: 47 play, 13 don't build; 2 handed in nothing``."""
        counts = Counter(each.verdict for each in self.teams)
        numbers = {verdict: counted(counts[verdict], verdict) for verdict in COUNTED if counts[verdict]}
        there = ", ".join(words for verdict, words in numbers.items() if verdict not in NOT_THERE)
        away = ", ".join(words for verdict, words in numbers.items() if verdict in NOT_THERE)
        handed_in = sum(number for verdict, number in counts.items() if verdict not in NOT_THERE)
        return "; ".join(filter(None, (f"{handed_in} handed in{f': {there}' if there else ''}", away)))


def encodable(report: S) -> S:
    """The report, fit for a file: names that aren't UTF-8 have escapes in place of what can't be written."""
    value: S = msgspec.convert(_encodable(msgspec.to_builtins(report)), type(report))
    return value


def _encodable(value: object) -> object:
    if isinstance(value, str):
        return value.encode("utf-8", "backslashreplace").decode()
    if isinstance(value, dict):
        return {key: _encodable(each) for key, each in value.items()}
    return [_encodable(each) for each in value] if isinstance(value, list | tuple) else value


def counted(number: int, verdict: Verdict) -> str:
    """A number of teams with their verdict: ``3 don't build``."""
    return f"{number} {COUNTED[verdict][number != 1]}"


def first_line(text: str) -> str:
    """The first line of an error, for where there is room for one."""
    return text.splitlines()[0] if text else ""


def time_in_words(handed_in: str) -> str:
    """A time of a report as people write it, in this machine's time zone."""
    try:
        return datetime.fromisoformat(handed_in).astimezone().strftime("%Y-%m-%d %H:%M") if handed_in else ""
    except (ValueError, OverflowError):
        return handed_in


COLUMNS: Final = (
    Column[TeamReport]("team", lambda team: team.label),
    Column[TeamReport]("id", lambda team: team.student_id, is_for_files=True),
    Column[TeamReport]("members", lambda team: ", ".join(team.members), is_for_files=True),
    Column[TeamReport]("verdict", lambda team: team.verdict.value),
    Column[TeamReport]("what", lambda team: team.found.removeprefix("holds ")),
    Column[TeamReport]("recipe", lambda team: team.recipe),
    Column[TeamReport]("handed in", lambda team: f"{time_in_words(team.handed_in)}{' (late)' if team.is_late else ''}"),
    Column[TeamReport]("build s", lambda team: "kept" if team.is_reused else f"{team.seconds:.1f}" if team.seconds else ""),
    Column[TeamReport]("smoke match", lambda team: team.smoke, is_for_files=True),
)
"""Of a class's table; the last one, for words, also knows the other teams."""


def write_report(report: IntakeReport, folder: Path) -> None:
    """Write the report for the machine, and the table. Each file is there as a whole or not at all.

    Raises:
        UserError: the folder can't be written.
    """
    with file_errors(folder, "written"):
        folder.mkdir(parents=True, exist_ok=True)
    write_over(folder / REPORT, msgspec.json.format(msgspec.json.encode(report), indent=2).decode())
    write_over(folder / TABLE, report.sheet().csv())
    with file_errors(folder / NEWER, "removed"):
        (folder / NEWER).unlink(missing_ok=True)


def add_to_report(team: TeamReport, folder: Path) -> None:
    """Note the result for a team, until the report is written again. ``read_report`` knows it from now on.

    Raises:
        UserError: the folder can't be written.
    """
    add_line(folder / NEWER, team)


def read_report(folder: Path) -> IntakeReport | None:
    """The report of an earlier intake; None if there is none.

    Raises:
        UserError: it can't be read.
    """
    path = folder / REPORT
    try:
        with path.open("rb") as file:
            data = file.read(MOST_BYTES + 1)
        if len(data) > MOST_BYTES:
            raise UserError(f"{path}: isn't the report of an intake: more than {MOST_BYTES:,} bytes")
        report = msgspec.json.decode(data, type=IntakeReport)
    except FileNotFoundError:
        return None
    except OSError as error:
        raise UserError(f"{path}: cannot be read: {error.strerror}") from error
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError) as error:
        raise UserError(
            f"{path}: isn't the report of an intake ({error}). Remove it, or choose another folder by --report"
        ) from error
    newer = {each.team: each for each in read_lines(folder / NEWER, TeamReport)}
    labels = {each.label for each in newer.values()}
    # One of whom there was nothing may have handed in since.
    older = (each for each in report.teams if each.team not in newer and (each.team or each.label not in labels))
    return msgspec.structs.replace(report, teams=(*older, *newer.values())) if newer else report


def add_line(path: Path, value: msgspec.Struct) -> None:
    """Add a value as a line. It is there as a whole, or readers leave it out.

    Raises:
        UserError: it can't be written.
    """
    with file_errors(path, "written"), path.open("ab") as file:
        # What a full disk or a kill has cut off must not swallow the next line.
        begins = b"\n" if file.tell() and not _ends_a_line(path) else b""
        file.write(begins + msgspec.json.encode(value) + b"\n")


def _ends_a_line(path: Path) -> bool:
    with path.open("rb") as file:
        file.seek(-1, os.SEEK_END)
        return file.read(1) == b"\n"
