"""What lies in an archive or a folder, one member after the other: its name as written, what it is, and a stream of its bytes.

Nothing is written here, and no name is trusted: ``unpacking`` does both. Sizes that an archive states are used nowhere.
"""

from __future__ import annotations

import io
import os
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import IO, cast

from tiltyard_intake.archives.archive_kinds import ArchiveKind, has_tar_name, kind_to_unpack, open_plain, stem
from tiltyard_intake.archives.bounds import Account, Bounds
from tiltyard_intake.archives.decompression import Counted, Decompressed
from tiltyard_intake.archives.folders import DEEPEST
from tiltyard_intake.archives.member import Member, What, damage
from tiltyard_intake.archives.member_names import tar_name
from tiltyard_intake.archives.tar_members import BLOCK, is_tar, tar_members
from tiltyard_intake.archives.unpack_errors import Cause, UnpackError
from tiltyard_intake.archives.zip_members import zip_members


def members(path: Path, name: str, account: Account) -> Iterator[Member]:
    """All that lies in an archive, in its order.

    Args:
        path: the archive, a plain file.
        name: how people call it, for messages.
        account: with the bounds for the number of members, and for what is read.

    Raises:
        UnpackError: it cannot be read, or is of a kind that is not read here.
    """
    kind = kind_to_unpack(path, name)
    with ExitStack() as stack:
        with damage(name):
            file = stack.enter_context(open_plain(path))
        if kind is ArchiveKind.ZIP:
            contents = zip_members(file, name, account.bounds)
        elif kind is ArchiveKind.TAR:
            contents = tar_members(file, name)
        else:
            contents = _compressed_members(kind, file, name, account)
        yield from _counted(contents, name, account.bounds)


def folder_members(folder: Path, name: str, bounds: Bounds) -> Iterator[Member]:
    """The members of a folder on the disk. Links are reported and not followed."""
    return _counted(_walk(folder, "", name), name, bounds)


def _counted(contents: Iterator[Member], name: str, bounds: Bounds) -> Iterator[Member]:
    for number, member in enumerate(contents):
        if number >= bounds.members:
            raise UnpackError(name, Cause.LONG_LIST, f"{bounds.members:,}")
        yield member


def _walk(folder: Path, above: str, name: str) -> Iterator[Member]:
    if above.count("/") > DEEPEST:
        raise UnpackError(name, Cause.TOO_DEEP, str(DEEPEST))
    try:
        with os.scandir(folder) as listing:
            children = sorted(listing, key=lambda child: child.name)
    except OSError as error:
        raise UnpackError(name, Cause.UNREADABLE, f"{above or '.'}: {error.strerror}") from error
    for child in children:
        # A name in no encoding is made sane for people, and stays as it is for the disk.
        inside = f"{above}{tar_name(os.fsencode(child.name))}"
        if child.is_symlink():
            yield Member(inside, What.LINK)
        elif child.is_dir(follow_symlinks=False):
            yield Member(inside, What.FOLDER)
            yield from _walk(Path(child.path), f"{inside}/", name)
        elif child.is_file(follow_symlinks=False):
            executable = bool(child.stat(follow_symlinks=False).st_mode & 0o111)
            yield Member(inside, What.FILE, executable, lambda child=child: open_plain(Path(child.path)))  # type: ignore[misc]
        else:
            yield Member(inside, What.SPECIAL)


def _compressed_members(kind: ArchiveKind, file: IO[bytes], name: str, account: Account) -> Iterator[Member]:
    """A compressed tar's members, or the one file that was compressed."""
    with damage(name):
        packed = file.seek(0, os.SEEK_END)
        file.seek(0)
        counted = Counted(Decompressed(kind, file), account, packed)
        head = counted.beginning(BLOCK)
    stream = cast("IO[bytes]", io.BufferedReader(counted))
    if is_tar(head) or has_tar_name(name):
        if not is_tar(head) and head.strip(b"\0"):
            raise UnpackError(name, Cause.NOT_AN_ARCHIVE)
        yield from tar_members(stream, name)
    else:
        yield Member(stem(Path(name).name), What.FILE, open=lambda: stream)
