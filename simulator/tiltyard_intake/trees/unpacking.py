"""Safe and bounded unpacking: archives, folders and files of strangers into a folder of ours.

Every name is made safe before it is used, and every byte is counted when it is written. Links are never made: those in what was
handed in are left out, and told. Of a file's mode, only the executable bit is kept.
"""

from __future__ import annotations

import errno
import os
import shutil
from bisect import bisect_left
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, Final

from tiltyard_engine.errors import UserError, some_of
from tiltyard_engine.texts.sanitize import LONGEST_NAME, one_line
from tiltyard_intake.archives.archive_members import folder_members, members
from tiltyard_intake.archives.bounds import BOUNDS, Account, Bounds
from tiltyard_intake.archives.member import Member, What, damage
from tiltyard_intake.archives.member_names import safe_parts, twin_key
from tiltyard_intake.archives.unpack_errors import Cause, UnpackError
from tiltyard_intake.trees.junk import is_part_of_program

CHUNK: Final = 2**16
OF_THE_WHOLE: Final = frozenset(
    {Cause.TOO_MANY, Cause.MANY_FOLDERS, Cause.TOO_LARGE, Cause.TOO_LONG, Cause.BOMB, Cause.LONG_LIST, Cause.UNREADABLE}
)
"""What is wrong with an archive rather than with a member."""
OF_THE_DISK: Final = frozenset({errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EROFS, errno.EIO})
"""What is wrong with this machine rather than with what was handed in."""
Parts = tuple[str, ...]
LeftOut = Callable[[Parts], bool]
"""Whether the member of these names is not wanted, such as all below ``node_modules``."""


def nothing(parts: Parts) -> bool:
    """Leave out no file at all."""
    return False


@dataclass(slots=True)
class Unpacked:
    """What was unpacked and what was left out."""

    files: int = 0
    size: int = 0
    """Bytes."""
    links: list[str] = field(default_factory=list)
    """Paths of links, which are left out."""
    renamed: list[str] = field(default_factory=list)
    """Names as they were, where they are different now."""
    left_out: dict[str, int] = field(default_factory=dict)
    """Names of folders or files that were not wanted: how many files each."""
    twins: list[str] = field(default_factory=list)
    """Names of files that are no part of a program, and that this machine's file system takes for another."""
    refused: list[str] = field(default_factory=list)
    """What is wrong with members that a tolerant unpacking went past."""

    def notes(self) -> list[str]:
        """What was left out or renamed, as lines for people."""
        lines: list[str] = []
        if self.links:
            lines.append(f"links are left out: {_some_names(self.links)}")
        if self.renamed:
            lines.append(f"names with characters that no name should have: {_some_names(self.renamed)}")
        if self.twins:
            lines.append(f"left out, since another name differs only in upper and lower case: {_some_names(self.twins)}")
        return lines


def unpack(
    archive: Path,
    folder: Path,
    *,
    name: str = "",
    account: Account | None = None,
    left_out: LeftOut = nothing,
    tolerant: bool = False,
    keeps_times: bool = False,
) -> Unpacked:
    """Unpack an archive into a new folder.

    Args:
        archive: a zip, a tar (also compressed with gzip, bzip2, xz or zstd), or one file that is compressed so.
        folder: where to; it is made, and is gone again after an error.
        name: how people call the archive, for messages; without it, as the file is called.
        account: what was written for this team already.
        left_out: what is not wanted.
        tolerant: go past members that are wrong, for an export of a whole class, where one team's file is no reason to stop.
        keeps_times: give files the times that the archive has for them, 1970 where it has none.

    Raises:
        UnpackError: with its cause; nothing is left of what was written.
        UserError: the disk is full; the same.
    """
    name = name or archive.name
    account = account or Account(BOUNDS)
    with _gone_after_errors(folder):
        size = archive.lstat().st_size if archive.exists() else 0
        filling = _Filling(folder, name, account, left_out, packed=size, tolerant=tolerant, keeps_times=keeps_times)
        return filling.run(members(archive, name, account))


def copy_folder(source: Path, folder: Path, *, name: str, account: Account, left_out: LeftOut = nothing) -> Unpacked:
    """Copy a folder that was handed in, with the bounds and errors of unpacking an archive."""
    with _gone_after_errors(folder):
        return fill(folder, folder_members(source, name, account.bounds), name=name, account=account, left_out=left_out)


def list_names(archive: Path, bounds: Bounds = BOUNDS) -> list[Parts]:
    """The files of an archive, as the names that unpacking would give them. Names that it would refuse are not among them.

    Raises:
        UnpackError: it cannot be read.
    """
    names: list[Parts] = []
    for member in members(archive, archive.name, Account(bounds)):
        if member.what is What.FILE:
            with suppress(UnpackError):
                names.append(safe_parts(archive.name, member.name))
    return [parts for parts in names if parts]


def fill(folder: Path, contents: Iterable[Member], *, name: str, account: Account, left_out: LeftOut = nothing) -> Unpacked:
    """Write members into a folder that exists, is empty, and is ours alone.

    Args:
        folder: where to.
        contents: the members.
        name: how people call what they come from.
        account: what was written for this team already.
        left_out: what is not wanted.

    Raises:
        UnpackError: with its cause. What was written until then stays.
    """
    return _Filling(folder, name, account, left_out).run(contents)


class _Filling:
    def __init__(
        self,
        folder: Path,
        name: str,
        account: Account,
        left_out: LeftOut,
        *,
        packed: int = 0,
        tolerant: bool = False,
        keeps_times: bool = False,
    ) -> None:
        self._folder, self._name, self._account = folder, name, account
        self._left_out, self._packed, self._tolerant = left_out, packed, tolerant
        self._keeps_times = keeps_times
        self._unpacked = Unpacked()
        self._files: set[Parts] = set()
        self._folders: set[Parts] = {()}
        self._spellings: dict[Parts, Parts] = {}

    def run(self, contents: Iterable[Member]) -> Unpacked:
        for member in contents:
            try:
                self._take(member)
            except UnpackError as error:
                if not self._tolerant or error.cause in OF_THE_WHOLE:
                    raise
                self._unpacked.refused.append(str(error))
        return self._unpacked

    def _take(self, member: Member) -> None:
        parts = safe_parts(self._name, member.name)
        if parts and self._left_out(parts):
            # The first of its names that is not wanted stands for all below it.
            ends = range(1, len(parts) + 1)
            top = "/".join(parts[: ends[bisect_left(ends, True, key=lambda end: self._left_out(parts[:end]))]])
            counted = self._unpacked.left_out
            counted[top] = counted.get(top, 0) + (member.what is not What.FOLDER)
        elif member.what is What.LINK:
            self._unpacked.links.append("/".join(parts))
        elif member.what is What.SPECIAL:
            raise UnpackError(self._name, Cause.SPECIAL, member.name)
        else:
            self._note_name(member, parts)
            self._place(member, parts)

    def _note_name(self, member: Member, parts: Parts) -> None:
        if not member.name.isprintable():
            self._unpacked.renamed.append("/".join(parts))

    def _place(self, member: Member, parts: Parts) -> None:
        if member.what is What.FOLDER:
            self._make_folders(parts)
            return
        if not parts:
            raise UnpackError(self._name, Cause.BAD_NAME, member.name)
        self._make_folders(parts[:-1])
        if parts in self._folders:
            raise UnpackError(self._name, Cause.FILE_AND_FOLDER, "/".join(parts))
        if parts in self._files:
            raise UnpackError(self._name, Cause.TWICE, "/".join(parts))
        self._files.add(parts)
        path = self._folder.joinpath(*parts)
        first = self._spellings.setdefault(twin_key(parts), parts)
        if first != parts and os.path.lexists(path):
            # This file system cannot hold both.
            if is_part_of_program(path):
                raise UnpackError(self._name, Cause.TWINS, f"{'/'.join(first)} and {'/'.join(parts)}")
            self._unpacked.twins.append("/".join(parts))
            return
        self._account.add_file(self._name)
        self._unpacked.files += 1
        with damage(self._name):
            source = member.open()
        with source:
            try:
                self._write(path, source, 0o755 if member.executable else 0o644)
            except UnpackError:
                path.unlink(missing_ok=True)
                raise
        if self._keeps_times:
            with self._writing():
                os.utime(path, (member.modified, member.modified))

    def _make_folders(self, parts: Parts) -> None:
        if len(parts) > self._account.bounds.depth:
            raise UnpackError(self._name, Cause.TOO_DEEP, str(self._account.bounds.depth))
        for end in range(1, len(parts) + 1):
            folder = parts[:end]
            if folder in self._folders:
                continue
            if folder in self._files:
                raise UnpackError(self._name, Cause.FILE_AND_FOLDER, "/".join(folder))
            self._account.add_folder(self._name)
            self._folders.add(folder)
            path = self._folder.joinpath(*folder)
            # One that is there is of another spelling, for a file system that takes upper and lower case as the same.
            with self._writing():
                path.mkdir(mode=0o755, exist_ok=True)

    def _write(self, path: Path, source: IO[bytes], mode: int) -> None:
        with self._writing(), os.fdopen(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW, mode), "wb") as target:
            while True:
                with damage(self._name):
                    data = source.read(CHUNK)
                if not data:
                    return
                self._account.add_bytes(self._name, len(data))
                self._unpacked.size += len(data)
                bounds, size = self._account.bounds, self._unpacked.size
                if self._packed and size > max(bounds.ratio_from, bounds.ratio * self._packed):
                    raise UnpackError(self._name, Cause.BOMB, str(bounds.ratio))
                target.write(data)

    @contextmanager
    def _writing(self) -> Iterator[None]:
        """A name that this machine's file system does not take is the team's; a full disk is not."""
        try:
            yield
        except OSError as error:
            if error.errno in OF_THE_DISK:
                raise UserError(f"{self._folder}: cannot be written: {error.strerror}") from error
            raise UnpackError(self._name, Cause.UNREADABLE, f"it cannot be written: {error.strerror}") from error


@contextmanager
def _gone_after_errors(folder: Path) -> Iterator[None]:
    folder.mkdir(parents=True)
    try:
        yield
    except BaseException:
        shutil.rmtree(folder, ignore_errors=True)
        raise


def _some_names(names: list[str]) -> str:
    return some_of([one_line(name, LONGEST_NAME) for name in names], 5)
