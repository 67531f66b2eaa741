"""The machines of a cluster: which are there, which may play, which of them hang, and whether the scheduler is there."""

from __future__ import annotations

import itertools
import threading
import time
import uuid
from collections.abc import Callable, Iterator, Sequence
from heapq import heappop, heappush
from typing import Any, Final, TypeAlias

import msgspec

from tiltyard_cluster import chunks as chunk_rules
from tiltyard_cluster.chunks import MatchTimes, PendingMatch
from tiltyard_cluster.machine import (
    Answered,
    FailedTask,
    Lost,
    Machine,
    MachineEvent,
    MachineState,
    MachineTask,
    TakenBack,
    TaskKind,
)
from tiltyard_cluster.messages import ENCODER, REPORTS, MachineRequirements, NeededPlugin, Report
from tiltyard_cluster.session import LEAVE_SECONDS, Presence, SchedulerGoneError, Session
from tiltyard_cluster.shipping import Moves, pack
from tiltyard_engine.errors import UserError, describe

LOOK_SECONDS: Final = 0.5
"""Between two looks at who is there."""
NOBODY_SECONDS: Final = 30.0
"""After so long without a machine it is said what to look at,"""
NOBODY_AGAIN_SECONDS: Final = 600.0
"""and again whenever so long has passed."""

Say: TypeAlias = Callable[[str], None]


class Machines:
    """All machines of a cluster. Those that do not meet the requirements are refused, whenever they join.

    Args:
        session: with the cluster's scheduler; closed with this.
        requirements: what machines must be like.
        say: told, in a line each, of machines that come, go, hang or are refused.
        come_back: waits for a scheduler that is gone; a session with it, or raises what ends the run. None: ``step`` raises.
    """

    def __init__(
        self, session: Session, requirements: MachineRequirements, say: Say, come_back: Callable[[UserError], Session] | None = None
    ) -> None:
        self.requirements = requirements
        self.run = uuid.uuid4().hex
        """Tells this run from others on the same machines."""
        self.times = MatchTimes()
        """What matches take, for whoever plays on these machines to learn."""
        self.overdue: list[MachineTask] = []
        """Chunks that take many times what they should."""
        self._numbers = itertools.count()
        """Of tasks: no two of all runs may have the same key."""
        self._session = session
        self._scheduler = self._session.address
        self._say = say
        self._come_back = come_back
        self._by_address: dict[str, Machine] = {}
        self._failures: list[tuple[float, MachineTask, BaseException]] = []
        """When a task gave no answer, and why; settled once it is known which machines were there after that."""
        self._bundles: dict[str, bytes] = {}
        self._refusals: dict[tuple[str, str], str] = {}
        """By host and what differs: for many workers on one host it is reported once."""
        self._greeted: set[str] = set()
        """Addresses of machines that have played: after a moment without a scheduler they don't join once more."""
        self._is_running = False
        self._last_look = -LOOK_SECONDS
        self._alone_since = time.monotonic()
        self._words = 0
        """Said so far about there being nobody."""
        self._by_load: list[tuple[float, str]] = []
        """A heap of (load, address) of machines. Entries of another load than a machine's present one are left over."""

    @property
    def ready(self) -> list[Machine]:
        """Those that may play."""
        return [machine for machine in self._by_address.values() if machine.state is MachineState.READY]

    @property
    def threads(self) -> int:
        """How many matches are played at once."""
        return sum(machine.threads for machine in self.ready)

    def say(self, line: str) -> None:
        """Tell whoever watches the machines."""
        self._say(line)

    def freest(self) -> Machine | None:
        """Of those that may play the one with the fewest chunks a thread, one that may hang last; None: there is none.

        With hundreds of machines, this is asked too often to look at all of them.
        """
        while self._by_load:
            load, address = self._by_load[0]
            machine = self._by_address.get(address)
            if machine is not None and machine.state is MachineState.READY and machine.load == load:
                return machine
            heappop(self._by_load)
        return None

    def begin(self) -> None:
        """Wait for machines, and examine those that are there. One that takes long over it isn't waited for if there are others.

        Raises:
            UserError: all of them differ from what is wanted, or the scheduler is gone.
        """
        while self._is_waiting():
            for _ in self.step():
                pass
        ready = self.ready
        refusals = "\n".join(self._refusals.values())
        if not ready:
            raise UserError(f"{self._scheduler}: no machine can take part\n{refusals}")
        if refusals:
            self._say(refusals)
        self._is_running = True
        hosts, threads = len({machine.host for machine in ready}), sum(machine.threads for machine in ready)
        self._say(f"{self._scheduler}: {hosts} machine{'s' * (hosts > 1)}, {threads} match{'es' * (threads > 1)} at once")

    def _is_waiting(self) -> bool:
        examined = [machine for machine in self._by_address.values() if machine.state is MachineState.EXAMINED]
        if not self._by_address or (examined and not self.ready):
            return True
        return any(not machine.reported_wait for machine in examined)

    def begin_at_once(self) -> None:
        """Wait for nobody: machines may come at any time, and all that happens to them is said."""
        self._is_running = True

    def close(self) -> None:
        """Leave the cluster: end its match workers and cancel all tasks."""
        if ready := self.ready:
            self._session.end_run(self.run, [machine.address for machine in ready], LEAVE_SECONDS)
        self._session.close()

    def ask(
        self,
        machine: Machine,
        kind: TaskKind,
        data: bytes,
        chunk: Sequence[PendingMatch] = (),
        *,
        exclusive: bool = False,
        plugin: NeededPlugin | None = None,
    ) -> None:
        """Give a machine a task. The answers to chunks, and to what is asked for a ``plugin``, come out of ``step``."""
        task = MachineTask(machine, kind, chunk, exclusive, plugin)
        machine.tasks.append(task)
        if machine.doubted and kind is TaskKind.PLAY:
            machine.tried = True
        for pending in chunk:
            pending.out += 1
        self._weigh(machine)
        self._session.submit(task, data, f"{kind}-{self.run}-{next(self._numbers)}")

    def forget_chunks(self) -> None:
        """Cancel the chunks that are still out, but those that are overdue and settled: their machine may hang until it answers."""
        for machine in self._by_address.values():
            self._drop([task for task in machine.chunks if not (task.overdue and task.is_settled)])

    def step(self, patience: float = LOOK_SECONDS) -> Iterator[MachineEvent]:
        """Wait a short time for an event, ``patience`` seconds at most, and handle it.

        Raises:
            UserError: the scheduler is gone for good, or no machine is left that can play.
        """
        try:
            self._session.check()
        except SchedulerGoneError as error:
            if self._come_back is None:
                raise
            yield self._begin_again(error)
            return
        if time.monotonic() - self._last_look >= LOOK_SECONDS:
            self._look()
        answer = self._session.next(min(LOOK_SECONDS, patience))
        if isinstance(answer, Presence):
            yield from self._see(answer)
        elif answer is not None and answer[0] in answer[0].machine.tasks:
            task, data = answer
            if isinstance(data, BaseException):
                self._failures.append((time.monotonic(), task, data))
                self._look()
            else:
                self._take(task)
                self._trust(task.machine)
                yield from self._answered(task, data)

    def _answered(self, task: MachineTask, data: Any) -> Iterator[Answered]:
        if task.kind is TaskKind.PLAY or task.plugin is not None:
            yield Answered(task, data)
        elif task.kind is TaskKind.KEEP:
            self._take_note_of_files(task.machine, data)
        else:
            self._reported(task.machine, data)

    # Tasks

    def _weigh(self, machine: Machine) -> None:
        """Put a machine where it belongs now, and note when it could begin its chunks."""
        heappush(self._by_load, (machine.load, machine.address))
        now = time.monotonic()
        for task in machine.playing:
            task.start = task.start or now

    def _take(self, task: MachineTask) -> None:
        """A machine has a task no more."""
        task.machine.tasks.remove(task)
        for pending in task.chunk:
            pending.out -= 1
            pending.late -= task.overdue
        if task.overdue:
            self.overdue.remove(task)
        self._weigh(task.machine)

    def _drop(self, tasks: Sequence[MachineTask]) -> None:
        """Nobody waits for these tasks any more."""
        for task in tasks:
            self._take(task)
        self._session.cancel(tasks)

    def _settle_failures(self, at: float) -> Iterator[MachineEvent]:
        """Tasks that gave no answer although their machine was there afterwards, ``at`` the time when the scheduler was asked."""
        failures, self._failures = self._failures, []
        for failed, task, error in failures:
            if at < failed:
                self._failures.append((failed, task, error))
            elif task in task.machine.tasks:
                yield from self._failed(task, error)

    def _failed(self, task: MachineTask, error: BaseException) -> Iterator[MachineEvent]:
        machine = task.machine
        self._take(task)
        reason = " ".join(describe(error).split())
        cause = error.__cause__ or error
        if task.kind is TaskKind.PLAY:
            # It may be the machine or the matches. Whoever fails again elsewhere is void in the end, as after lost machines.
            self._refuse(machine, f"matches failed there ({reason}). Look at its Dask worker's log, and start the worker again")
            waiting = tuple(machine.chunks)
            self._drop(waiting)
            yield Lost(machine, (task,), waiting)
            if all(other.state is MachineState.REFUSED for other in self._by_address.values()):
                raise UserError(f"{self._scheduler}: no machine is left that can play\n" + "\n".join(self._refusals.values()))
        elif task.plugin is not None:
            yield FailedTask(task, f"it could not be checked there: {reason}")
        elif isinstance(cause, ImportError | AttributeError):
            self._refuse(machine, f"tiltyard can't be imported there ({cause}); install it into its Dask worker's Python")
        elif type(error).__name__ == "KilledWorker":
            self._refuse(machine, "its Dask worker dies while it is being checked; look at the worker's log")
        else:
            self._refuse(machine, f"it could not be checked: {reason}. Install the same versions of tiltyard and Dask there")

    # The scheduler

    def _begin_again(self, error: SchedulerGoneError) -> TakenBack:
        """Wait for the scheduler, and take back all chunks: it may remember nothing of them."""
        chunks = tuple(task for machine in self._by_address.values() for task in machine.chunks)
        for machine in self._by_address.values():
            for task in list(machine.tasks):
                self._take(task)
                task.dropped = True
        threading.Thread(target=self._session.close, name="tiltyard leaves a scheduler", daemon=True).start()
        assert self._come_back is not None
        self._session = self._come_back(error)
        # What machines may still play for the old run ends with its match.
        self._session.end_run(self.run, [machine.address for machine in self.ready])
        self.run = uuid.uuid4().hex
        self._by_address.clear()
        self._by_load.clear()
        self._failures.clear()
        self._last_look = -LOOK_SECONDS
        self._alone_since, self._words = time.monotonic(), 0
        return TakenBack(chunks)

    def _look(self) -> None:
        self._session.look()
        self._last_look = time.monotonic()

    # Machines

    def _see(self, presence: Presence) -> Iterator[MachineEvent]:
        """See who is there."""
        for address in sorted(self._by_address.keys() - presence.threads.keys()):
            machine = self._by_address.pop(address)
            if machine.state is MachineState.READY:
                self._say(f"{machine.name} is lost; its matches are played on other machines")
            playing, waiting = tuple(machine.playing), tuple(machine.chunks[machine.threads :])
            self._drop(list(machine.tasks))
            yield Lost(machine, playing, waiting)
        for address in sorted(presence.threads.keys() - self._by_address.keys()):
            machine = Machine(address=address, threads=max(1, presence.threads[address]))
            self._by_address[address] = machine
            self._examine(machine)
        yield from self._settle_failures(presence.at)
        self._tell_if_nobody_is_there()
        yield from self._see_who_hangs()

    def _see_who_hangs(self) -> Iterator[TakenBack]:
        now = time.monotonic()
        for machine in self._by_address.values():
            if machine.state is MachineState.EXAMINED:
                waited = now - machine.since
                if waited > max(chunk_rules.OVERDUE_SECONDS, 2 * machine.reported_wait):
                    machine.reported_wait = waited
                    self._say(f"{machine.name} has not reported for {waited:.0f} s whether it can play; it joins when it has")
                continue
            if machine.state is not MachineState.READY:
                continue
            playing = machine.playing
            for task in playing:
                waited = now - task.start
                if task.overdue or waited <= chunk_rules.OVERDUE_SECONDS:
                    continue
                if waited > self.times.most(pending.spec.input for pending in task.chunk):
                    self._doubt(task)
            late = [task for task in playing if task.overdue]
            if machine.doubted and late:
                self._tell_of_doubt(machine, late, now - late[0].start)
            if late and len(late) == machine.threads and (waiting := machine.chunks[machine.threads :]):
                self._drop(waiting)
                yield TakenBack(tuple(waiting))

    def _doubt(self, task: MachineTask) -> None:
        task.overdue = True
        self.overdue.append(task)
        for pending in task.chunk:
            pending.late += 1
        if not task.machine.doubted:
            task.machine.doubted = True
            task.machine.tried = False
            task.machine.reported_wait = 0.0
        self._weigh(task.machine)

    def _tell_of_doubt(self, machine: Machine, late: Sequence[MachineTask], waited: float) -> None:
        matches = [pending for task in late for pending in task.chunk if not pending.settled_by]
        if not matches or waited < 2 * machine.reported_wait:
            return
        machine.reported_wait = waited
        first = matches[0].spec
        others = f" and {len(matches) - 1} more" if len(matches) > 1 else ""
        expected = self.times.expected(first.input)
        usual = "" if expected is None else f", which usually takes {expected:.1f} s"
        self._say(
            f"{machine.name} has not answered for {waited:.0f} s: it plays {first.input.title}{usual}{others}."
            " The next machine that is free plays this as well, and the first result counts"
        )

    def _trust(self, machine: Machine) -> None:
        """Doubt a machine no more, because it has answered."""
        if machine.doubted:
            if machine.reported_wait:
                self._say(f"{machine.name} answers again")
            machine.doubted, machine.tried, machine.reported_wait = False, False, 0.0
            self._weigh(machine)

    def _tell_if_nobody_is_there(self) -> None:
        alone = time.monotonic() - self._alone_since
        if any(machine.state is not MachineState.REFUSED for machine in self._by_address.values()):
            self._alone_since, self._words = time.monotonic(), 0
        elif not self._words:
            self._words = 1
            who = "no machine has the same software" if self._by_address else "there is no machine"
            self._say(f"{self._scheduler}: {who}; waiting for machines. Start one with: dask worker {self._scheduler}")
        elif alone > NOBODY_SECONDS + (self._words - 1) * NOBODY_AGAIN_SECONDS:
            self._words += 1
            self._say(
                f"{self._scheduler}: still no machine. Check that 'dask worker {self._scheduler}' is running on the machines (one"
                " that was cut off from the scheduler ends), that their logs say that they are registered, and that no firewall"
                " blocks this address"
            )

    def _examine(self, machine: Machine) -> None:
        machine.since, machine.reported_wait = time.monotonic(), 0.0
        self.ask(machine, TaskKind.EXAMINE, ENCODER.encode(self.requirements))

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
            machine.moves = Moves(self.requirements.plugins, report.places)
            machine.state = MachineState.READY
            machine.reported_wait = 0.0
            self._weigh(machine)
            if self._is_running and machine.address not in self._greeted:
                self._say(f"{machine.name} joins")
            self._greeted.add(machine.address)

    def _send(self, machine: Machine, report: Report) -> None:
        if machine.has_files:
            names = ", ".join(plugin.source.name for plugin in self.requirements.plugins if plugin.digest in report.missing)
            self._refuse(machine, f"{names} can't be made the same there; check whether its command uses software that differs")
            return
        machine.has_files = True
        for digest in report.missing:
            if digest not in self._bundles:
                plugin = next(plugin for plugin in self.requirements.plugins if plugin.digest == digest)
                self._bundles[digest] = ENCODER.encode(pack(plugin))
            self.ask(machine, TaskKind.KEEP, self._bundles[digest])

    def _take_note_of_files(self, machine: Machine, problem: str) -> None:
        if problem:
            self._refuse(machine, problem)
        elif machine.state is MachineState.EXAMINED and not machine.tasks:
            self._examine(machine)

    def _refuse(self, machine: Machine, *differences: str) -> None:
        machine.state = MachineState.REFUSED
        key = machine.host or machine.address, "; ".join(differences)
        if key not in self._refusals:
            self._refusals[key] = f"{machine.name} can't take part: {key[1]}"
            if self._is_running:
                self._say(self._refusals[key])
