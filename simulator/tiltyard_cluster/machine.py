"""A machine of a cluster as the coordinator sees it, what it was asked to do, and how that ended."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from enum import Enum, StrEnum, auto
from itertools import islice
from math import inf
from typing import Any, Final

from tiltyard_cluster.chunks import PendingMatch
from tiltyard_cluster.messages import NeededPlugin
from tiltyard_cluster.shipping import Moves

LAST: Final = 1e6
"""Added to the load of a machine that may hang: all others are asked first."""


class MachineState(Enum):
    """What is known of a machine."""

    EXAMINED = auto()
    """It is being examined, or files are being sent to it."""
    READY = auto()
    REFUSED = auto()


class TaskKind(StrEnum):
    """What a machine is asked to do: the names of ``remote_worker``'s functions."""

    EXAMINE = "examine"
    KEEP = "keep"
    PLAY = "play"


@dataclass(slots=True, eq=False)
class MachineTask:
    """A Dask task that is bound to one machine."""

    machine: Machine
    kind: TaskKind
    chunk: Sequence[PendingMatch] = ()
    exclusive: bool = False
    """Whether the machine plays nothing else meanwhile."""
    plugin: NeededPlugin | None = None
    """What a machine that may play already is examined for, or is sent, because it is to play a new team."""
    future: Any = None
    """Dask's."""
    start: float = 0.0
    """When the machine could begin the chunk, by the monotonic clock; 0: others come first."""
    overdue: bool = False
    """Whether the chunk takes many times what it should."""
    dropped: bool = False
    """Whether nobody waits for it any more."""

    @property
    def is_settled(self) -> bool:
        """Whether the results of all of its matches are there, from other machines."""
        return all(pending.settled_by for pending in self.chunk)


@dataclass(slots=True, eq=False, kw_only=True)
class Machine:
    """A Dask worker, as the coordinator sees it."""

    address: str
    threads: int
    host: str = ""
    """The name of the machine that it runs on, once that is known."""
    state: MachineState = MachineState.EXAMINED
    since: float = 0.0
    """When the examination began, by the monotonic clock."""
    moves: Moves | None = None
    """Where the teams' files lie there, once it is ready."""
    tasks: list[MachineTask] = field(default_factory=list)
    has_files: bool = False
    """Whether it was sent files."""
    doubted: bool = False
    """Whether it may hang: it has answered nothing since one of its tasks was overdue."""
    tried: bool = False
    """Whether it was given a chunk since then, to see whether it answers."""
    reported_wait: float = 0.0
    """How many seconds it was waited for when that was last said."""

    @property
    def name(self) -> str:
        """Such as ``lab-3 (tcp://10.0.0.3:40123)``."""
        return f"{self.host} ({self.address})" if self.host else self.address

    @property
    def chunks(self) -> list[MachineTask]:
        """The chunks that it was given, in the order in which it plays them: as many at once as it has threads."""
        return [task for task in self.tasks if task.kind is TaskKind.PLAY]

    @property
    def free(self) -> int:
        """How many chunks more it could begin at once."""
        free = max(0, self.threads - len(self.chunks))
        if self._is_alone or (self.doubted and self.tried):
            return 0
        return min(free, 1) if self.doubted else free

    def has_room(self, ahead: bool) -> bool:
        """Whether one that is ready can take a chunk: one a thread, and ``ahead`` some more, so that no thread waits for it."""
        if not ahead or self._is_alone or self.doubted:
            return self.free > 0
        return len(self.tasks) < self.threads + (self.threads + 3) // 4

    @property
    def load(self) -> float:
        """Of one that is ready: chunks a thread; infinite while nothing may be added to them."""
        if self._is_alone or (self.doubted and not self.free):
            return inf
        return len(self.tasks) / self.threads + (LAST if self.doubted else 0.0)

    @property
    def playing(self) -> list[MachineTask]:
        """The chunks that it can have begun."""
        return list(islice((task for task in self.tasks if task.kind is TaskKind.PLAY), self.threads))

    @property
    def _is_alone(self) -> bool:
        # Such a chunk is only given to a machine without others, and none is added to it.
        return any(task.exclusive for task in self.tasks)


@dataclass(frozen=True, slots=True)
class Answered:
    """A machine has played a chunk, or has done what it was asked to do for a new team."""

    task: MachineTask
    data: Any
    """Bytes; of a bundle that was sent a text: what went wrong."""


@dataclass(frozen=True, slots=True)
class FailedTask:
    """A machine couldn't do what it was asked to do for a new team."""

    task: MachineTask
    reason: str


@dataclass(frozen=True, slots=True)
class Lost:
    """A machine is gone; what it was to play has to be played elsewhere."""

    machine: Machine
    playing: tuple[MachineTask, ...]
    waiting: tuple[MachineTask, ...]
    """What had not started there."""


@dataclass(frozen=True, slots=True)
class TakenBack:
    """Chunks that no machine has any more: they were waiting behind an overdue one, or the scheduler was gone."""

    chunks: tuple[MachineTask, ...]


MachineEvent = Answered | FailedTask | Lost | TakenBack
