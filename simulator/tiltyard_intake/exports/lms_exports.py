"""The shapes that handed-in work has: what a platform exported, clones, or one folder, archive or file for each team.

A shape is told by names alone. Each thing in the folder ends in an attempt or among what was skipped, with a reason.
"""

from __future__ import annotations

import os
import shutil
import stat
import tempfile
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from enum import StrEnum
from pathlib import Path
from typing import Final

from tiltyard_engine.errors import UserError, file_errors
from tiltyard_engine.errors.named_paths import near_path, refuse_address
from tiltyard_engine.texts.names import normal
from tiltyard_intake.archives.archive_kinds import has_archive_name, is_archive, is_part, stem
from tiltyard_intake.archives.bounds import BOUNDS, EXPORT_BOUNDS, Account, Bounds
from tiltyard_intake.archives.folders import each_file
from tiltyard_intake.archives.member import HandedInFile
from tiltyard_intake.archives.unpack_errors import UnpackError
from tiltyard_intake.exports import gradescope
from tiltyard_intake.exports.lms_names import NamedFile, again, canvas, common_start, moodle
from tiltyard_intake.exports.peek import Peek, has_export, is_class, peek
from tiltyard_intake.trees.bounded_reading import never, read_bounded
from tiltyard_intake.trees.file_names import copied
from tiltyard_intake.trees.junk import NEVER_FILES, NEVER_FOLDERS, NEVER_PREFIXES, OUTPUTS, output_of_tiltyard
from tiltyard_intake.trees.unpacking import Unpacked, unpack

DEEPEST: Final = 6
"""Folders or archives around the teams' own."""
MOST_REFUSED: Final = 100
"""Of an export, so many members that are wrong are told one by one."""
LONGEST_DOWNLOAD: Final = 3600
"""Seconds in which a platform may write an archive: entries of so short a time may have the download's."""
EMPTY_FOLDER: Final = "is an empty folder"
NO_SUBMISSIONS: Final = {
    **dict.fromkeys((".csv", ".tsv", ".xlsx", ".xls", ".ods"), "a table and no submission; give a list of students with --roster"),
    **dict.fromkeys((".yaml", ".yml", ".schema.json"), "a tournament file or settings, and no submission"),
}
"""What loose files of these endings are."""


class TimeFrom(StrEnum):
    """Where the time of handing in comes from."""

    EXPORT = "export"
    """The platform wrote it down."""
    FILE = "file"
    """The file's own time on this machine, which copying may have changed."""
    ARCHIVE = "archive"
    """The time that the downloaded archive has for it. A zip's has no time zone, so this machine's was taken."""
    UNKNOWN = "unknown"


@dataclass(frozen=True, kw_only=True, slots=True)
class SubmittedAttempt:
    """What one team handed in at one time."""

    key: str
    """Equal for all attempts of a team."""
    label: str
    student_id: str = ""
    members: tuple[str, ...] = ()
    ids: tuple[str, ...] = ()
    """Of the members, where the export names them."""
    sources: tuple[HandedInFile, ...]
    handed_in: datetime | None = None
    time_from: TimeFrom = TimeFrom.UNKNOWN
    late: bool = False
    """Whether the export says that it is."""
    rank: int = 0
    """A higher one is later, whatever the times are."""
    earlier: tuple[Path, ...] = ()
    """Earlier uploads of the same files."""


@dataclass(frozen=True, order=True, slots=True)
class Skipped:
    """Something in the folder that is nobody's submission."""

    path: Path
    reason: str


@dataclass(slots=True)
class Survey:
    """All that lies in the folder."""

    attempts: list[SubmittedAttempt] = field(default_factory=list)
    skipped: list[Skipped] = field(default_factory=list)
    archives: list[tuple[Path, Path]] = field(default_factory=list)
    """Exports that are archives, and where they were unpacked."""


def survey(handed_in: Path, work: Path, outputs: frozenset[Path] = frozenset()) -> Survey:
    """Look through what was handed in.

    Args:
        handed_in: a folder, or an export that is one archive.
        work: a folder for what has to be unpacked to see the teams; the attempts' sources may lie there.
        outputs: the resolved paths of what the command writes and reads, which may lie there too.

    Raises:
        UserError: it is neither folder nor archive, is tiltyard's own, or cannot be read.
    """
    surveyor = _Surveyor(work, outputs)
    if mark := next((mark for mark in OUTPUTS if (handed_in / mark).is_file()), ""):
        raise UserError(f"{handed_in}: is {OUTPUTS[mark]}, as {mark} in it says; expected a folder with the teams' work")
    if handed_in.is_dir():
        surveyor.folder(handed_in, 0, TimeFrom.FILE)
    elif handed_in.is_file() and is_archive(handed_in):
        surveyor.archive(handed_in, 0)
    elif handed_in.exists():
        raise UserError(f"{handed_in}: neither a folder nor an archive; expected the teams' work")
    else:
        refuse_address(str(handed_in))
        near = near_path(handed_in) or "; expected a folder with the teams' work"
        raise UserError(f"{handed_in}: no such file or folder{near}")
    return surveyor.survey


@dataclass(frozen=True, slots=True)
class _Child:
    path: Path
    is_folder: bool

    @property
    def name(self) -> str:
        """As names are compared; the disk may have it in another form."""
        return normal(self.path.name)


class _Surveyor:
    def __init__(self, work: Path, outputs: frozenset[Path]) -> None:
        self._work = work
        self._outputs = outputs
        self.survey = Survey()

    def archive(self, path: Path, depth: int) -> None:
        """An export that is an archive."""
        with file_errors(self._work, "written"):
            self._work.mkdir(parents=True, exist_ok=True)
            place = Path(tempfile.mkdtemp(prefix="export-", dir=self._work))
            folder = place / stem(path.name)
            try:
                unpacked = read_bounded(path.name, EXPORT_BOUNDS, never, _unpack_export, path, folder, EXPORT_BOUNDS)
            except BaseException:
                shutil.rmtree(place, ignore_errors=True)
                raise
        self.survey.archives.append((path, folder))
        for reason in [*unpacked.notes(), *unpacked.refused[:MOST_REFUSED]]:
            self._skip(path, reason.removeprefix(f"{path.name}: "))
        if len(unpacked.refused) > MOST_REFUSED:
            self._skip(path, f"{len(unpacked.refused) - MOST_REFUSED:,} more members cannot be used")
        self.folder(folder, depth + 1, _times_inside(folder))

    def folder(self, folder: Path, depth: int, times: TimeFrom) -> None:
        """A folder in which teams lie. ``times``: what the times of its files are; if unknown, they aren't looked at."""
        children = list(self._children(folder))
        plain = self._gradescope(folder, children)
        plain = self._by_students(plain, "moodle", moodle, times)
        plain = self._by_students(plain, "canvas", canvas, times)
        plain = self._clones(plain, normal(folder.name))
        of_platforms = len(children) - len(plain)
        plain = self._without_others(plain)
        alone = len(plain) == 1 and not of_platforms
        self._plain([child for child in plain if not self._gone_into(child, depth, times, alone=alone)], times)

    def _children(self, folder: Path) -> Iterator[_Child]:
        with file_errors(folder, "read"), os.scandir(folder) as listing:
            entries = sorted(listing, key=lambda entry: entry.name)
        for entry in entries:
            path = Path(entry.path)
            if entry.is_symlink():
                self._skip(path, "is a link; links are not followed")
            elif _of_the_system((entry.name,)) or entry.name == ".git":
                self._skip(path, "belongs to the operating system or an editor")
            elif entry.is_dir(follow_symlinks=False):
                yield _Child(path, True)
            elif not stat.S_ISREG(entry.stat(follow_symlinks=False).st_mode):
                self._skip(path, "is neither a file nor a folder")
            else:
                yield _Child(path, False)

    def _without_others(self, children: Iterable[_Child]) -> list[_Child]:
        """Without what lies there and nobody handed in."""
        plain: list[_Child] = []
        for child in children:
            name = child.name.lower()
            what = output_of_tiltyard(child.path, self._outputs)
            if not what and not child.is_folder:
                what = next((what for ending, what in NO_SUBMISSIONS.items() if name.endswith(ending)), "")
            if what:
                self._skip(child.path, f"is {what}")
            else:
                plain.append(child)
        return plain

    def _gone_into(self, child: _Child, depth: int, times: TimeFrom, *, alone: bool) -> bool:
        """Whether a class lies inside, and was looked through. What lies alone is a class more easily than one of many."""
        if depth >= DEEPEST or not (child.is_folder or is_archive(child.path)):
            return False
        try:
            contents: Peek = peek(child.path, EXPORT_BOUNDS if alone else BOUNDS)
        except UnpackError:
            # It is one team's then, who is told when it is unpacked.
            return False
        if not (has_export(contents) or (alone and is_class(contents))):
            return False
        if child.is_folder:
            self.folder(child.path, depth + 1, times)
            return True
        try:
            self.archive(child.path, depth)
        except UnpackError:
            # Its names say that it is a class, and its contents can't be used: it is one team's as well.
            return False
        return True

    def _gradescope(self, folder: Path, children: Sequence[_Child]) -> list[_Child]:
        path = folder / gradescope.FILE
        if not any(child.path == path for child in children):
            return list(children)
        plain: list[_Child] = []
        try:
            submissions: Mapping[str, gradescope.Submission] = gradescope.read_metadata(path)
            self._skip(path, "lists who handed in what; it was read")
        except UserError as error:
            self._skip(path, f"cannot be used, so the names of folders count: {str(error).removeprefix(f'{path}: ')}")
            submissions = {}
        for child in children:
            submission = submissions.get(child.name) or submissions.get(stem(child.name)) or submissions.get(Path(child.name).stem)
            if child.path == path:
                continue
            if submission is None or not submission.names:
                plain.append(child)
                continue
            people = sorted(submission.ids) or sorted(submission.names)
            attempt = SubmittedAttempt(
                key=f"gradescope/{'/'.join(people)}",
                label=", ".join(submission.names),
                student_id=submission.ids[0] if len(submission.names) == 1 and submission.ids else "",
                members=submission.names,
                ids=submission.ids,
                sources=(HandedInFile(child.path, "" if child.is_folder else child.name),),
            )
            self._add(
                replace(attempt, handed_in=submission.handed_in, time_from=TimeFrom.EXPORT) if submission.handed_in else attempt
            )
        for name in sorted(set(submissions) - {name for child in children for name in _names_of(child)}):
            self._skip(folder / name, "is named in submission_metadata.yml, but is not there")
        return plain

    def _by_students(
        self, children: Sequence[_Child], platform: str, read: Callable[[str], NamedFile | None], times: TimeFrom
    ) -> list[_Child]:
        """Moodle and Canvas: names of students stand before names of files."""
        plain: list[_Child] = []
        owners: dict[str, list[tuple[_Child, NamedFile]]] = defaultdict(list)
        for child in children:
            file = read(child.name)
            if file is None:
                plain.append(child)
            else:
                owners[f"{platform}/{file.name}/{file.number}"].append((child, file))
        for key, files in owners.items():
            real_files = [(child, file) for child, file in files if not file.typed]
            if real_files:
                for child in (child for child, file in files if file.typed):
                    self._skip(child.path, f"is text that {files[0][1].name} typed into a form; the files were taken")
            latest, earlier = _latest_uploads(real_files or files)
            first = files[0][1]
            attempt = SubmittedAttempt(
                key=key,
                label=first.name,
                student_id=first.number,
                sources=tuple(sorted(HandedInFile(child.path, name) for child, _, name in latest)),
                late=any(file.late for _, file, _ in latest),
                earlier=tuple(sorted(child.path for child, _ in earlier)),
            )
            self._add(_timed(attempt, [child.path for child, _, _ in latest], times))
        return plain

    def _clones(self, children: Sequence[_Child], folder: str) -> list[_Child]:
        """Clones of GitHub Classroom. Their files have the time of cloning, so nothing is known of when they were handed in."""
        clones = [child for child in children if child.is_folder and (child.path / ".git").exists()]
        start = common_start([child.name for child in clones], folder) if clones else ""
        for child in clones:
            label = child.name.removeprefix(start)
            self._add(
                SubmittedAttempt(key=f"clone/{label}", label=label, student_id=label, sources=(HandedInFile(child.path, ""),))
            )
        return [child for child in children if child not in clones]

    def _plain(self, children: Iterable[_Child], times: TimeFrom) -> None:
        """One folder, archive or file for each team; loose files of one name are one team's."""
        children = list(children)
        in_parts = {stem(child.name) for child in children if not child.is_folder and is_part(child.name)}
        archives: dict[str, list[_Child]] = defaultdict(list)
        folders: list[_Child] = []
        loose: dict[str, list[_Child]] = defaultdict(list)
        for child in children:
            if child.is_folder:
                folders.append(child)
            elif is_archive(child.path):
                # The parts of one archive are one team's.
                name = stem(child.name)
                archives[name if name in in_parts else child.path.name].append(child)
            else:
                loose[Path(child.name).stem].append(child)
        groups = [*([child] for child in folders), *archives.values(), *loose.values()]
        stems = {_label(group[0]) for group in groups}
        for group in groups:
            label = _label(group[0])
            base, number = copied(label)
            label, rank = (base, number) if number and base in stems else (label, 0)
            sources = tuple(HandedInFile(child.path, child.name) for child in group)
            attempt = SubmittedAttempt(key=f"plain/{label}", label=label, sources=sources, rank=rank)
            self._add(_timed(attempt, [child.path for child in group], times))

    def _add(self, attempt: SubmittedAttempt) -> None:
        """Keep an attempt, without its empty folders. One of nothing else is reported as skipped."""
        full = tuple(source for source in attempt.sources if not source.path.is_dir() or _has_files(source.path))
        for source in attempt.sources:
            if source not in full:
                self._skip(source.path, EMPTY_FOLDER)
        if full:
            self.survey.attempts.append(replace(attempt, sources=full))
        else:
            for path in attempt.earlier:
                self._skip(path, "is an earlier upload of somebody whose latest one is empty")

    def _skip(self, path: Path, reason: str) -> None:
        self.survey.skipped.append(Skipped(path, reason))


def _latest_uploads(
    files: Sequence[tuple[_Child, NamedFile]],
) -> tuple[list[tuple[_Child, NamedFile, str]], list[tuple[_Child, NamedFile]]]:
    """The files that count, with their own names; and earlier uploads of them.

    Canvas numbers a file that is handed in again, and people number parts: ``part-1.cpp`` and ``part-2.cpp``. Of other files than
    archives, numbers count as uploads only beside the same name without a number.
    """
    uploads: dict[str, list[tuple[int, int, _Child, NamedFile]]] = defaultdict(list)
    for child, file in files:
        base, number = again(file.rest) if file.upload else (file.rest, 0)
        uploads[base].append((number, file.upload, child, file))
    bases = set(uploads)
    all_again = all(number for group in uploads.values() for number, *_ in group)
    latest: list[tuple[_Child, NamedFile, str]] = []
    earlier: list[tuple[_Child, NamedFile]] = []
    for base, group in uploads.items():
        ordered = sorted(group, key=lambda upload: upload[:2])
        one_file = has_archive_name(base) or ordered[0][0] == 0
        if len(ordered) > 1 and not one_file:
            latest += [(child, file, file.rest) for *_, child, file in ordered]
            continue
        if files[0][1].upload or len(ordered) == 1:
            *before, (_, _, child, file) = ordered
            own = base if len(ordered) > 1 or (all_again and len(bases) == len(files)) else file.rest
            latest.append((child, file, own))
            earlier += [(child, file) for *_, child, file in before]
        else:
            latest += [(child, file, file.rest) for *_, child, file in ordered]
    return latest, earlier


def _timed(attempt: SubmittedAttempt, paths: Iterable[Path], times: TimeFrom) -> SubmittedAttempt:
    """The attempt with the newest time of its files, and of files in its folders."""
    newest = 0.0 if times is TimeFrom.UNKNOWN else max((_time_of(file) for path in paths for file in _files(path)), default=0.0)
    if not newest:
        return attempt
    time = datetime.fromtimestamp(newest, UTC)
    if times is TimeFrom.ARCHIVE:
        # What its clock showed, in a zone that it doesn't name.
        time = time.replace(tzinfo=None).astimezone(UTC)
    return replace(attempt, handed_in=time, time_from=times)


def _times_inside(folder: Path) -> TimeFrom:
    """What the times of files from an archive are.

    Some platforms write down when each was handed in, others when the archive was made: then all are much the same, and everybody
    would be late.
    """
    times = [time for file in _files(folder) if (time := _time_of(file))]
    return TimeFrom.ARCHIVE if times and max(times) - min(times) >= LONGEST_DOWNLOAD else TimeFrom.UNKNOWN


def _time_of(file: Path) -> float:
    return file.lstat().st_mtime


def _unpack_export(path: Path, folder: Path, bounds: Bounds) -> Unpacked:
    return unpack(path, folder, account=Account(bounds), left_out=_of_the_system, tolerant=True, keeps_times=True)


def _files(path: Path) -> Iterator[Path]:
    if not path.is_dir():
        yield path
        return
    yield from (file for file in each_file(path) if not _of_the_system((file.name,)))


def _has_files(folder: Path) -> bool:
    return next(_files(folder), None) is not None


def _label(child: _Child) -> str:
    if child.is_folder:
        return child.name
    return stem(child.name) if is_archive(child.path) else Path(child.name).stem


def _names_of(child: _Child) -> set[str]:
    return {child.name, stem(child.name), Path(child.name).stem}


def _of_the_system(parts: tuple[str, ...]) -> bool:
    """Of macOS and Windows: what no team handed in. Other junk is a team's, and its tree tells of it."""
    systems = {"__MACOSX", ".Spotlight-V100", ".Trashes", ".fseventsd", "$RECYCLE.BIN", "System Volume Information"} & NEVER_FOLDERS
    return not systems.isdisjoint(parts) or (bool(parts) and (parts[-1] in NEVER_FILES or parts[-1].startswith(NEVER_PREFIXES)))
