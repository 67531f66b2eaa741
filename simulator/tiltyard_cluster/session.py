"""The coordinator's side of Dask's scheduler: tasks go out, answers come back, and it is noticed when nobody is there any more.

The caller's thread never waits for the network: a scheduler that stands still, or a cable that was pulled out, would hold it up.
"""

from __future__ import annotations

import asyncio
import queue
import time
from collections import defaultdict
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Any, Final

from tiltyard_cluster import remote_worker
from tiltyard_cluster.machine import MachineTask, TaskKind
from tiltyard_engine.errors import UserError

SILENT_SECONDS: Final = 30.0
"""A scheduler that has left a question unanswered for so long is gone. TCP doesn't notice a process that stands still."""
AGAIN_SECONDS: Final = 1.0
"""Between two attempts to fetch an answer from its machine."""
LEAVE_SECONDS: Final = 5.0
"""A machine that hangs isn't waited for any longer at the end."""

_CALL: Final = "__import__('importlib').import_module('tiltyard_cluster.remote_worker').{}(data)"
"""What a task evaluates. Were our functions sent themselves, a worker without tiltyard could not even read the message, and would
end for that; and the scheduler, which reads it too, would need tiltyard."""


class SchedulerGoneError(UserError):
    """The scheduler can't be reached any more."""


@dataclass(frozen=True, slots=True)
class Presence:
    """Which workers the scheduler had at some time."""

    at: float
    """When that was asked, by the monotonic clock."""
    threads: dict[str, int]
    """The number of threads of each worker, by its address."""


class Session:
    """What is asked of a scheduler over one connection. Whatever comes back is got with ``next``.

    Args:
        client: a distributed.Client, which is closed with this.
    """

    def __init__(self, client: Any) -> None:
        self.address = str(client.scheduler.address)
        self._client = client
        self._answers: queue.SimpleQueue[Presence | tuple[MachineTask, Any]] = queue.SimpleQueue()
        self._question_at: float | None = None
        """When it was asked who is there, if that is not answered yet."""
        self._broken = ""
        """What was noticed that a session doesn't survive."""
        self._finished: defaultdict[str, list[MachineTask]] = defaultdict(list)
        """Answers that lie on a machine, by its address; fetched together, but never with another machine's, which may hang."""

    def submit(self, task: MachineTask, data: bytes, key: str) -> None:
        """Send a task to its machine."""
        try:
            task.future = self._client.submit(
                eval,  # noqa: S307 -- of words of this module alone
                _CALL.format(task.kind),
                {"data": data},
                key=key,
                workers=[task.machine.address],
                priority=0 if task.kind is TaskKind.PLAY else 1,
            )
            self._client.loop.add_callback(self._follow, task)
        except Exception:
            # Of a client that was closed meanwhile; the task is not lost: nobody has answered it when that is noticed.
            if self._client.status == "running":
                raise

    def cancel(self, tasks: Sequence[MachineTask]) -> None:
        """Nobody waits for these any more."""
        for task in tasks:
            task.dropped = True
        futures = [task.future for task in tasks if task.future is not None]
        with suppress(Exception):
            if futures and self._client.status == "running":
                self._client.cancel(futures, force=True)

    def look(self) -> None:
        """Ask who is there, unless that is still being answered."""
        if self._question_at is None:
            self._question_at = time.monotonic()
            with suppress(Exception):
                self._client.loop.add_callback(self._look, self._question_at)

    def next(self, seconds: float) -> Presence | tuple[MachineTask, Any] | None:
        """The next answer, or the exception in its place; None if there is none within so many seconds."""
        try:
            return self._answers.get(timeout=seconds)
        except queue.Empty:
            return None

    def check(self) -> None:
        """Whether the scheduler is there, as far as is known.

        Raises:
            SchedulerGoneError: it is not.
        """
        question_at = self._question_at
        reason = self._broken
        if not reason and self._client.status != "running":
            reason = "the connection was closed"
        if not reason and question_at is not None and time.monotonic() - question_at > SILENT_SECONDS:
            reason = f"it has not answered for {SILENT_SECONDS:.0f} s"
        if reason:
            raise SchedulerGoneError(
                f"{self.address}: the Dask scheduler is gone ({reason}). The matches played so far are saved. Start the cluster and"
                " run the same command to resume"
            )

    def end_run(self, run: str, addresses: Sequence[str], seconds: float = 0.0) -> None:
        """Have machines end the match workers of a run that is over, and wait for that so long; one that hangs does it later."""
        with suppress(Exception):
            if seconds:
                self._client.sync(self._leave, run, addresses, callback_timeout=seconds)
            else:
                self._client.loop.add_callback(self._leave, run, addresses)

    def close(self) -> None:
        """Leave the cluster, and cancel all tasks."""
        close_client(self._client)

    # In the client's own thread

    async def _leave(self, run: str, addresses: Sequence[str]) -> None:
        # Never to all: a worker without tiltyard ends when it can't read this.
        with suppress(Exception):
            await self._client.run(
                remote_worker.leave, run, workers=list(addresses), wait=False, on_error="ignore", asynchronous=True
            )

    async def _look(self, at: float) -> None:
        try:
            try:
                threads = await self._client.scheduler.ncores(workers=None)
            except OSError:
                # A connection that was not used for long may have been closed on the way.
                threads = await self._client.scheduler.ncores(workers=None)
        except (OSError, AttributeError) as error:
            self._broken = self._broken or f"it can no longer be asked: {type(error).__name__}"
            return
        self._question_at = None
        self._answers.put(Presence(at, threads))

    async def _follow(self, task: MachineTask) -> None:
        """Wait until a task ends, and fetch its answer."""
        await task.future._state.wait()
        # A machine that is lost right after its answer takes it along. Dask has the task played again when the machine is back.
        while task.future.status in ("lost", "pending"):
            await task.future._state.wait()
        if task.dropped:
            return
        if task.future.status == "finished":
            finished = self._finished[task.machine.address]
            finished.append(task)
            if len(finished) == 1:
                await self._fetch(finished)
        elif task.future.status == "cancelled":
            # Not by us: Dask's client has lost the connection, and with it all tasks, even if it has found another one since.
            self._broken = self._broken or "the connection was closed"
        else:
            self._answers.put((task, task.future._state.exception))

    async def _fetch(self, finished: list[MachineTask]) -> None:
        """Fetch answers from one machine, in the order in which they were made, and all that are made meanwhile."""
        while finished:
            batch = list(finished)
            try:
                response = await self._client.scheduler.gather(keys=[task.future.key for task in batch])
            except (OSError, AttributeError):
                # If the scheduler is gone, that is noticed elsewhere.
                response = {"status": "error", "keys": [task.future.key for task in batch]}
            # An answer of nothing was cut off on its way: what a machine says is never empty.
            answers = {key: answer for key, answer in response.get("data", {}).items() if answer is not None}
            failed = {task.future.key for task in batch} if response["status"] == "OK" else set(response["keys"])
            for task in batch:
                if (answer := answers.get(task.future.key)) is not None:
                    self._answers.put((task, answer))
                elif task.future.key in failed:
                    # The machine is gone, or the scheduler can't reach it. Which of the two shows.
                    asyncio.get_running_loop().call_later(AGAIN_SECONDS, self._client.loop.add_callback, self._follow, task)
                else:
                    continue
                finished.remove(task)


def close_client(client: Any) -> None:
    """Close a client whatever state it is in, with its thread and files."""
    with suppress(Exception):
        client.close(timeout=2)
    with suppress(Exception):
        client._loop_runner.stop(2)
