"""What the host asks a program's launcher, and what that answers. Both are the host's own code; the program has no part in it."""

from __future__ import annotations

from typing import Final, TypeAlias

import msgspec


class Prepare(msgspec.Struct, frozen=True, array_like=True, tag=1):
    """Copy files and folders into the scratch folder: (from where, name)."""

    copies: list[tuple[str, str]]


class StartResident(msgspec.Struct, frozen=True, array_like=True, tag=2):
    """Start the command with the streams that came with the fork."""

    command: list[str]
    environment: dict[str, str]


class AwaitEnd(msgspec.Struct, frozen=True, array_like=True, tag=3):
    """Answer when the resident process has ended."""


class RunCall(msgspec.Struct, frozen=True, array_like=True, tag=4):
    """Run the command to its end."""

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


class Done(msgspec.Struct, frozen=True, array_like=True, tag=1):
    """It was done; also the launcher's first word."""


class Refused(msgspec.Struct, frozen=True, array_like=True, tag=2):
    """It could not be done."""

    message: str


class Ended(msgspec.Struct, frozen=True, array_like=True, tag=3):
    """How a process ended."""

    exit_code: int
    signal: int
    cpu_seconds: float
    """Of the process and all that it waited for."""
    peak_bytes: int
    """The most memory that one of these held at once; 0 where it was less than the launcher's own."""


class Ran(msgspec.Struct, frozen=True, array_like=True, tag=4):
    """A call has ended."""

    ended: Ended
    wall_seconds: float
    stdout: bytes
    stderr: bytes
    files: dict[str, bytes]
    too_large: list[str]
    """Outputs that are larger than the limit."""


LauncherRequest: TypeAlias = Prepare | StartResident | AwaitEnd | RunCall
LauncherReply: TypeAlias = Done | Refused | Ended | Ran

ENCODER: Final = msgspec.msgpack.Encoder()
REQUESTS: Final = msgspec.msgpack.Decoder(LauncherRequest)
REPLIES: Final = msgspec.msgpack.Decoder(LauncherReply)
