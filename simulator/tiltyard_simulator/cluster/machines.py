"""The machines of a cluster as the coordinator sees them: which are there, which may play, what each has to do."""

from __future__ import annotations

import itertools
import queue
import time
import uuid
from asyncio import CancelledError
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from enum import Enum, StrEnum, auto
from heapq import heappop, heappush
from math import inf
from typing import Any, Final, TypeAlias

import msgspec

from tiltyard_engine.errors import UserError, describe
from tiltyard_simulator.cluster import remote_worker
from tiltyard_simulator.cluster.chunks import PendingMatch
from tiltyard_simulator.cluster.messages import ENCODER, REPORTS, MachineRequirements, Plugin, Report
from tiltyard_simulator.cluster.shipping import Moves, pack

LOOK_SECONDS: Final = 0.5
"""Between two looks at who is there."""
PATIENCE_SECONDS: Final = 30.0
"""After so long without a machine it is said what to look at."""

Say: TypeAlias = Callable[[str], None]


class State(Enum):
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


_CALL: Final = "__import__('importlib').import_module('tiltyard_simulator.cluster.remote_worker').{}(data)"
"""What a task evaluates. Were our functions sent themselves, a worker without tiltyard could not even read the message, and would
end for that; and the scheduler, which reads it too, would need tiltyard."""


@dataclass(slots=True, eq=False)
class Task:
    """A Dask task that is bound to one machine."""

    machine: Machine
    kind: TaskKind
    future: Any
    """Dask's."""
    chunk: Sequence[PendingMatch] = ()
    exclusive: bool = False
    """Whether the machine plays nothing else meanwhile."""
    plugin: Plugin | None = None
    """What a machine that may play already is examined for, or is sent, because it is to play a new team."""


@dataclass(slots=True, eq=False, kw_only=True)
class Machine:
    """A Dask worker. Once it is ready, all its tasks are chunks."""

    address: str
    threads: int
    host: str = ""
    """The name of the machine that it runs on, once that is known."""
    state: State = State.EXAMINED
    moves: Moves | None = None
    """Where the teams' files lie there, once it is ready."""
    tasks: list[Task] = field(default_factory=list)
    sent: bool = False
    """Whether it was sent files."""

    @property
    def name(self) -> str:
        """Such as ``lab-3 (tcp://10.0.0.3:40123)``."""
        return f"{self.host} ({self.address})" if self.host else self.address

    @property
    def chunks(self) -> list[Task]:
        """The chunks that it was given, in the order in which it plays them: as many at once as it has threads."""
        return [task for task in self.tasks if task.kind is TaskKind.PLAY]

    def has_room(self, ahead: bool) -> bool:
        """Whether one that is ready can take a chunk: one a thread, and ``ahead`` some more, so that no thread waits for it."""
        if self._is_alone:
            return False
        return len(self.tasks) < self.threads + ((self.threads + 3) // 4 if ahead else 0)

    @property
    def load(self) -> float:
        """Of one that is ready: chunks a thread; infinite while it plays something that nothing may be played beside."""
        return inf if self._is_alone else len(self.tasks) / self.threads

    @property
    def _is_alone(self) -> bool:
        # Such a chunk is only given to a machine without others, and none is added to it.
        return bool(self.tasks) and self.tasks[0].exclusive


@dataclass(frozen=True, slots=True)
class Answered:
    """A machine has played a chunk, or has done what it was asked to do for a new team."""

    task: Task
    data: Any
    """Bytes; of a bundle that was sent a text: what went wrong."""


@dataclass(frozen=True, slots=True)
class Failed:
    """A machine couldn't do what it was asked to do for a new team."""

    task: Task
    reason: str


@dataclass(frozen=True, slots=True)
class Lost:
    """A machine is gone; what it was to play has to be played elsewhere."""

    machine: Machine
    playing: tuple[Task, ...]
    waiting: tuple[Task, ...]
    """What had not started there."""


class Machines:
    """All machines of a cluster. Those that do not meet the requirements are refused, whenever they join.

    Args:
        client: a distributed.Client of the cluster's scheduler; closed with this.
        wanted: what machines must be like.
        say: told, in a line each, of machines that come, go or are refused.
    """

    def __init__(self, client: Any, wanted: MachineRequirements, say: Say) -> None:
        self.wanted = wanted
        self.run = uuid.uuid4().hex
        """Tells this run from others on the same machines."""
        self._numbers = itertools.count()
        """Of tasks: no two of all runs may have the same key."""
        self._client = client
        self._scheduler = str(client.scheduler.address)
        self._say = say
        self._by_address: dict[str, Machine] = {}
        self._answers: queue.SimpleQueue[tuple[Task, Any]] = queue.SimpleQueue()
        self._bundles: dict[str, bytes] = {}
        self._refusals: dict[tuple[str, str], str] = {}
        """By host and what differs: for many workers on one host it is reported once."""
        self._begun = False
        self._looked = 0.0
        self._alone_since = time.monotonic()
        self._words = 0
        """Said so far about there being nobody."""
        self._by_load: list[tuple[float, str]] = []
        """A heap of (load, address) of machines. Entries of another load than a machine's present one are left over."""

    @property
    def ready(self) -> list[Machine]:
        """Those that may play."""
        return [machine for machine in self._by_address.values() if machine.state is State.READY]

    @property
    def threads(self) -> int:
        """How many matches are played at once."""
        return sum(machine.threads for machine in self.ready)

    def freest(self) -> Machine | None:
        """Of those that may play the one with the fewest chunks a thread; None: there is none.

        With hundreds of machines, this is asked too often to look at all of them.
        """
        while self._by_load:
            load, address = self._by_load[0]
            machine = self._by_address.get(address)
            if machine is not None and machine.state is State.READY and machine.load == load:
                return machine
            heappop(self._by_load)
        return None

    def begin(self) -> None:
        """Wait for machines, and examine those that are there.

        Raises:
            UserError: all of them differ from what is wanted, or the scheduler is gone.
        """
        while not self._by_address or any(machine.state is State.EXAMINED for machine in self._by_address.values()):
            for _ in self.step():
                pass
        ready = self.ready
        refusals = "\n".join(self._refusals.values())
        if not ready:
            raise UserError(f"{self._scheduler}: no machine can take part\n{refusals}")
        if refusals:
            self._say(refusals)
        self._begun = True
        hosts, threads = len({machine.host for machine in ready}), sum(machine.threads for machine in ready)
        self._say(f"{self._scheduler}: {hosts} machine{'s' * (hosts > 1)}, {threads} match{'es' * (threads > 1)} at once")

    def begin_at_once(self) -> None:
        """Wait for nobody: machines may come at any time, and all that happens to them is said."""
        self._begun = True

    def close(self) -> None:
        """Leave the cluster: end its match workers and cancel all tasks."""
        with suppress(Exception):
            if self._client.status == "running":
                addresses = [machine.address for machine in self.ready]
                self._client.run(remote_worker.leave, self.run, workers=addresses, wait=False, on_error="ignore")
        with suppress(Exception):
            self._client.close(timeout=2)

    def ask(
        self,
        machine: Machine,
        kind: TaskKind,
        data: bytes,
        chunk: Sequence[PendingMatch] = (),
        *,
        exclusive: bool = False,
        plugin: Plugin | None = None,
    ) -> None:
        """Give a machine a task. The answers to chunks, and to what is asked for a ``plugin``, come out of ``step``."""
        with self._expecting_the_scheduler():
            future = self._client.submit(
                eval,  # noqa: S307 -- of words of this module alone
                _CALL.format(kind),
                {"data": data},
                key=f"{kind}-{self.run}-{next(self._numbers)}",
                workers=[machine.address],
                priority=0 if kind is TaskKind.PLAY else 1,
            )
        task = Task(machine, kind, future, chunk, exclusive, plugin)
        machine.tasks.append(task)
        self._weigh(machine)
        self._client.loop.add_callback(self._follow, task)

    def forget_chunks(self) -> None:
        """Cancel the chunks that are still out."""
        for machine in self._by_address.values():
            chunks = machine.chunks
            machine.tasks = [task for task in machine.tasks if task not in chunks]
            self._weigh(machine)
            self._cancel(chunks)

    def step(self, patience: float = LOOK_SECONDS) -> Iterator[Answered | Failed | Lost]:
        """Wait a short time for an event, ``patience`` seconds at most, and handle it.

        Raises:
            UserError: the scheduler is gone, or a machine failed in what none may fail in.
        """
        due = max(0.0, self._looked + LOOK_SECONDS - time.monotonic())
        try:
            task, answer = self._answers.get(timeout=min(due, patience))
        except queue.Empty:
            if due <= patience:
                yield from self._look()
            return
        if isinstance(answer, BaseException):
            yield from self._failed(task, answer)
        elif task in task.machine.tasks:
            task.machine.tasks.remove(task)
            self._weigh(task.machine)
            if task.kind is TaskKind.PLAY or task.plugin is not None:
                yield Answered(task, answer)
            elif task.kind is TaskKind.KEEP:
                self._kept(task.machine, answer)
            else:
                self._reported(task.machine, answer)

    # Tasks

    def _weigh(self, machine: Machine) -> None:
        """Put a machine where it belongs now."""
        heappush(self._by_load, (machine.load, machine.address))

    async def _follow(self, task: Task) -> None:
        """In the client's own thread: wait for an answer, and fetch it."""
        try:
            answer = await self._client.gather(task.future, asynchronous=True)
        except (Exception, CancelledError) as error:
            self._answers.put((task, error))
        else:
            self._answers.put((task, answer))

    def _failed(self, task: Task, error: BaseException) -> Iterator[Failed | Lost]:
        """A task gave no answer: it was cancelled, its machine is lost or cannot do it, or the scheduler is gone."""
        yield from self._look()
        machine = task.machine
        if task not in machine.tasks:
            return
        machine.tasks.remove(task)
        self._weigh(machine)
        if task.kind is TaskKind.PLAY:
            raise UserError(f"{machine.name}: a chunk of matches failed there: {describe(error)}")
        if task.plugin is not None:
            yield Failed(task, f"it could not be checked there: {describe(error)}")
            return
        cause = error.__cause__ or error
        if isinstance(cause, ImportError | AttributeError):
            self._refuse(machine, f"tiltyard can't be imported there ({cause}); install it into its Dask worker's Python")
        else:
            self._refuse(machine, f"it could not be checked: {describe(error)}")

    def _cancel(self, tasks: Sequence[Task]) -> None:
        with suppress(Exception):
            if tasks and self._client.status == "running":
                self._client.cancel([task.future for task in tasks], force=True)

    @contextmanager
    def _expecting_the_scheduler(self) -> Iterator[None]:
        try:
            if self._client.status != "running":
                raise ConnectionError
            yield
        except (OSError, CancelledError) as error:
            raise UserError(
                f"{self._scheduler}: the Dask scheduler is gone. The matches played so far are saved. Start the cluster and run the"
                " same command to resume"
            ) from error

    # Machines

    def _look(self) -> Iterator[Lost]:
        """See who is there."""
        with self._expecting_the_scheduler():
            threads: dict[str, int] = self._client.nthreads()
        self._looked = time.monotonic()
        for address in sorted(self._by_address.keys() - threads.keys()):
            machine = self._by_address.pop(address)
            if machine.state is State.READY:
                self._say(f"{machine.name} is lost; its matches are played on other machines")
            chunks = machine.chunks
            self._cancel(machine.tasks)
            machine.tasks = []
            yield Lost(machine, tuple(chunks[: machine.threads]), tuple(chunks[machine.threads :]))
        for address in sorted(threads.keys() - self._by_address.keys()):
            machine = self._by_address[address] = Machine(address=address, threads=max(1, threads[address]))
            self.ask(machine, TaskKind.EXAMINE, ENCODER.encode(self.wanted))
        self._tell_if_nobody_is_there()

    def _tell_if_nobody_is_there(self) -> None:
        if any(machine.state is not State.REFUSED for machine in self._by_address.values()):
            self._alone_since, self._words = time.monotonic(), 0
        elif not self._words:
            self._words = 1
            who = "no machine has the same software" if self._by_address else "there is no machine"
            self._say(f"{self._scheduler}: {who}; waiting for machines. Start one with: dask worker {self._scheduler}")
        elif self._words == 1 and time.monotonic() - self._alone_since > PATIENCE_SECONDS:
            self._words = 2
            self._say(
                f"{self._scheduler}: still no machine. Check that 'dask worker {self._scheduler}' is running on the machines, that"
                " their logs say that they are registered, and that no firewall blocks this address"
            )

    def _reported(self, machine: Machine, data: bytes) -> None:
        try:
            report = REPORTS.decode(data)
        except msgspec.MsgspecError:
            self._refuse(machine, "it runs another version of tiltyard; install this version there and restart its Dask worker")
            return
        machine.host = report.host
        if report.differences:
            self._refuse(machine, *report.differences)
        elif report.missing:
            self._send(machine, report)
        else:
            machine.moves = Moves(self.wanted.plugins, report.places)
            machine.state = State.READY
            self._weigh(machine)
            if self._begun:
                self._say(f"{machine.name} joins")

    def _send(self, machine: Machine, report: Report) -> None:
        if machine.sent:
            names = ", ".join(plugin.source.name for plugin in self.wanted.plugins if plugin.digest in report.missing)
            self._refuse(machine, f"{names} can't be made the same there; check whether its command uses software that differs")
            return
        machine.sent = True
        for digest in report.missing:
            if digest not in self._bundles:
                plugin = next(plugin for plugin in self.wanted.plugins if plugin.digest == digest)
                self._bundles[digest] = ENCODER.encode(pack(plugin))
            self.ask(machine, TaskKind.KEEP, self._bundles[digest])

    def _kept(self, machine: Machine, problem: str) -> None:
        if problem:
            self._refuse(machine, problem)
        elif machine.state is State.EXAMINED and not machine.tasks:
            self.ask(machine, TaskKind.EXAMINE, ENCODER.encode(self.wanted))

    def _refuse(self, machine: Machine, *differences: str) -> None:
        machine.state = State.REFUSED
        key = machine.host or machine.address, "; ".join(differences)
        if key not in self._refusals:
            self._refusals[key] = f"{machine.name} can't take part: {key[1]}"
            if self._begun:
                self._say(self._refusals[key])
