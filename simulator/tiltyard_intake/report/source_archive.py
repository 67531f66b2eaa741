"""What teams handed in, kept attempt by attempt: the download that it came in may be overwritten by the next one."""

from __future__ import annotations

import hashlib
import os
import zipfile
from pathlib import Path
from threading import get_ident
from typing import Final

from msgspec.structs import replace

from tiltyard_engine.errors import UserError, file_errors
from tiltyard_intake.building.products import NEW
from tiltyard_intake.report.team_report import TeamReport, time_in_words
from tiltyard_intake.trees.file_names import file_stem
from tiltyard_intake.trees.team_tree import Tree, files_at

SOURCES: Final = "sources"
MOST_OLDER: Final = 5
"""Attempts of one team, beside the one that counts."""
MOST_BYTES: Final = 64 << 20
"""Of a tree that is kept."""
MADE: Final = (1980, 1, 2, 0, 0, 0)
"""The time of all members, so that the same sources give the same file."""


def with_sources(team_report: TeamReport, tree: Tree, reports: Path) -> TeamReport:
    """The report of a team with its sources, which are now kept as a zip, and those of its attempts before.

    Args:
        team_report: of the attempt that counts.
        tree: its sources.
        reports: the folder of reports.

    Raises:
        UserError: the folder can't be written.
    """
    folder = reports / SOURCES / team_report.team
    if tree.size > MOST_BYTES:
        note = f"no copy of these sources is kept: they are larger than {MOST_BYTES >> 20} MB"
        return with_older_sources(replace(team_report, notes=(*team_report.notes, note)), reports)
    when = file_stem(time_in_words(team_report.handed_in).replace(":", "-")) if team_report.handed_in else ""
    with file_errors(folder, "written"):
        folder.mkdir(parents=True, exist_ok=True)
        place = _archive(tree, folder, when)
    return with_older_sources(replace(team_report, sources=str(place.relative_to(reports))), reports)


def with_older_sources(team_report: TeamReport, reports: Path) -> TeamReport:
    """The report of a team with the sources that are kept of its attempts before, the oldest first. The oldest of many go.

    Raises:
        UserError: the folder can't be written.
    """
    folder = reports / SOURCES / team_report.team
    with file_errors(folder, "written"):
        older = sorted((path for path in folder.glob("*.zip") if str(path.relative_to(reports)) != team_report.sources), key=_age)
        too_many, older = older[:-MOST_OLDER], older[-MOST_OLDER:]
        for path in too_many:
            path.unlink()
    count = len(older)
    notes = (f"{'an earlier attempt is' if count == 1 else f'{count} earlier attempts are'} kept",) if older else ()
    return replace(
        team_report, older_sources=tuple(str(path.relative_to(reports)) for path in older), notes=(*team_report.notes, *notes)
    )


def _age(path: Path) -> tuple[int, str]:
    return path.stat().st_mtime_ns, path.name


def _archive(tree: Tree, folder: Path, when: str) -> Path:
    files = {_name(path.relative_to(tree.folder)): path for path in files_at(tree.folder)}
    digest = hashlib.sha256()
    for name, path in sorted(files.items()):
        data = path.read_bytes()
        digest.update(f"{len(name.encode())} {name} {len(data)} ".encode())
        digest.update(data)
    mark = digest.hexdigest()[:12]
    for path in folder.glob(f"*{mark}.zip"):
        # Handed in again, it is the latest.
        os.utime(path)
        return path
    place = folder / f"{when}_{mark}.zip".lstrip("_")
    new = folder / f"{NEW}{os.getpid()}-{get_ident()}"
    try:
        with zipfile.ZipFile(new, "w", zipfile.ZIP_DEFLATED, compresslevel=3) as archive:
            for name, path in sorted(files.items()):
                archive.writestr(zipfile.ZipInfo(name, MADE), path.read_bytes(), zipfile.ZIP_DEFLATED, 3)
        new.replace(place)
    except ValueError as error:
        raise UserError(f"{place}: cannot be written: {error}") from error
    finally:
        new.unlink(missing_ok=True)
    return place


def _name(path: Path) -> str:
    # A zip has names in UTF-8.
    return path.as_posix().encode("utf-8", "backslashreplace").decode()
