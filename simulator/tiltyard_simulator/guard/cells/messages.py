"""What a host asks a cell and a zygote, and what these answer. Everything is decoded strictly by its type."""

from __future__ import annotations

from collections.abc import Callable
from enum import StrEnum
from typing import Any, Final, TypeAlias, Union

import msgspec

from tiltyard_engine.registry import Description, Reference, Source
from tiltyard_engine.results import Fault, Termination
from tiltyard_simulator.guard.cells.team_venv import TeamEnvironment
from tiltyard_simulator.guard.policy import CellPolicy, Confinement, PreparedPolicy

LOADING_SECONDS: Final = 10.0
LOADING_FACTOR: Final = 2.0
"""An import may take so much wall time, or so many times its limit of CPU time if that is more: the machine may be busy."""


def loading_seconds(limit: float) -> float:
    """How long an import with this limit of CPU time may take, in wall time."""
    return max(LOADING_SECONDS, LOADING_FACTOR * limit)


# Host and cell. Nothing that a cell says is trusted.


class FailureKind(StrEnum):
    """The verdicts that a cell may report about itself. Only the host can give the others."""

    CRASH = Termination.CRASH.value
    PROTOCOL = Termination.PROTOCOL.value
    OUT_OF_MEMORY = Termination.OUT_OF_MEMORY.value


class Failure(msgspec.Struct, frozen=True, array_like=True):
    """How the team's code failed, with the same messages as inline."""

    kind: FailureKind
    message: str
    traceback: str = ""


class Describe(msgspec.Struct, frozen=True, array_like=True, tag=20):
    """Import a plugin and describe what it contributes."""

    source: Source


class WatchInfos(msgspec.Struct, frozen=True, array_like=True, tag=23):
    """A tank that keeps its BattleInfo is a fault. Asked before a team's code is loaded: no team is told that it is checked."""


class OpenManager(msgspec.Struct, frozen=True, array_like=True, tag=21):
    """Load a GameManager and the game that it is for, and read the map by the game's own rules."""

    manager: Reference
    game: Reference
    map_name: bytes
    """UTF-8 with ``surrogatepass``, because a file's name need not be text."""
    map_data: bytes
    players: int
    rounds: int | None
    """End after so many rounds; None: play to the end."""
    prepared: bytes = b""
    """The map as the loader of a compiled GameManager made it; empty: there is none."""


class RunMatch(msgspec.Struct, frozen=True, array_like=True, tag=22):
    """Let the GameManager run a match. From here on the messages are those of ``broker.messages``."""

    seats: list[str]
    """Names, seat 1 first."""
    faults: list[Fault | None]
    """The faults of seats that failed before the match began."""
    seed: int
    verbose: bool
    records: bool
    """Whether what is recorded is wanted."""


class Done(msgspec.Struct, frozen=True, array_like=True, tag=1):
    """It was done. Also the first message of a cell or a launcher, when it has been confined."""


class Failed(msgspec.Struct, frozen=True, array_like=True, tag=2):
    """The team's code failed."""

    failure: Failure


class Described(msgspec.Struct, frozen=True, array_like=True, tag=20):
    """What the plugin's process says about it. Nothing of that is trusted."""

    description: Description


class UnionDecoder:
    """Decodes one of several types of messages. Each kind of seat adds its own.

    ``whole`` makes the type of the whole message from the union of these types.
    """

    def __init__(self, *types: Any, whole: Callable[[Any], Any] = lambda carried: carried) -> None:
        self._types: tuple[Any, ...] = ()
        self._whole = whole
        self.add(*types)

    def add(self, *types: Any) -> None:
        """Decode messages of these types as well."""
        self._types += types
        self.decode = msgspec.msgpack.Decoder(self._whole(Union[self._types])).decode  # noqa: UP007 -- no types that are known here


ENCODER: Final = msgspec.msgpack.Encoder()
REQUESTS: Final = UnionDecoder(Describe, WatchInfos, OpenManager, RunMatch)
REPLIES: Final = UnionDecoder(Done, Failed, Described)

EXIT_DISCONNECTED: Final = 113
"""A cell's exit code if its pipes were closed."""
EXIT_OUT_OF_MEMORY: Final = 114
"""A cell's exit code if no memory was left to report that."""
EXIT_UNCONFINED: Final = 115
"""A cell's exit code if it could not be set up, for people. The host believes it only of a cell that was never ready."""


def sendable(text: str) -> str:
    """The text with a question mark for each lone surrogate, such as in a file's name that is not valid UTF-8."""
    return text if text.isascii() else text.encode("utf-8", "replace").decode("utf-8")


# Host and zygote. Both are the host's own code.


class Setup(msgspec.Struct, frozen=True, array_like=True):
    """The first message to a new zygote, and the only one that all its cells can find in their memory. It names no team."""

    confinement: Confinement
    """The level alone."""
    preload: tuple[str, ...]
    """Modules to import before the first fork."""
    libraries: tuple[str, ...]
    """Shared libraries of the project to load before the first fork."""
    environment: TeamEnvironment | None = None
    """The team's own environment that it runs on; None: the runner's."""


Code: TypeAlias = tuple[str, Source]
"""The kind of what will be used, and where it is loaded from. All algorithms of a file are the same code."""


class Fork(msgspec.Struct, frozen=True, array_like=True):
    """Fork a cell. The descriptors of its three pipes are sent along: questions to read, answers to write, output to write.

    For a program, those of its standard input and output follow.
    """

    cell: int
    policy: CellPolicy
    code: tuple[Code, ...] = ()
    """What the cell will have to load, so that it may come from a template; empty if it must not."""
    version: str = ""
    """Another one if the code has changed."""
    modules: tuple[str, ...] = ()
    """Modules that the code mentions, and that a template imports before it."""
    spare: bool = False
    """Whether no match waits for it yet, so that it may wait for a template."""


class Become(msgspec.Struct, frozen=True, array_like=True):
    """What a forked process is to be, which only it reads.

    Its descriptors are sent along: a cell's as in ``Fork``, or a template's way to the clerk and its output; last, the ruleset.
    """

    prepared: PreparedPolicy
    code: tuple[Code, ...] = ()
    """What a template loads."""
    modules: tuple[str, ...] = ()
    """What it imports before that."""


class Started(msgspec.Struct, frozen=True, array_like=True, tag=1):
    """The zygote has imported everything."""


class Forked(msgspec.Struct, frozen=True, array_like=True, tag=2):
    """A cell was forked. Its pidfd is sent along, then its template's, if it has one."""

    cell: int
    import_seconds: float = 0.0
    """CPU time that its template used to load the code, which the cell need not do again, and to fork the cell."""
    template_began: float = 0.0
    """What its template's clock showed then. It must stand still from there on."""
    unfit: str = ""
    """Why it has no template, though its code is known."""


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
"""The largest message between host and zygote, in bytes. Only a policy's paths are long."""
SETUP: Final = msgspec.msgpack.Decoder(Setup)
FORK: Final = msgspec.msgpack.Decoder(Fork)
BECOME: Final = msgspec.msgpack.Decoder(Become)
REPORTS: Final = msgspec.msgpack.Decoder(Report)
