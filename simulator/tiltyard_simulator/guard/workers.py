"""Match workers: long-lived processes that play one match at a time and are replaced when they die.

A worker's death costs only the match that it was playing. That match is played again, and what was seen is kept with
its outcome: the machine's faults are nobody's. Workers end with the coordinating process, however that ends.
"""

from __future__ import annotations

import contextlib
import os
import selectors
import signal
import socket
import subprocess
import sys
import tempfile
from collections.abc import Generator, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Final

import msgspec

from tiltyard_engine.errors import UserError
from tiltyard_simulator.guard.holding import sweep_scratch
from tiltyard_simulator.guard.wire import frame, read_frame
from tiltyard_simulator.playing import MOST_ATTEMPTS, void
from tiltyard_simulator.specs import MatchOutcome, MatchSpec

MOST_FAILED_STARTS: Final = 5
"""Workers in a row that may die before they are ready."""
LOOK_SECONDS: Final = 1.0
"""Between two looks at workers that say nothing."""
MOST_STILL_LOOKS: Final = 10
"""A worker that somebody stopped (SIGSTOP) and did not let go on for so many looks is given up."""


class Ready(msgspec.Struct, frozen=True, array_like=True, tag=0):
    """A new worker's first message."""


class Played(msgspec.Struct, frozen=True, array_like=True, tag=1):
    """A match was played."""

    outcome: MatchOutcome


class Refused(msgspec.Struct, frozen=True, array_like=True, tag=2):
    """A match could not be set up; the message is for the user."""

    message: str


ENCODER: Final = msgspec.msgpack.Encoder()
SPECS: Final = msgspec.msgpack.Decoder(MatchSpec)
ANSWERS: Final = msgspec.msgpack.Decoder(Ready | Played | Refused)


@dataclass(slots=True)
class _Begun:
    """A match that was handed out, and what was seen of earlier attempts at it."""

    place: int
    spec: MatchSpec
    incidents: list[str] = field(default_factory=list)


@dataclass(slots=True)
class _Worker:
    process: subprocess.Popen[bytes]
    channel: socket.socket
    core: int = -1
    """The one for it and its cells."""
    begun: _Begun | None = None
    """The match that it plays."""
    ready: bool = False
    """Whether it has started."""
    still_looks: int = 0
    """Looks in a row that found it stopped."""


@dataclass(slots=True)
class WorkerExecutor:
    """Plays matches in ``workers`` processes, which wait for more between two schedules; closed, they end."""

    workers: int
    core: int | None = None
    """The core of its only worker where somebody else gives them out; -1 is none."""
    environment: Mapping[str, str] = field(default_factory=dict)
    """What its workers' environment has beside this process's."""
    _selector: selectors.BaseSelector = field(default_factory=selectors.DefaultSelector)
    _workers: dict[int, _Worker] = field(default_factory=dict)
    """By the file descriptor of their channel."""
    _failed_starts: int = 0
    _again: list[_Begun] = field(default_factory=list)
    """Matches whose worker died under them."""
    _exhausted: bool = False
    """Whether the last match has been handed out."""

    def play(self, matches: Iterable[tuple[int, MatchSpec]]) -> Generator[tuple[int, MatchOutcome], None, None]:
        """Outcomes as they come, each with its match's place; the next match is asked for when a worker is free.

        Raises:
            UserError: a match could not be set up, or workers die as soon as they start.
        """
        waiting = iter(matches)
        self._again.clear()
        self._exhausted = False
        try:
            while len(self._workers) < self.workers:
                self._start()
            while self._hand_out(waiting):
                heard = self._selector.select(LOOK_SECONDS)
                if not heard:
                    self._give_up_stopped_workers()
                for key, _ in heard:
                    yield from self._hear(self._workers[key.fd])
        finally:
            # Who is still at a match that nobody waits for any more could not be given another one.
            for worker in [worker for worker in self._workers.values() if worker.begun is not None]:
                self._bury(worker)

    def close(self) -> None:
        """End all workers."""
        for worker in list(self._workers.values()):
            worker.process.kill()
        for worker in list(self._workers.values()):
            self._bury(worker)
        # Those that were killed could not do it themselves.
        sweep_scratch(Path(tempfile.gettempdir()))
        self._selector.close()

    def _hear(self, worker: _Worker) -> Iterator[tuple[int, MatchOutcome]]:
        """Take what a worker says; the outcome of its match, if that has come to one."""
        answer = self._receive(worker)
        if isinstance(answer, Ready):
            worker.ready = True
            self._failed_starts = 0
            return
        if isinstance(answer, Refused):
            raise UserError(answer.message)
        begun, worker.begun = worker.begun, None
        if answer is None:
            reason = self._replace(worker)
            if begun is not None:
                begun.incidents.append(reason)
                if len(begun.incidents) < MOST_ATTEMPTS:
                    self._again.append(begun)
                else:
                    lost = void(len(begun.spec.algorithms), len(begun.incidents), reason)
                    yield begun.place, replace(lost, incidents=tuple(begun.incidents))
        elif begun is not None:
            outcome = answer.outcome
            yield begun.place, replace(outcome, incidents=(*begun.incidents, *outcome.incidents))

    def _start(self) -> None:
        ours, theirs = socket.socketpair()
        # Without -P the current folder would be a place that modules come from, and readable to teams.
        core = self._free_core()
        numbers = [str(number) for number in (theirs.fileno(), os.getpid(), core)]
        command = [sys.executable, "-P", "-m", "tiltyard_simulator.guard.worker_main", *numbers]
        with theirs:
            process = subprocess.Popen(
                command,
                env={**os.environ, **self.environment},
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                pass_fds=[theirs.fileno()],
                start_new_session=True,
            )
        self._workers[ours.fileno()] = _Worker(process, ours, core)
        self._selector.register(ours, selectors.EVENT_READ)

    def _free_core(self) -> int:
        """A core for a new worker; -1 where there are more workers than cores, and the machine shares out better."""
        if self.core is not None:
            return self.core
        cores = usable_cores()
        if self.workers > len(cores):
            return -1
        return min(set(cores).difference(worker.core for worker in self._workers.values()), default=-1)

    def _hand_out(self, waiting: Iterator[tuple[int, MatchSpec]]) -> bool:
        """Give matches to the workers that are free; whether there is anything left to wait for."""
        for worker in self._workers.values():
            if worker.ready and worker.begun is None:
                begun = self._again.pop() if self._again else next((_Begun(*match) for match in waiting), None)
                if begun is None:
                    self._exhausted = True
                    break
                worker.begun = begun
                # A worker that has died meanwhile says so when its channel is read.
                with contextlib.suppress(OSError):
                    worker.channel.sendall(frame(begun.place, ENCODER.encode(begun.spec)))
        return not self._exhausted or bool(self._again) or any(worker.begun is not None for worker in self._workers.values())

    def _receive(self, worker: _Worker) -> Ready | Played | Refused | None:
        """What the worker says; None if it has died."""
        try:
            number, body = read_frame(worker.channel.fileno())
            answer: Ready | Played | Refused = ANSWERS.decode(body)
        except (OSError, EOFError, msgspec.MsgspecError):
            return None
        expected = isinstance(answer, Ready) or (worker.begun is not None and number == worker.begun.place)
        return answer if expected else None

    def _give_up_stopped_workers(self) -> None:
        """Kill workers that were stopped and left so; then their channels say that they have died."""
        for worker in self._workers.values():
            worker.still_looks = worker.still_looks + 1 if _is_stopped(worker.process.pid) else 0
            if worker.still_looks >= MOST_STILL_LOOKS:
                worker.process.kill()

    def _replace(self, worker: _Worker) -> str:
        """Put a new worker in the place of a dead one; how that died."""
        reason = self._bury(worker)
        if not worker.ready:
            self._failed_starts += 1
            if self._failed_starts >= MOST_FAILED_STARTS:
                raise UserError(f"match workers die before they are ready: {reason}")
        self._start()
        return reason

    def _bury(self, worker: _Worker) -> str:
        self._selector.unregister(worker.channel)
        del self._workers[worker.channel.fileno()]
        worker.channel.close()
        worker.process.kill()
        status = worker.process.wait()
        return f"its match worker died: {f'signal {signal.Signals(-status).name}' if status < 0 else f'exit status {status}'}"


def usable_cores() -> list[int]:
    """The numbers of the cores that this process may use; none where the system does not tell."""
    return sorted(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else []


def _is_stopped(pid: int) -> bool:
    """Whether a process is held by a signal such as SIGSTOP; False where the kernel does not tell."""
    try:
        return Path(f"/proc/{pid}/stat").read_text(encoding="ascii", errors="replace").rpartition(")")[2].split()[0] in "Tt"
    except (OSError, IndexError):
        return False
