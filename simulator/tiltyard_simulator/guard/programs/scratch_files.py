"""Files of a program's scratch folder, as its launcher copies, writes, lists and reads them.

The launcher is confined like the program, so a link that leads out of the folder leads to nothing that the program could not read.
"""

from __future__ import annotations

import os
import shutil
import stat
from collections.abc import Iterator
from pathlib import Path

from tiltyard_engine.programs import kind_of_file
from tiltyard_simulator.guard.cells.messages import Done
from tiltyard_simulator.guard.cells.wire import CHUNK
from tiltyard_simulator.guard.confinement.folder_removal import remove
from tiltyard_simulator.guard.programs.messages import (
    FileList,
    LauncherReply,
    ListFiles,
    Prepare,
    Refused,
    ScratchFile,
    TakeFiles,
    Taken,
    WriteFiles,
)


def prepare(request: Prepare) -> LauncherReply:
    """Copy a program's files into the scratch folder."""
    try:
        for origin, name in request.copies:
            _copy(Path(origin), Path(name))
    except OSError as error:
        return Refused(f"cannot copy {name} to the scratch folder: {error.strerror}")
    return Done()


def _copy(origin: Path, target: Path) -> None:
    """Copy only the contents: below level A, modes and times cannot be set."""
    target.parent.mkdir(parents=True, exist_ok=True)
    if not origin.is_dir():
        shutil.copyfile(origin, target)
        return
    target.mkdir(exist_ok=True)
    for child in sorted(origin.iterdir()):
        _copy(child, target / child.name)


def write_file(name: str, data: bytes, mode: int = 0o600) -> None:
    """Write a new file. Whatever the program may have put in its place is removed."""
    path = Path(name)
    if path.parent != Path():
        path.parent.mkdir(parents=True, exist_ok=True)
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
    try:
        descriptor = os.open(name, flags, mode)
    except FileExistsError:
        if path.is_dir() and not path.is_symlink():
            remove(name)
        else:
            path.unlink()
        descriptor = os.open(name, flags, mode)
    with open(descriptor, "wb", buffering=0) as file:  # noqa: PTH123 -- a descriptor
        file.write(data)


def kind_of(name: str) -> str:
    """What lies there that is no regular file; empty where nothing does."""
    try:
        return kind_of_file(os.lstat(name).st_mode)
    except OSError:
        return ""


def read_file(name: str, most: int) -> bytes | None:
    """Up to ``most + 1`` bytes of a regular file; None if it is not one."""
    try:
        descriptor = os.open(name, os.O_RDONLY | os.O_NONBLOCK | os.O_NOFOLLOW | os.O_CLOEXEC)
    except OSError:
        return None
    try:
        if not stat.S_ISREG(os.fstat(descriptor).st_mode):
            return None
        pieces: list[bytes] = []
        room = most + 1
        while room > 0 and (piece := os.read(descriptor, min(room, CHUNK))):
            pieces.append(piece)
            room -= len(piece)
        return b"".join(pieces)
    finally:
        os.close(descriptor)


def write_files(request: WriteFiles) -> LauncherReply:
    """Write many new files."""
    name = ""
    try:
        for name in request.folders:
            Path(name).mkdir(parents=True, exist_ok=True)
        executable = frozenset(request.executable)
        for name, data in request.files.items():
            write_file(name, data, 0o700 if name in executable else 0o600)
    except OSError as error:
        return Refused(f"cannot write {name} to the scratch folder: {error.strerror}")
    return Done()


def list_files(request: ListFiles) -> FileList:
    """The regular files below some folders, in the order of their names. No link is followed."""
    files: list[ScratchFile] = []
    room = request.most
    for entry in (entry for folder in request.folders for entry in _below(folder)):
        room -= 1
        if room < 0:
            return FileList(files, is_cut=True)
        try:
            status = entry.stat(follow_symlinks=False)
        except OSError:
            continue
        if stat.S_ISREG(status.st_mode):
            head = read_file(entry.path, request.head_bytes) or b""
            files.append(ScratchFile(entry.path, status.st_size, bool(status.st_mode & 0o100), head[: request.head_bytes]))
    return FileList(files, is_cut=False)


def _below(folder: str) -> Iterator[os.DirEntry[str]]:
    """Everything below a folder whose name is text, without recursion: a build may make folders as deep as it likes."""
    waiting = [folder]
    while waiting:
        try:
            with os.scandir(waiting.pop()) as entries:
                ordered = sorted(entries, key=lambda entry: entry.name)
        except OSError:
            continue
        for entry in ordered:
            if not entry.name.isprintable():
                continue
            yield entry
            if entry.is_dir(follow_symlinks=False):
                waiting.append(entry.path)


def take_files(request: TakeFiles) -> Taken:
    """Read regular files; what is none is left out."""
    files: dict[str, bytes] = {}
    too_large: list[str] = []
    room = request.total_bytes
    for name in request.names:
        most = min(request.file_bytes, room)
        data = read_file(name, most)
        if data is not None and len(data) > most:
            too_large.append(name)
        elif data is not None:
            files[name] = data
            room -= len(data)
    return Taken(files, too_large)
