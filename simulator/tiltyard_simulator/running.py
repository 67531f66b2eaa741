"""Playing many matches on all cores. The order of results never depends on who finishes first."""

from __future__ import annotations

import os
from collections.abc import Callable, Generator, Sequence
from contextlib import closing
from typing import Protocol

from tiltyard_simulator.guard.workers import WorkerExecutor
from tiltyard_simulator.playing import Arena
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
    executor: Executor = WorkerExecutor(workers) if workers > 1 else InlineExecutor()
    outcomes: dict[int, MatchOutcome] = {}
    with closing(executor.play(specs)) as playing:
        for place, outcome in playing:
            outcomes[place] = outcome
            if finished is not None:
                finished(place, specs[place], outcome)
    return [outcomes[place] for place in range(len(specs))]


class InlineExecutor:
    """Plays one match after the other, its manager in this process."""

    def play(self, specs: Sequence[MatchSpec]) -> Generator[tuple[int, MatchOutcome], None, None]:
        """In order."""
        with Arena() as arena:
            for place, spec in enumerate(specs):
                yield place, arena.play(spec)
