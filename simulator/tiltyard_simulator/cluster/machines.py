"""The machines of a cluster as the coordinator sees them: who is there, who may play, what each has to do."""

from __future__ import annotations

import queue
import time
import uuid
from asyncio import CancelledError
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from enum import Enum, auto
from typing import Any, Final, TypeAlias

import msgspec

from tiltyard_engine.errors import UserError, describe
from tiltyard_simulator.cluster import on_machine
from tiltyard_simulator.cluster.chunks import Begun
from tiltyard_simulator.cluster.messages import ENCODER, REPORTS, Report, Wanted
from tiltyard_simulator.cluster.shipping import Moves, pack

LOOK_SECONDS: Final = 0.5
"""Between two looks at who is there."""
PATIENCE_SECONDS: Final = 30.0
"""After so long without a machine it is said what to look at."""

Say: TypeAlias = Callable[[str], None]


class State(Enum):
    """What is known of a machine."""

    EXAMINED = auto()
    """It is being looked at, or sent files."""
    READY = auto()
    REFUSED = auto()


class Errand(Enum):
    """What a machine is asked to do."""

    EXAMINE = auto()
    KEEP = auto()
    PLAY = auto()


_FUNCTIONS: Final = {Errand.EXAMINE: "examine", Errand.KEEP: "keep", Errand.PLAY: "play"}
_CALL: Final = "__import__('importlib').import_module('tiltyard_simulator.cluster.on_machine').{}(data)"
"""What a task evaluates. Were our functions sent themselves, a worker without tiltyard could not even read the message, and would
end for that; and the scheduler, which reads it too, would need tiltyard."""


@dataclass(slots=True, eq=False)
class Task:
    """Something that a machine was asked to do: a Dask task that no other one may do."""

    machine: Machine
    errand: Errand
    future: Any
    """Dask's."""
    chunk: Sequence[Begun] = ()
    exclusive: bool = False
    """Whether the machine plays nothing else meanwhile."""


@dataclass(slots=True, eq=False)
class Machine:
    """A Dask worker."""

    address: str
    threads: int
    host: str = ""
    """The name of the machine that it runs on, once it has told."""
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
        """Those that it has, in the order in which it plays them; as many as it has threads at once."""
        return [task for task in self.tasks if task.errand is Errand.PLAY]

    @property
    def load(self) -> float:
        """Chunks a thread."""
        return len(self.chunks) / self.threads

    def has_room(self, ahead: bool) -> bool:
        """Whether it can take a chunk: one a thread, and ``ahead`` some more, so that no thread waits for one to travel."""
        if any(task.exclusive for task in self.tasks):
            return False
        return len(self.chunks) < self.threads + ((self.threads + 3) // 4 if ahead else 0)


@dataclass(frozen=True, slots=True)
class Answered:
    """A machine has played a chunk."""

    task: Task
    data: bytes


@dataclass(frozen=True, slots=True)
class Lost:
    """A machine is gone; what it was to play has to be played elsewhere."""

    machine: Machine
    playing: tuple[Task, ...]
    waiting: tuple[Task, ...]
    """What it had not begun."""


class Machines:
    """All machines of a cluster; those that are not as wanted are refused, whenever they join.

    Args:
        client: a distributed.Client of the cluster's scheduler; closed with this.
        wanted: what machines must be like.
        say: told, in a line each, of machines that come, go or are refused.
    """

    def __init__(self, client: Any, wanted: Wanted, say: Say) -> None:
        self.wanted = wanted
        self.run = uuid.uuid4().hex
        """Tells this run from others on the same machines."""
        self._client = client
        self._scheduler = str(client.scheduler.address)
        self._say = say
        self._by_address: dict[str, Machine] = {}
        self._answers: queue.SimpleQueue[tuple[Task, Any]] = queue.SimpleQueue()
        self._bundles: dict[str, bytes] = {}
        self._refusals: dict[tuple[str, str], str] = {}
        """By host and what differs: of many workers on one host it is said once."""
        self._begun = False
        self._looked = 0.0
        self._alone_since = time.monotonic()
        self._words = 0
        """Said so far about there being nobody."""

    @property
    def ready(self) -> list[Machine]:
        """Those that may play."""
        return [machine for machine in self._by_address.values() if machine.state is State.READY]

    def begin(self) -> None:
        """Wait for machines, and look at those that are there.

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

    def close(self) -> None:
        """Let go of the cluster: match workers end, and what nobody waits for any more is forgotten."""
        with suppress(Exception):
            if self._client.status == "running":
                addresses = [machine.address for machine in self.ready]
                self._client.run(on_machine.leave, self.run, workers=addresses, wait=False, on_error="ignore")
        with suppress(Exception):
            self._client.close(timeout=2)

    def ask(self, machine: Machine, errand: Errand, data: bytes, chunk: Sequence[Begun] = (), exclusive: bool = False) -> None:
        """Send a machine on an errand. The answers to chunks come out of ``step``."""
        with self._expecting_the_scheduler():
            priority = 0 if errand is Errand.PLAY else 1
            call = _CALL.format(_FUNCTIONS[errand])
            future = self._client.submit(
                eval, call, {"data": data}, key=f"{_FUNCTIONS[errand]}-{uuid.uuid4()}", workers=[machine.address], priority=priority
            )
        task = Task(machine, errand, future, chunk, exclusive)
        machine.tasks.append(task)
        self._client.loop.add_callback(self._follow, task)

    def forget_chunks(self) -> None:
        """Nobody waits for chunks any more."""
        for machine in self._by_address.values():
            chunks = machine.chunks
            machine.tasks = [task for task in machine.tasks if task not in chunks]
            self._cancel(chunks)

    def step(self) -> Iterator[Answered | Lost]:
        """Wait a little for something to happen, and do what follows from it.

        Raises:
            UserError: the scheduler is gone, or a machine failed in what none may fail in.
        """
        try:
            task, answer = self._answers.get(timeout=max(0.0, self._looked + LOOK_SECONDS - time.monotonic()))
        except queue.Empty:
            yield from self._look()
            return
        if isinstance(answer, BaseException):
            yield from self._failed(task, answer)
        elif task in task.machine.tasks:
            task.machine.tasks.remove(task)
            if task.errand is Errand.PLAY:
                yield Answered(task, answer)
            elif task.errand is Errand.KEEP:
                self._kept(task.machine, answer)
            else:
                self._reported(task.machine, answer)

    # Tasks

    async def _follow(self, task: Task) -> None:
        """In the client's own thread: wait for an answer, and fetch it."""
        try:
            answer = await self._client.gather(task.future, asynchronous=True)
        except (Exception, CancelledError) as error:
            self._answers.put((task, error))
        else:
            self._answers.put((task, answer))

    def _failed(self, task: Task, error: BaseException) -> Iterator[Answered | Lost]:
        """A task came to no answer: it was cancelled, its machine is lost or cannot do it, or the scheduler is gone."""
        yield from self._look()
        machine = task.machine
        if task not in machine.tasks:
            return
        machine.tasks.remove(task)
        if task.errand is Errand.PLAY:
            raise UserError(f"{machine.name}: a chunk of matches failed there: {describe(error)}")
        cause = error.__cause__ or error
        if isinstance(cause, ImportError | AttributeError):
            self._refuse(machine, [f"this tiltyard cannot be imported there ({cause}): install it into its Dask worker's Python"])
        else:
            self._refuse(machine, [f"it could not be looked at: {describe(error)}"])

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
                f"{self._scheduler}: the Dask scheduler is gone. What was played until then is kept; start the cluster and run it"
                " again to go on"
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
                self._say(f"{machine.name} is lost; what it had to play is played elsewhere")
            chunks = machine.chunks
            self._cancel(machine.tasks)
            machine.tasks = []
            yield Lost(machine, tuple(chunks[: machine.threads]), tuple(chunks[machine.threads :]))
        for address in sorted(threads.keys() - self._by_address.keys()):
            machine = self._by_address[address] = Machine(address, max(1, threads[address]))
            self.ask(machine, Errand.EXAMINE, ENCODER.encode(self.wanted))
        self._tell_if_nobody_is_there()

    def _tell_if_nobody_is_there(self) -> None:
        if any(machine.state is not State.REFUSED for machine in self._by_address.values()):
            self._alone_since, self._words = time.monotonic(), 0
        elif not self._words:
            self._words = 1
            who = "only machines that differ are there" if self._by_address else "no machine is there"
            self._say(f"{self._scheduler}: {who}; waiting for some: dask worker {self._scheduler}")
        elif self._words == 1 and time.monotonic() - self._alone_since > PATIENCE_SECONDS:
            self._words = 2
            self._say(
                f"{self._scheduler}: still nobody. Does 'dask worker {self._scheduler}' run on the machines, do their logs say that"
                " they are registered, can they reach this address through their firewall?"
            )

    def _reported(self, machine: Machine, data: bytes) -> None:
        try:
            report = REPORTS.decode(data)
        except msgspec.MsgspecError:
            self._refuse(machine, ["another version of tiltyard runs there: install this one, and start its Dask worker again"])
            return
        machine.host = report.host
        if report.differences:
            self._refuse(machine, report.differences)
        elif report.missing:
            self._send(machine, report)
        else:
            machine.moves = Moves(self.wanted.plugins, report.places)
            machine.state = State.READY
            if self._begun:
                self._say(f"{machine.name} joins")

    def _send(self, machine: Machine, report: Report) -> None:
        if machine.sent:
            names = ", ".join(plugin.source.name for plugin in self.wanted.plugins if plugin.digest in report.missing)
            self._refuse(machine, [f"{names} cannot be the same there: does its command name software that differs?"])
            return
        machine.sent = True
        for digest in report.missing:
            if digest not in self._bundles:
                plugin = next(plugin for plugin in self.wanted.plugins if plugin.digest == digest)
                self._bundles[digest] = ENCODER.encode(pack(plugin))
            self.ask(machine, Errand.KEEP, self._bundles[digest])

    def _kept(self, machine: Machine, problem: str) -> None:
        if problem:
            self._refuse(machine, [problem])
        elif machine.state is State.EXAMINED and not machine.tasks:
            self.ask(machine, Errand.EXAMINE, ENCODER.encode(self.wanted))

    def _refuse(self, machine: Machine, differences: Sequence[str]) -> None:
        machine.state = State.REFUSED
        key = machine.host or machine.address, "; ".join(differences)
        if key not in self._refusals:
            self._refusals[key] = f"{machine.name} differs and takes no part: {key[1]}"
            if self._begun:
                self._say(self._refusals[key])
