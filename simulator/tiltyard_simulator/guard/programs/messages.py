"""What the host asks a program's launcher, and what it answers. Both are the host's own code, not the program's."""

from __future__ import annotations

from typing import Final, TypeAlias

import msgspec

from tiltyard_simulator.guard.cells.messages import Done


class Prepare(msgspec.Struct, frozen=True, array_like=True, tag=1):
    """Copy files and folders into the scratch folder: pairs of path and name."""

    copies: list[tuple[str, str]]


class StartResident(msgspec.Struct, frozen=True, array_like=True, tag=2):
    """Start the command with the streams that were sent with the fork."""

    command: list[str]
    environment: dict[str, str]


class AwaitEnd(msgspec.Struct, frozen=True, array_like=True, tag=3):
    """Answer when the resident process has ended."""


class RunCall(msgspec.Struct, frozen=True, array_like=True, tag=4):
    """Run the command until it ends."""

    command: list[str]
    environment: dict[str, str]
    files: dict[str, bytes]
    outputs: list[str]
    stdin: bytes
    stdout_bytes: int
    """Kept of standard output."""
    stderr_bytes: int
    file_bytes: int
    """The largest output that is read."""


class Try(msgspec.Struct, frozen=True, array_like=True, tag=5):
    """Open each path as the program did, to see what its cell denies."""

    lookups: list[tuple[str, int]]
    """Path and flags."""


class WriteFiles(msgspec.Struct, frozen=True, array_like=True, tag=6):
    """Write files into the scratch folder, by name, before anything runs there."""

    files: dict[str, bytes]
    executable: list[str]
    """Those of them that may be executed."""
    folders: list[str]
    """Made too, if they are not there."""


class ListFiles(msgspec.Struct, frozen=True, array_like=True, tag=7):
    """Tell what regular files are below these folders of the scratch folder."""

    folders: list[str]
    most: int
    """Of files and folders together."""
    head_bytes: int


class TakeFiles(msgspec.Struct, frozen=True, array_like=True, tag=8):
    """Read regular files of the scratch folder."""

    names: list[str]
    file_bytes: int
    """The largest that is read."""
    total_bytes: int
    """The most that is read in all."""


class Refused(msgspec.Struct, frozen=True, array_like=True, tag=2):
    """It could not be done."""

    message: str
    not_started: str = ""
    """Why the system did not start the program, if that was it."""


class ProcessEnd(msgspec.Struct, frozen=True, array_like=True, tag=3):
    """How a process ended."""

    exit_code: int
    signal: int
    cpu_seconds: float
    """Of the process and all processes that it waited for."""
    peak_bytes: int
    """The most memory that one of these held at once; 0 if it was less than the launcher's own."""


class Ran(msgspec.Struct, frozen=True, array_like=True, tag=4):
    """A call has ended."""

    end: ProcessEnd
    wall_seconds: float
    stdout: bytes
    stderr: bytes
    files: dict[str, bytes]
    too_large: list[str]
    """Outputs that are larger than the limit."""
    left: dict[str, str]
    """Outputs that are no regular files, and what they are."""


class Tried(msgspec.Struct, frozen=True, array_like=True, tag=5):
    """Of each path the number of the error, or 0."""

    errors: list[int]


class ScratchFile(msgspec.Struct, frozen=True, array_like=True):
    """A regular file of the scratch folder."""

    name: str
    size: int
    executable: bool
    head: bytes
    """How it begins."""


class FileList(msgspec.Struct, frozen=True, array_like=True, tag=6):
    """What is there, by name."""

    files: list[ScratchFile]
    is_cut: bool
    """Whether there is more."""


class Taken(msgspec.Struct, frozen=True, array_like=True, tag=7):
    """The files of a program's scratch folder that were read."""

    files: dict[str, bytes]
    too_large: list[str]
    """Files that are larger than the limit, or that came after the limit of all together was reached."""


LauncherRequest: TypeAlias = Prepare | StartResident | AwaitEnd | RunCall | Try | WriteFiles | ListFiles | TakeFiles
LauncherReply: TypeAlias = Done | Refused | ProcessEnd | Ran | Tried | FileList | Taken

REQUESTS: Final = msgspec.msgpack.Decoder(LauncherRequest)
REPLIES: Final = msgspec.msgpack.Decoder(LauncherReply)
