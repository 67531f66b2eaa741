"""Match workers: long-lived processes that play one match at a time and are replaced when they die.

If a worker dies, only its current match is lost. That match is played again, and its record says what happened: nobody is charged
with the machine's faults. Workers end with the coordinating process, however that ends.
"""

from __future__ import annotations

import contextlib
import os
import selectors
import signal
import socket
import tempfile
import time
from collections import deque
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Final

import msgspec

from tiltyard_engine.data_classes import dataclass, field
from tiltyard_engine.errors import UserError
from tiltyard_engine.match_record import MatchRecord
from tiltyard_engine.registry import Reference
from tiltyard_engine.registry.sources import is_of
from tiltyard_simulator.guard.cells.wire import frame, read_frame
from tiltyard_simulator.guard.confinement.kernel.process_status import is_stopped
from tiltyard_simulator.guard.handover import HANDOVER
from tiltyard_simulator.guard.policy import Level
from tiltyard_simulator.guard.process_start import STARTING
from tiltyard_simulator.guard.scratch_folders import sweep_scratch
from tiltyard_simulator.guard.slow_imports import print_note
from tiltyard_simulator.match.isolation import Isolation
from tiltyard_simulator.match.own_distributions import OWN_DISTRIBUTIONS
from tiltyard_simulator.match.spec import MatchSpec
from tiltyard_simulator.play.arena import MOST_ATTEMPTS, void
from tiltyard_simulator.play.executor import Ended, usable_cores
from tiltyard_simulator.play.worker_messages import ANSWERS, ENCODER, Noted, Played, Ready, RefusedMatch, Task
from tiltyard_simulator.play.worker_process import WorkerProcess, start_worker

MOST_FAILED_STARTS: Final = 5
"""How many workers in a row may die before they are ready."""
LOOK_SECONDS: Final = 1.0
SWEEP_SECONDS: Final = 2.0
"""Between two checks of workers that send nothing."""
MOST_STILL_LOOKS: Final = 10
"""A worker that is found stopped (SIGSTOP) so many times in a row is killed."""


@dataclass(slots=True)
class _Running:
    """A match that was handed out, and why earlier attempts failed."""

    spec: MatchSpec
    incidents: list[str] = field(default_factory=list)


@dataclass(slots=True, kw_only=True)
class _Worker:
    process: WorkerProcess
    channel: socket.socket
    core: int = -1
    """The core for it and its cells; -1: any."""
    running: _Running | None = None
    """Its current match."""
    ready: bool = False
    """Whether it has started."""
    preloads: bool = False
    """Whether it was told who plays in this schedule."""
    still_looks: int = 0
    """How many checks in a row found it stopped."""


@dataclass(slots=True, kw_only=True)
class WorkerExecutor:
    """Plays matches in ``workers`` processes. They wait between two schedules, until ``close``."""

    workers: int
    core: int | None = None
    """The core of its only worker, if the caller assigns cores; -1: any."""
    environment: Mapping[str, str] = field(default_factory=dict)
    """Added to the environment of its workers."""
    level: Level | None = None
    """How workers confine cells. None: as well as this process finds that the machine can, so that all do it in the same way."""
    readable: tuple[str, ...] = ()
    """Folders in which teams will lie that are not known yet, for executors that outlive a schedule; see ``CellPool``."""
    niceness: int = 0
    """How much workers and their cells give way to other processes; added to this process's own."""
    _selector: selectors.BaseSelector = field(default_factory=selectors.DefaultSelector)
    _workers: dict[int, _Worker] = field(default_factory=dict)
    """By the file descriptor of their channel."""
    _failed_starts: int = 0
    _preload: tuple[Reference, ...] = ()
    """Who plays in this schedule."""
    _waiting: deque[_Running] = field(default_factory=deque)
    """Matches that were submitted, and wait for a worker."""
    _again: list[_Running] = field(default_factory=list)
    """Matches whose worker died."""
    _last_look: float = 0.0
    """When it was last looked whether workers stand still, by the monotonic clock."""

    def begin(self, preload: Iterable[Reference] = ()) -> None:
        """Start the workers, if they are not there yet.

        Args:
            preload: who plays in the matches that follow, as far as that is known.
        """
        HANDOVER.close()  # each worker has zygotes of its own
        self._preload = tuple(preload)
        if not all(is_of(each.source, OWN_DISTRIBUTIONS) for each in self._preload):
            # Before workers are forked: each of them would import it.
            import tiltyard_simulator.guard.cell_pool  # noqa: F401
        for worker in self._workers.values():
            worker.preloads = False
        while len(self._workers) < self.workers:
            self._start()

    @property
    def room(self) -> int:
        """How many workers have nothing to do."""
        free = sum(worker.ready and worker.running is None for worker in self._workers.values())
        return max(0, free - len(self._again) - len(self._waiting))

    @property
    def is_busy(self) -> bool:
        """Whether a match waits for a worker, or is being played."""
        return bool(self._waiting or self._again) or any(worker.running is not None for worker in self._workers.values())

    def submit(self, spec: MatchSpec) -> None:
        """Play a match as soon as a worker is free."""
        self._waiting.append(_Running(spec))
        self._hand_out()

    def poll(self, timeout: float) -> list[Ended]:
        """What has ended, after ``timeout`` seconds at the latest.

        Raises:
            UserError: workers die as soon as they start.
        """
        self._hand_out()
        messages = self._selector.select(min(timeout, LOOK_SECONDS))
        # Not only where no worker says anything: the others may have something to say all the time.
        if not messages or time.monotonic() - self._last_look >= LOOK_SECONDS:
            self._last_look = time.monotonic()
            self._give_up_stopped_workers()
        results = (self._hear(self._workers[key.fd]) for key, _ in messages)
        return [result for result in results if result is not None]

    def abandon(self) -> None:
        """Forget all that was submitted. A worker that still plays something is ended: it could not be given another match."""
        self._waiting.clear()
        self._again.clear()
        for worker in [worker for worker in self._workers.values() if worker.running is not None]:
            self._bury(worker)

    def close(self) -> None:
        """End all workers and their cells."""
        for worker in list(self._workers.values()):
            worker.process.kill()
        for worker in list(self._workers.values()):
            self._bury(worker)
        # Killed workers could not do this themselves.
        sweep_scratch(Path(tempfile.gettempdir()), SWEEP_SECONDS)
        self._selector.close()

    def _hear(self, worker: _Worker) -> Ended | None:
        """Read what a worker sends; what became of its match, if it had one that has ended."""
        answer = self._receive(worker)
        if isinstance(answer, Ready):
            worker.ready = True
            self._failed_starts = 0
            return None
        if isinstance(answer, Noted):
            print_note(answer.text)
            return None
        running, worker.running = worker.running, None
        if answer is None:
            reason = self._replace(worker)
            return None if running is None else self._lose(running, reason)
        if running is None:
            return None
        if isinstance(answer, RefusedMatch):
            return running.spec, UserError(answer.message)
        return running.spec, with_incidents(answer.record, running.incidents)

    def _lose(self, running: _Running, reason: str) -> Ended | None:
        """Have the match of a dead worker played again; what became of it if that was its last attempt."""
        running.incidents.append(reason)
        if len(running.incidents) < MOST_ATTEMPTS:
            self._again.append(running)
            return None
        return running.spec, void(running.spec, len(running.incidents), reason).changed(incidents=tuple(running.incidents))

    def _start(self, may_fork: bool = True) -> None:
        ours, theirs = socket.socketpair()
        core = self._free_core()
        try:
            with STARTING:
                with theirs:
                    process = start_worker(theirs, core, self.environment, may_fork)
                if self.niceness:
                    # What it starts takes that over. Where it has ended already, that is noticed when its channel is read.
                    with contextlib.suppress(OSError):
                        os.setpriority(os.PRIO_PROCESS, process.pid, os.getpriority(os.PRIO_PROCESS, 0) + self.niceness)
                self._workers[ours.fileno()] = _Worker(process=process, channel=ours, core=core)
                self._selector.register(ours, selectors.EVENT_READ)
        except BaseException:
            # Also Ctrl-C, after which a notebook's process lives on. Without a channel, what was started ends by itself.
            if ours.fileno() not in self._workers:
                ours.close()
            raise

    def _free_core(self) -> int:
        """The core with the fewest workers; -1 if the system names none.

        Also where there are more workers than cores. A worker that may move is often on another core than its cells, and their
        messages take three times as long.
        """
        if self.core is not None:
            return self.core
        in_use = [worker.core for worker in self._workers.values()]
        return min(usable_cores(), key=in_use.count, default=-1)

    def _hand_out(self) -> None:
        """Give matches to free workers, those whose worker died first."""
        for worker in self._workers.values():
            if not (self._again or self._waiting):
                return
            if worker.ready and worker.running is None:
                running = self._again.pop() if self._again else self._waiting.popleft()
                worker.running = running
                first = ((), ()) if worker.preloads else (self._preload, self.readable)
                task = Task(running.spec, self._level_for(running.spec), *first)
                worker.preloads = True
                # If the worker has died meanwhile, that is noticed when its channel is read.
                with contextlib.suppress(OSError):
                    worker.channel.sendall(frame(running.spec.place.number, ENCODER.encode(task)))

    def _level_for(self, spec: MatchSpec) -> Level | None:
        if self.level is None and Isolation.SANDBOX in spec.all_isolations:
            from tiltyard_simulator.guard.confinement.probes import probe_confinement

            self.level = probe_confinement().level
        return self.level

    def _receive(self, worker: _Worker) -> Ready | Played | RefusedMatch | Noted | None:
        """The worker's message; None if it has died."""
        try:
            number, body = read_frame(worker.channel.fileno())
            answer: Ready | Played | RefusedMatch | Noted = ANSWERS.decode(body)
        except (OSError, EOFError, msgspec.MsgspecError):
            return None
        expected = isinstance(answer, Ready | Noted) or (worker.running is not None and number == worker.running.spec.place.number)
        return answer if expected else None

    def _give_up_stopped_workers(self) -> None:
        """Kill workers that stay stopped. Then their channels are closed, as for all dead workers."""
        for worker in self._workers.values():
            # One that was killed for it may be looked at once more before its channel is read.
            if worker.still_looks < MOST_STILL_LOOKS:
                worker.still_looks = worker.still_looks + 1 if is_stopped(worker.process.pid) else 0
                if worker.still_looks == MOST_STILL_LOOKS:
                    worker.process.kill()

    def _replace(self, worker: _Worker) -> str:
        """Replace a dead worker. Returns how it died."""
        reason = self._bury(worker)
        if not worker.ready:
            self._failed_starts += 1
            if self._failed_starts >= MOST_FAILED_STARTS:
                raise UserError(f"match workers exit before they are ready: {reason}")
        # Not a fork: by now this process may hold much that a worker has no use for.
        self._start(may_fork=False)
        return reason

    def _bury(self, worker: _Worker) -> str:
        self._selector.unregister(worker.channel)
        del self._workers[worker.channel.fileno()]
        worker.channel.close()
        worker.process.kill()
        status = worker.process.wait()
        if worker.still_looks >= MOST_STILL_LOOKS:
            return "its match worker was stopped (SIGSTOP), so it was killed"
        return f"its match worker died: {f'signal {signal.Signals(-status).name}' if status < 0 else f'exit status {status}'}"


def with_incidents(record: MatchRecord, before: Sequence[str]) -> MatchRecord:
    """The record with what happened to earlier attempts at its match."""
    return record.changed(incidents=(*before, *record.outcome.incidents)) if before else record
