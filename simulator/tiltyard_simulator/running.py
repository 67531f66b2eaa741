"""Playing many matches on all cores. The order of results never depends on who finishes first."""

from __future__ import annotations

import multiprocessing
import os
import signal
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from typing import Protocol

from tiltyard_engine.errors import UserError
from tiltyard_simulator.playing import play_match
from tiltyard_simulator.specs import MatchOutcome, MatchSpec

Finished = Callable[[int, MatchSpec, MatchOutcome], None]
"""Called as each match ends: its place in the schedule, the match, its outcome."""


class Executor(Protocol):
    """Plays matches somewhere and yields (place, outcome) as they end, in any order."""

    def play(self, specs: Sequence[MatchSpec]) -> Iterator[tuple[int, MatchOutcome]]:
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
    for place, outcome in executor.play(specs):
        outcomes[place] = outcome
        if finished is not None:
            finished(place, specs[place], outcome)
    return [outcomes[place] for place in range(len(specs))]


class InlineExecutor:
    """Plays one match after the other in this process."""

    def play(self, specs: Sequence[MatchSpec]) -> Iterator[tuple[int, MatchOutcome]]:
        """In order."""
        for place, spec in enumerate(specs):
            yield place, play_match(spec)


class ProcessExecutor:
    """Plays matches in ``workers`` processes that live for the whole run."""

    def __init__(self, workers: int) -> None:
        self.workers = workers

    def play(self, specs: Sequence[MatchSpec]) -> Iterator[tuple[int, MatchOutcome]]:
        """As they end; a few matches a worker are queued ahead, no more, so that a stop is quick."""
        pool = ProcessPoolExecutor(self.workers, multiprocessing.get_context("forkserver"), _ignore_interrupts)
        waiting: dict[Future[MatchOutcome], int] = {}
        places = iter(range(len(specs)))
        try:
            while True:
                while len(waiting) < 3 * self.workers and (place := next(places, None)) is not None:
                    waiting[pool.submit(play_match, specs[place])] = place
                if not waiting:
                    break
                for future in wait(waiting, return_when=FIRST_COMPLETED).done:
                    yield waiting.pop(future), future.result()
        except BrokenProcessPool as error:
            playing = "; ".join(_describe(specs[place]) for place in sorted(waiting.values()))
            raise UserError(f"a worker process died; one of these matches killed it: {playing}") from error
        finally:
            processes = list((pool._processes or {}).values())
            pool.shutdown(wait=False, cancel_futures=True)
            if waiting:
                for process in processes:
                    process.kill()


def _ignore_interrupts() -> None:
    """Ctrl-C is the coordinating process's to handle."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)


def _describe(spec: MatchSpec) -> str:
    return f"{' against '.join(spec.names)} on {spec.map.name}"
