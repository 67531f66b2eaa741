"""What a match worker and its zygote say to each other; both are the host's own code."""

from __future__ import annotations

from typing import Final, TypeAlias

import msgspec

from tiltyard_simulator.guard.confinement import CellPolicy, Confinement


class Setup(msgspec.Struct, frozen=True, array_like=True):
    """The first message to a new zygote."""

    confinement: Confinement
    preload: tuple[str, ...]
    """Modules to import before the first fork."""
    libraries: tuple[str, ...]
    """Shared libraries of the project's own to load before it."""


class Fork(msgspec.Struct, frozen=True, array_like=True):
    """Fork a cell. Its three pipe ends come along: questions to read, answers to write, output to write.

    Those of a program's standard input and output come after them.
    """

    cell: int
    policy: CellPolicy


class Started(msgspec.Struct, frozen=True, array_like=True, tag=1):
    """The zygote has preloaded everything."""


class Forked(msgspec.Struct, frozen=True, array_like=True, tag=2):
    """A cell was forked; its pidfd comes along."""

    cell: int


class Exited(msgspec.Struct, frozen=True, array_like=True, tag=3):
    """A cell has ended and been reaped."""

    cell: int
    status: int
    """The exit code, or minus the signal's number."""
    peak_bytes: int
    """The most memory that it held at once."""
    cpu_seconds: float


Report: TypeAlias = Started | Forked | Exited

LARGEST: Final = 1 << 17
"""Bytes of the largest message; a policy's paths are the only thing of any size."""
ENCODER: Final = msgspec.msgpack.Encoder()
SETUP: Final = msgspec.msgpack.Decoder(Setup)
FORK: Final = msgspec.msgpack.Decoder(Fork)
REPORTS: Final = msgspec.msgpack.Decoder(Report)
