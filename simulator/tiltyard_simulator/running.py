"""Playing many matches on all cores. The order of results never depends on who finishes first."""

from __future__ import annotations

import os
from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from contextlib import closing, contextmanager
from typing import Protocol

from tiltyard_simulator.guard.workers import WorkerExecutor, usable_cores
from tiltyard_simulator.playing import Arena
from tiltyard_simulator.quarantine import Quarantine
from tiltyard_simulator.specs import MatchOutcome, MatchSpec

Finished = Callable[[int, MatchSpec, MatchOutcome], None]
"""Called as each match ends: its place in the schedule, the match, its outcome."""


class Executor(Protocol):
    """Plays matches somewhere and yields (place, outcome) as they end, in any order."""

    def play(self, matches: Iterable[tuple[int, MatchSpec]]) -> Generator[tuple[int, MatchOutcome], None, None]:
        """Play all of ``matches``, each with its place; the next one is asked for only when it can begin."""
        ...


def available_cores() -> int:
    """Cores that this process may use."""
    return len(usable_cores()) or os.cpu_count() or 1


def run_matches(
    specs: Sequence[MatchSpec], workers: int, finished: Finished | None = None, most_faults: int = 0
) -> list[MatchOutcome]:
    """Outcomes in the order of ``specs``; ``workers`` processes, or this one alone for 1.

    Args:
        specs: the schedule.
        workers: processes; never more than there are matches.
        finished: told of each match as it ends. A team's quarantine may turn out afterwards to come before a match
            that was played ahead; then the returned list has its forfeit.
        most_faults: after so many matches with a fault of its own a team is quarantined; 0: never.

    What failed seats were asked is only in the outcomes that ``finished`` is given.

    Raises:
        UserError: a match could not be set up, or a worker process died.
        KeyboardInterrupt: as it comes; ``finished`` has been told of all that was played until then.
    """
    quarantine = Quarantine(most_faults)

    def end(place: int, outcome: MatchOutcome) -> None:
        quarantine.add(place, specs[place], outcome.without_conversations())
        if finished is not None:
            finished(place, specs[place], outcome)

    def to_play() -> Iterator[tuple[int, MatchSpec]]:
        for place, spec in enumerate(specs):
            forfeit = quarantine.forfeit(spec)
            if forfeit is None:
                yield place, spec
            else:
                end(place, forfeit)

    with local_executor(min(workers, len(specs))) as executor, closing(executor.play(to_play())) as playing:
        for place, outcome in playing:
            end(place, outcome)
    return quarantine.settled


@contextmanager
def local_executor(workers: int) -> Iterator[Executor]:
    """Plays on this machine, in ``workers`` processes, or in this one alone for 1; it can be used for many schedules."""
    executor: InlineExecutor | WorkerExecutor = WorkerExecutor(workers) if workers > 1 else InlineExecutor()
    try:
        yield executor
    finally:
        executor.close()


class InlineExecutor:
    """Plays one match after the other, its manager in this process."""

    def __init__(self) -> None:
        self._arena = Arena(next(iter(usable_cores()), None))

    def play(self, matches: Iterable[tuple[int, MatchSpec]]) -> Generator[tuple[int, MatchOutcome], None, None]:
        """In order."""
        for place, spec in matches:
            yield place, self._arena.play(spec)

    def close(self) -> None:
        """End all that is left of the teams' processes."""
        self._arena.close()
