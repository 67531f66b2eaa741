"""One entry for each team, out of whatever shape was handed in, a list of students and a deadline."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Final

from tiltyard_engine.errors import UserError, some_of
from tiltyard_engine.errors.named_paths import near_path, refuse_address
from tiltyard_engine.texts.names import alike, looks_like, normal
from tiltyard_engine.texts.sanitize import LONGEST_NAME, one_line
from tiltyard_intake.archives.archive_kinds import is_archive, stem
from tiltyard_intake.archives.member import HandedInFile
from tiltyard_intake.exports.lms_exports import Skipped, SubmittedAttempt, TimeFrom, survey
from tiltyard_intake.exports.roster import Person, Roster
from tiltyard_intake.trees.file_names import file_stem

MOST_LEFT_OUT: Final = 5
"""Of what was left out, so many are named where nothing else is there."""
LONGEST_STEM: Final = 48
"""Characters: the names of plugins have at most 64, with what a recipe and a number add."""


@dataclass(frozen=True, kw_only=True, slots=True)
class ClassEntry:
    """What counts of one team's work."""

    label: str
    """The team for people: the group's or the student's name in the list of students, else as handed in. No two are equal."""
    student_id: str = ""
    """The number or user name that the platform or the list gives; empty for groups, and where there is none."""
    members: tuple[str, ...] = ()
    """Names, for groups and where the list has them."""
    sources: tuple[HandedInFile, ...]
    """All that belongs to the latest attempt."""
    handed_in: datetime | None = None
    """When, with a time zone; None if that isn't known."""
    time_from: TimeFrom = TimeFrom.UNKNOWN
    late: bool = False
    """Whether it came after the deadline, or the platform says so."""
    earlier: tuple[Path, ...] = ()
    """What belongs to earlier attempts, and doesn't count."""
    notes: tuple[str, ...] = ()
    """What people should know of how it was put together."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Listing:
    """Everything that was handed in: each path is a source, an earlier attempt, skipped, or an export that was opened."""

    entries: tuple[ClassEntry, ...]
    """Sorted by label."""
    skipped: tuple[Skipped, ...] = ()
    absent: tuple[str, ...] = ()
    """Students and groups in the list from whom there is nothing."""
    archives: tuple[tuple[Path, Path], ...] = ()
    """Exports that are archives, each with the folder that it was unpacked to."""

    def check_not_empty(self, handed_in: Path) -> None:
        """Raise UserError if nobody has handed anything in."""
        if self.entries:
            return
        left_out = some_of([f"{one_line(each.path.name, LONGEST_NAME)} {each.reason}" for each in self.skipped], MOST_LEFT_OUT)
        raise UserError(
            f"{handed_in}: contains no team's work{f' ({left_out})' if left_out else ''}; expected a folder, an archive or a"
            " file for each team, or a download of Moodle, Canvas, Gradescope or GitHub Classroom"
        )


def read_entries(
    handed_in: Path,
    *,
    work: Path,
    roster: Roster | None = None,
    deadline: datetime | None = None,
    outputs: Mapping[Path, str] | None = None,
) -> Listing:
    """Find the teams in what was handed in.

    Args:
        handed_in: a folder, or an export that is one archive; see docs/reference/intake-shapes.md.
        work: a folder of ours, for exports that have to be unpacked. It must last as long as the entries' sources are used.
        roster: who takes part, from ``read_roster``. Students who share a group there are one team.
        deadline: what came later is late. Without a time zone, it is this machine's.
        outputs: what the command writes, with the option for another place, and what it reads, without any. Where it lies among
            what was handed in, nobody handed it in.

    Raises:
        UserError: nothing can be read there, or the command would write into it.
    """
    outputs = {path.resolve(): option for path, option in (outputs or {}).items()}
    _check_written(handed_in, "", outputs)
    surveyed = survey(handed_in, work, frozenset(outputs))
    for attempt in surveyed.attempts:
        for source in attempt.sources:
            _check_written(source.path, attempt.label, outputs)
    teams: dict[str, list[SubmittedAttempt]] = defaultdict(list)
    people: dict[str, tuple[Person, ...]] = {}
    mixed: set[str] = set()
    for attempt in surveyed.attempts:
        who = _people(attempt, roster) if roster else ()
        team, members = _team(attempt, who, roster)
        teams[team].append(attempt)
        people.setdefault(team, members)
        if not set(who) <= set(members):
            mixed.add(team)
    # A time without a zone is local.
    latest = deadline.astimezone(UTC) if deadline else None
    entries = [_entry(attempts, people[team], latest) for team, attempts in teams.items()]
    if roster:
        entries = [_with_doubts(entry, is_on_list=bool(people[team]), mixed=team in mixed) for entry, team in zip(entries, teams)]
    absent = _absent(roster, people.values()) if roster else ()
    marked = _with_lookalikes(_told_apart(entries), absent)
    return Listing(
        entries=tuple(sorted(marked, key=lambda entry: (entry.label.casefold(), entry.label))),
        skipped=tuple(sorted(surveyed.skipped)),
        absent=absent,
        archives=tuple(surveyed.archives),
    )


def _check_written(place: Path, label: str, outputs: Mapping[Path, str]) -> None:
    """Raise UserError if the command would write where the download lies, or into what somebody handed in."""
    whole = place.resolve()
    for path, option in outputs.items():
        if option and (path == whole or (label and path.is_relative_to(whole))):
            whose = f"in what '{one_line(label, LONGEST_NAME)}' handed in" if label else "where what was handed in lies"
            raise UserError(f"{path}: would be written {whose} ({place}); choose another folder with {option}")


def one_entry(handed_in: Path) -> Listing:
    """All that lies there as the work of one team, which is called by the name of the file or folder.

    Raises:
        UserError: there is no such file or folder.
    """
    if not handed_in.exists():
        refuse_address(str(handed_in))
        near = near_path(handed_in) or "; expected a team's work"
        raise UserError(f"{handed_in}: no such file or folder{near}")
    path = handed_in.resolve()
    is_folder = path.is_dir()
    label = path.name if is_folder else stem(path.name) if is_archive(path) else path.stem
    return Listing(entries=(ClassEntry(label=normal(label), sources=(HandedInFile(path, "" if is_folder else path.name),)),))


def _people(attempt: SubmittedAttempt, roster: Roster) -> tuple[Person, ...]:
    """Who handed it in, by ids before names."""
    matches = [roster.by_id(word) for word in attempt.ids] + [roster.by_name(name) for name in attempt.members]
    if people := [person for person in matches if person]:
        return tuple(dict.fromkeys(people))
    if attempt.student_id and (person := roster.by_id(attempt.student_id)):
        return (person,)
    if group := roster.group(attempt.label):
        return group
    if person := roster.by_id(attempt.label) or roster.by_name(attempt.label):
        return (person,)
    return roster.named_in(attempt.label)


def _team(attempt: SubmittedAttempt, who: Sequence[Person], roster: Roster | None) -> tuple[str, tuple[Person, ...]]:
    """What is equal for attempts of one team, and its people. The first member with a group says which group it is."""
    if not who or roster is None:
        return f"unlisted/{attempt.key}", ()
    grouped = next((person for person in who if person.group), None)
    if grouped:
        members = roster.group(grouped.group)
        return f"group/{members[0].line}", members
    return f"people/{sorted(person.line for person in who)}", tuple(who)


def _with_doubts(entry: ClassEntry, *, is_on_list: bool, mixed: bool) -> ClassEntry:
    doubts = [] if is_on_list else ["not in the list of students"]
    if mixed:
        doubts.append("others who handed in this work are not in its group")
    return replace(entry, notes=(*entry.notes, *doubts))


def _entry(attempts: Sequence[SubmittedAttempt], people: Sequence[Person], deadline: datetime | None) -> ClassEntry:
    ordered = sorted(attempts, key=_how_late)
    *before, latest = ordered
    notes: list[str] = []
    if before and (latest.rank == before[-1].rank and (latest.handed_in is None or before[-1].handed_in is None)):
        notes.append(f"which of {len(ordered)} attempts is the latest can't be seen: {_first_name(latest)} was used")
    grouped = bool(people) and bool(people[0].group)
    label = people[0].group if grouped else ", ".join(person.name for person in people) or latest.label
    single = people[0] if len(people) == 1 else None
    return ClassEntry(
        label=label,
        student_id=single.ids[0] if single and single.ids else "" if grouped else latest.student_id,
        members=tuple(person.name for person in people) or latest.members,
        sources=latest.sources,
        handed_in=latest.handed_in,
        time_from=latest.time_from,
        late=latest.late or bool(deadline and latest.handed_in and latest.handed_in > deadline),
        earlier=tuple(
            sorted(
                [*latest.earlier, *(path for old in before for path in (*old.earlier, *(source.path for source in old.sources)))]
            )
        ),
        notes=tuple(notes),
    )


def _how_late(attempt: SubmittedAttempt) -> tuple[int, bool, float, bool, str]:
    """Attempts in order: by the export's numbers, then by time; where that says nothing, an archive is later than its contents."""
    time = attempt.handed_in.timestamp() if attempt.handed_in else 0.0
    archive = any(is_archive(source.path) for source in attempt.sources)
    return attempt.rank, attempt.handed_in is not None, time, archive, str(attempt.sources[0].path)


def _first_name(attempt: SubmittedAttempt) -> str:
    return f"'{attempt.sources[0].path.name}'"


def _told_apart(entries: Sequence[ClassEntry]) -> list[ClassEntry]:
    """Labels that are equal get the student's number behind them, or else a number of ours."""
    counts: dict[str, int] = defaultdict(int)
    for entry in entries:
        counts[entry.label] += 1
    entries_apart: list[ClassEntry] = []
    unique = {label for label, count in counts.items() if count == 1}
    for entry in entries:
        label, number = entry.label, 2
        if counts[label] > 1:
            label = f"{entry.label} ({entry.student_id})" if entry.student_id else entry.label
            while label in unique:
                label, number = f"{entry.label} ({number})", number + 1
            unique.add(label)
        entries_apart.append(replace(entry, label=label))
    return entries_apart


def _with_lookalikes(entries: Sequence[ClassEntry], absent: Sequence[str]) -> list[ClassEntry]:
    """The entries, with a note on each whose label looks like another's."""
    notes: dict[str, list[str]] = defaultdict(list)
    for pair in alike([*(entry.label for entry in entries), *absent]):
        for label in pair[:2]:
            notes[label].append(looks_like(*pair))
    return [replace(entry, notes=(*entry.notes, *notes[entry.label])) for entry in entries]


def _absent(roster: Roster, present: Iterable[Sequence[Person]]) -> tuple[str, ...]:
    """Groups and students of whom nothing came, in the list's order. A group is there if any of its members is."""
    attending = {person for people in present for person in people}
    groups = {person.group for person in attending if person.group}
    missing = [person for person in roster.people if person not in attending and (not person.group or person.group not in groups)]
    return tuple(dict.fromkeys(person.group or person.name for person in missing))


def named_entries(entries: tuple[ClassEntry, ...]) -> Iterator[tuple[ClassEntry, str]]:
    """Each entry with a name for files, no two alike even where capitals don't count."""
    names: set[str] = set()
    for entry in entries:
        stem = file_stem(entry.label)[:LONGEST_STEM].rstrip("._-")
        name = stem
        number = 1
        while name.casefold() in names:
            number += 1
            name = f"{stem}_{number}"
        names.add(name.casefold())
        yield entry, name
