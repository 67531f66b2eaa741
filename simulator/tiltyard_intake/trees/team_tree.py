"""From what one team handed in to one clean folder with its sources: unpacked, without junk, and no deeper than needed."""

from __future__ import annotations

import os
import shutil
import tempfile
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from tiltyard_engine.errors import UserError, file_errors, some_of
from tiltyard_engine.texts.names import file_name
from tiltyard_engine.texts.quantities import counted
from tiltyard_engine.texts.sanitize import LONGEST_NAME, one_line
from tiltyard_intake.archives.archive_kinds import is_archive, open_plain, stem
from tiltyard_intake.archives.bounds import BOUNDS, Account, Bounds
from tiltyard_intake.archives.folders import each_file
from tiltyard_intake.archives.member import HandedInFile, Member, What
from tiltyard_intake.archives.unpack_errors import Cause, UnpackError
from tiltyard_intake.trees.file_names import copied
from tiltyard_intake.trees.junk import (
    ENDINGS_TO_LOWER,
    PARTS_OF_PROGRAMS,
    PROJECT_ENDINGS,
    PROJECTS,
    is_document,
    is_environment,
    is_never_wanted,
    is_part_of_program,
    is_product,
    is_source,
    kind_of_junk,
)
from tiltyard_intake.trees.unpacking import Unpacked, copy_folder, fill, unpack

TREE: Final = "tree"
MOST_NOTES: Final = 5
"""Of one kind; more are told in one."""


@dataclass(frozen=True, slots=True)
class Tree:
    """The folder with a team's sources, and what was left out of it."""

    folder: Path
    files: int
    size: int
    """Bytes."""
    notes: tuple[str, ...]
    """For people: what was left out, and which folders were gone into."""


def make_tree(sources: Sequence[HandedInFile], folder: Path, *, bounds: Bounds = BOUNDS) -> Tree:
    """Make a team's tree.

    Archives are unpacked, and so are archives inside if nothing outside of them is a part of a program. What no program needs is
    left out. What a build made is left out too, unless there are no sources elsewhere. While there is only one folder, its
    contents are taken.

    Args:
        sources: what the team handed in, all of its latest attempt.
        folder: where to; it must not exist yet.
        bounds: for all of it together.

    Raises:
        UnpackError: something cannot be used; nothing is left of the folder.
        UserError: it cannot be written.
    """
    with file_errors(folder, "written"):
        if folder.exists():
            raise UserError(f"{folder}: already exists; expected a new folder")
        folder.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=folder.parent, prefix=".intake-") as work:
            return _Making(Path(work), bounds).run(sources, folder)


class _Making:
    """Builds the tree in a folder beside its place, and moves it there when it is whole."""

    def __init__(self, work: Path, bounds: Bounds) -> None:
        self._work = work
        self._tree = work / TREE
        self._account = Account(bounds)
        self._notes: list[str] = []
        self._unpackings = 0
        self._archive_names: list[str] = []
        """The archives inside that were unpacked last."""

    def run(self, sources: Sequence[HandedInFile], folder: Path) -> Tree:
        self._tree.mkdir()
        self._place(sources)
        self._leave_environments_out()
        self._go_down()
        for nesting in range(self._account.bounds.nesting + 1):
            self._leave_earlier_out()
            archives = self._archives_alone()
            if not archives:
                break
            if nesting == self._account.bounds.nesting:
                raise UnpackError(archives[0].name, Cause.NESTED, str(self._account.bounds.nesting))
            self._unpack_inside(archives)
            self._leave_environments_out()
            self._go_down()
        self._leave_products_out()
        self._go_down()
        self._leave_earlier_out()
        self._lower_endings()
        files = files_at(self._tree)
        if not files:
            names = self._archive_names or [source.name or source.path.name for source in sources]
            raise UnpackError(", ".join(names), Cause.NOTHING)
        self._note_archives_inside(files)
        size = sum(path.stat().st_size for path in files)
        self._tree.rename(folder)
        return Tree(folder, len(files), size, tuple(self._notes))

    def _place(self, sources: Sequence[HandedInFile]) -> None:
        """What was handed in, as it is. A folder of the export's own is gone into; others keep their names if there are several."""
        loose: list[Member] = []
        for source in sources:
            name = source.name or source.path.name
            if source.path.is_dir():
                folder = self._work / str(self._next())
                unpacked = copy_folder(source.path, folder, name=name, account=self._account, left_out=is_never_wanted)
                self._note(unpacked, "")
                self._merge(folder, self._tree if not source.name or len(sources) == 1 else self._tree / source.name)
            else:
                executable = bool(source.path.lstat().st_mode & 0o111)
                loose.append(Member(name, What.FILE, executable, lambda path=source.path: open_plain(path)))  # type: ignore[misc]
        for member in loose:
            # One by one, beside what came from folders.
            folder = self._work / str(self._next())
            folder.mkdir()
            self._note(fill(folder, [member], name=member.name, account=self._account, left_out=is_never_wanted), "")
            self._merge(folder, self._tree)

    def _merge(self, source: Path, target: Path) -> None:
        """Move what lies in one folder into another. Where a name is taken, the later one gets a number."""
        target.mkdir(parents=True, exist_ok=True)
        for child in sorted(source.iterdir()):
            name, number = child.name, 2
            while os.path.lexists(target / name):
                name, number = file_name(f"{child.stem}_{number}", child.suffix), number + 1
            if name != child.name:
                self._notes.append(f"'{one_line(child.name, LONGEST_NAME)}' was handed in twice: one is called '{name}' here")
            child.rename(target / name)
        source.rmdir()

    def _archives_alone(self) -> list[Path]:
        """The archives of the tree, if they hold all that may be a program."""
        files = files_at(self._tree)
        return [] if any(map(is_part_of_program, files)) else [path for path in files if is_archive(path)]

    def _unpack_inside(self, archives: Sequence[Path]) -> None:
        self._archive_names = [archive.name for archive in archives]
        for archive in archives:
            folder = self._work / str(self._next())
            unpacked = unpack(archive, folder, name=archive.name, account=self._account, left_out=is_never_wanted)
            self._note(unpacked, archive.name if len(archives) > 1 else "")
            archive.unlink()
            self._merge(folder, archive.parent if len(archives) == 1 else archive.parent / stem(archive.name))

    def _note_archives_inside(self, files: Iterable[Path]) -> None:
        inside = [path.relative_to(self._tree).as_posix() for path in files if is_archive(path)]
        if inside:
            self._notes.append(f"archives next to other files are not unpacked: {_some(inside)}")

    def _leave_environments_out(self) -> None:
        for above, folders, _ in os.walk(self._tree):
            environments = [name for name in sorted(folders) if is_environment(Path(above, name))]
            folders[:] = [name for name in folders if name not in environments]
            self._drop([Path(above, name) for name in environments], "a Python environment")

    def _leave_products_out(self) -> None:
        products: list[Path] = []
        has_sources = False
        for above, folders, files in os.walk(self._tree):
            outputs = {name for name in folders if is_product(Path(above, name), files)}
            products += [Path(above, name) for name in sorted(outputs)]
            folders[:] = [name for name in folders if name not in outputs]
            has_sources = has_sources or any(is_source(Path(name)) for name in files)
        if has_sources:
            self._drop(products, "made by a build")

    def _leave_earlier_out(self) -> None:
        """Of what was downloaded several times, the last counts, under the name of the first: ``bot (1).py`` beside ``bot.py``."""
        downloads: dict[str, dict[int, Path]] = defaultdict(dict)
        for path in self._tree.iterdir():
            is_packed = path.is_file() and is_archive(path)
            if is_packed or (path.is_file() and path.suffix.lower() in PARTS_OF_PROGRAMS):
                name = stem(path.name) if is_packed else path.stem
                base, number = copied(name)
                downloads[base + path.name[len(name) :]][number] = path
        for name, numbered in sorted(downloads.items()):
            if 0 in numbered and len(numbered) > 1:
                latest = numbered.pop(max(numbered))
                names = [f"'{path.name}'" for _, path in sorted(numbered.items())]
                self._notes.append(f"'{one_line(latest.name, LONGEST_NAME)}' counts instead of {_some(names)}, as a later download")
                for path in numbered.values():
                    path.unlink()
                latest.rename(self._tree / name)

    def _lower_endings(self) -> None:
        """Give sources such as ``Bot.PY`` the ending that compilers and recipes know, but where a project names them."""
        files = files_at(self._tree)
        project = b""
        for path in files:
            ending = path.suffix.lower()
            if ending == path.suffix or ending not in ENDINGS_TO_LOWER:
                continue
            project = project or b"\n".join(each.read_bytes() for each in files if _is_project(each)) or b"\n"
            place = path.with_suffix(ending)
            if not (os.fsencode(path.name) in project or place.exists()):
                path.rename(place)
                self._notes.append(f"'{one_line(path.name, LONGEST_NAME)}' is called '{one_line(place.name, LONGEST_NAME)}' here")

    def _drop(self, folders: Sequence[Path], why: str) -> None:
        """Leave folders out: each with a note of its own, or of many one for all."""
        folders = sorted(folders)
        counts = [len(files_at(folder)) for folder in folders]
        names = [f"{one_line(folder.relative_to(self._tree).as_posix(), LONGEST_NAME)}/" for folder in folders]
        if len(folders) > MOST_NOTES:
            self._notes.append(f"left out: {_some(names)} ({why}, {counted(sum(counts), 'file')})")
        else:
            self._notes += [f"left out: {name} ({why}, {counted(count, 'file')})" for name, count in zip(names, counts)]
        for folder in folders:
            shutil.rmtree(folder)

    def _go_down(self) -> None:
        """While there is only one folder, or one with nothing but documents beside it, take what lies in it.

        A Python package stays: its modules may import each other by its name.
        """
        while True:
            children = list(self._tree.iterdir())
            folders = [child for child in children if child.is_dir()]
            files = [child for child in children if not child.is_dir()]
            if len(folders) != 1 or not all(is_document(path) for path in files) or not any(each_file(folders[0])):
                return
            if (folders[0] / "__init__.py").exists():
                return
            if files:
                self._notes.append(
                    f"left out: {_some(sorted(path.name for path in files))} (beside the folder '{folders[0].name}')"
                )
            self._notes.append(f"taken from the folder '{one_line(folders[0].name, LONGEST_NAME)}'")
            lower = self._work / str(self._next())
            folders[0].rename(lower)
            shutil.rmtree(self._tree)
            lower.rename(self._tree)

    def _note(self, unpacked: Unpacked, of: str) -> None:
        counts: dict[str, int] = defaultdict(int)
        for path, count in unpacked.left_out.items():
            counts[kind_of_junk(path.rpartition("/")[2])] += count
        lines = [f"left out: {name} ({counted(count, 'file')})" for name, count in sorted(counts.items()) if count]
        self._notes += [f"{of}: {line}" if of else line for line in [*lines, *unpacked.notes()]]

    def _next(self) -> int:
        self._unpackings += 1
        return self._unpackings


def files_at(folder: Path) -> list[Path]:
    """All files in a folder and in its folders."""
    return sorted(each_file(folder))


def _is_project(path: Path) -> bool:
    return path.name in PROJECTS or path.suffix.lower() in PROJECT_ENDINGS


def _some(names: Sequence[str]) -> str:
    return some_of([one_line(name, LONGEST_NAME) for name in names], MOST_NOTES)
