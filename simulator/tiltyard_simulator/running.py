"""Playing many matches on all cores. The order of results never depends on who finishes first."""

from __future__ import annotations

import multiprocessing
import os
import signal
import threading
from collections.abc import Callable, Generator, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from contextlib import closing, contextmanager
from multiprocessing import connection, forkserver
from typing import Protocol

from tiltyard_engine.errors import UserError
from tiltyard_simulator.playing import play_match
from tiltyard_simulator.specs import MatchOutcome, MatchSpec

Finished = Callable[[int, MatchSpec, MatchOutcome], None]
"""Called as each match ends: its place in the schedule, the match, its outcome."""


class Executor(Protocol):
    """Plays matches somewhere and yields (place, outcome) as they end, in any order."""

    def play(self, specs: Sequence[MatchSpec]) -> Generator[tuple[int, MatchOutcome], None, None]:
        """Play all of ``specs``."""
        ...


def available_cores() -> int:
    """Cores that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def run_matches(specs: Sequence[MatchSpec], workers: int, finished: Finished | None = None) -> list[MatchOutcome]:
    """Outcomes in the order of ``specs``; ``workers`` processes, or this one alone for 1.

    Raises:
        UserError: a match could not be set up, or a worker process died.
        KeyboardInterrupt: as it comes; ``finished`` has been told of all that was played until then.
    """
    workers = min(workers, len(specs))
    executor: Executor = ProcessExecutor(workers) if workers > 1 else InlineExecutor()
    outcomes: dict[int, MatchOutcome] = {}
    with closing(executor.play(specs)) as playing:
        for place, outcome in playing:
            outcomes[place] = outcome
            if finished is not None:
                finished(place, specs[place], outcome)
    return [outcomes[place] for place in range(len(specs))]


class InlineExecutor:
    """Plays one match after the other in this process."""

    def play(self, specs: Sequence[MatchSpec]) -> Generator[tuple[int, MatchOutcome], None, None]:
        """In order."""
        for place, spec in enumerate(specs):
            yield place, play_match(spec)


class ProcessExecutor:
    """Plays matches in ``workers`` processes that live for the whole run."""

    def __init__(self, workers: int) -> None:
        self.workers = workers

    def play(self, specs: Sequence[MatchSpec]) -> Generator[tuple[int, MatchOutcome], None, None]:
        """As they end; a few matches a worker are queued ahead, no more, so that a stop is quick."""
        _start_forkserver()
        pool = ProcessPoolExecutor(self.workers, multiprocessing.get_context("forkserver"), _prepare_worker)
        waiting: dict[Future[MatchOutcome], int] = {}
        places = iter(range(len(specs)))
        try:
            while True:
                while len(waiting) < 3 * self.workers and (place := next(places, None)) is not None:
                    with _interrupts_put_off():
                        waiting[pool.submit(play_match, specs[place])] = place
                if not waiting:
                    break
                for future in sorted(wait(waiting, return_when=FIRST_COMPLETED).done, key=lambda done: waiting[done]):
                    outcome = future.result()
                    yield waiting.pop(future), outcome
        except BrokenProcessPool as error:
            raise UserError(self._blame(specs, waiting)) from error
        finally:
            with _interrupts_put_off():
                if waiting:
                    for process in list((pool._processes or {}).values()):
                        process.kill()
                pool.shutdown(cancel_futures=True)

    def _blame(self, specs: Sequence[MatchSpec], waiting: dict[Future[MatchOutcome], int]) -> str:
        """Matches are begun in the order of the schedule, so the first ones without an outcome were being played."""
        unfinished = sorted(place for future, place in waiting.items() if future.done() and future.exception() is not None)
        playing = [_describe(specs[place]) for place in unfinished[: self.workers]]
        one = "this match" if len(playing) == 1 else "one of these matches"
        return f"a worker process died; {one} killed it: {'; '.join(playing)}"


@contextmanager
def _interrupts_put_off() -> Iterator[None]:
    """Let Ctrl-C wait: in the middle of a pool's steps it would leave workers behind that nobody knows of."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    came: list[int] = []
    previous = signal.signal(signal.SIGINT, lambda number, frame: came.append(number))
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, previous)
    if came:
        raise KeyboardInterrupt


def _start_forkserver() -> None:
    """Start the process that workers are forked from, so that it and they ignore Ctrl-C from their first moment.

    Ctrl-C is the coordinating process's to handle; a worker that it reached while it starts would print a traceback.
    """
    if threading.current_thread() is not threading.main_thread():
        return
    previous = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        forkserver.ensure_running()
    finally:
        signal.signal(signal.SIGINT, previous)


def _prepare_worker() -> None:
    """In each worker: leave Ctrl-C alone, and end with the coordinating process, however that ends."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    threading.Thread(target=_end_with_parent, daemon=True).start()


def _end_with_parent() -> None:
    parent = multiprocessing.parent_process()
    assert parent is not None
    connection.wait([parent.sentinel])
    os._exit(1)


def _describe(spec: MatchSpec) -> str:
    return f"{' against '.join(spec.names)} on {spec.map.name}"
