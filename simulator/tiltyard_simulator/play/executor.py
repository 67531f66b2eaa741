"""Playing many matches: what every executor can do, and the one loop that drives them all.

An executor is asked whether it has room, is given matches one by one, and is polled for those that have ended. How many processes
or machines play them is its own affair, and never changes a result.
"""

from __future__ import annotations

import os
import time
from collections import deque
from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from contextlib import closing
from dataclasses import replace
from itertools import chain
from typing import Final, Protocol, TypeAlias, runtime_checkable

from tiltyard_engine.decisions import DecidedOutcome
from tiltyard_engine.errors import UserError
from tiltyard_engine.match_record import NO_CLAIM, NO_EVIDENCE, Evidence, MatchRecord, Outcome, outcome_of
from tiltyard_engine.registry import Reference
from tiltyard_engine.results import MANAGER_SEAT, Fault, Termination
from tiltyard_simulator.match.eligibility import Eligibility
from tiltyard_simulator.match.key import players_of
from tiltyard_simulator.match.spec import MatchSpec
from tiltyard_simulator.play.failure_watch import FailureWatch

POLL_SECONDS: Final = 1.0
"""So long at most the loop waits for a match to end, before it sees whether there is room."""
UNPLAYABLE: Final = "cannot be played"
"""The message of a match that could not be set up, and is void alone, begins with it."""

Ended: TypeAlias = tuple[MatchSpec, MatchRecord | UserError]
"""A match that has ended, with its record, or with the reason why it could not be set up."""
Finished: TypeAlias = Callable[[MatchSpec, MatchRecord], None]
"""Called when a match ends, with the match and its record."""
OnRefusal: TypeAlias = Callable[[MatchSpec, UserError], MatchRecord]
"""Gets a match that could not be set up, such as one of a team whose folder is gone, and why. Returns what is put in place of
its record, or raises what ends the schedule."""


@runtime_checkable
class Executor(Protocol):
    """Plays matches that are handed to it one by one, as many at once as it can. It can be used for many schedules."""

    def begin(self, preload: Iterable[Reference] = ()) -> None:
        """Make ready for matches.

        Args:
            preload: who plays in them, as far as that is known. Nothing but time depends on it.
        """
        ...

    @property
    def room(self) -> int:
        """How many matches more could begin at once, at least; 0: none could."""
        ...

    @property
    def is_busy(self) -> bool:
        """Whether a match was submitted that has not come out of ``poll``."""
        ...

    def submit(self, spec: MatchSpec) -> None:
        """Play a match, at once if there is room. All that have not come out of ``poll`` have different places."""
        ...

    def poll(self, timeout: float) -> list[Ended]:
        """What has ended, after ``timeout`` seconds at the latest. That a match cannot be set up is its own outcome alone.

        Raises:
            UserError: nothing can be played any more.
        """
        ...

    def abandon(self) -> None:
        """Forget all that was submitted, and end what is being played."""
        ...


OpenExecutor: TypeAlias = Callable[[], Executor]
"""Called once, or more often with the same result."""


def raise_refusal(spec: MatchSpec, error: UserError) -> MatchRecord:
    """Raise an error that names the match."""
    raise UserError(f"{spec.input.title}: {error}", see=error.see) from error


def record_refusal(spec: MatchSpec, error: UserError) -> MatchRecord:
    """A void record: this match alone counts for nobody, and all others are played."""
    message = f"{UNPLAYABLE}: {error}"
    fault = Fault(MANAGER_SEAT, Termination.VOID, message, 0)
    outcome = outcome_of(NO_CLAIM, 0, (1,) * len(spec.input.teams), (fault,), incidents=(message,))
    return MatchRecord(outcome=spec.label(outcome))


def play_all(
    matches: Iterable[MatchSpec],
    executor: Executor | OpenExecutor,
    refused: OnRefusal = raise_refusal,
    preload: Iterable[Reference] = (),
) -> Generator[MatchRecord, None, None]:
    """Play matches, which have different places, and yield their records as they end. The next one is taken when it can begin.

    However this ends, also by Ctrl-C or because it is closed, the executor plays nothing afterwards.

    Args:
        matches: the schedule.
        executor: plays them; or gives what does, and is called only if there is a match.
        refused: what becomes of a match that cannot be set up. What it raises first is raised when all that were begun have ended.
        preload: who plays in them, as far as that is known.

    Raises:
        UserError: raised by ``refused``, or by the executor because nothing can be played any more.
    """
    schedule = iter(matches)
    if not isinstance(executor, Executor):
        first = next(schedule, None)
        if first is None:
            return
        schedule, executor = chain([first], schedule), executor()
    is_over = False
    refusal: UserError | None = None
    try:
        executor.begin(preload)
        while True:
            # Where nothing is played, the next one is taken without room: there may be none, and then nobody waits for room.
            while not is_over and (executor.room or not executor.is_busy):
                match = next(schedule, None)
                if match is None:
                    is_over = True
                else:
                    executor.submit(match)
            if not executor.is_busy:
                break
            for spec, result in executor.poll(POLL_SECONDS):
                try:
                    record = result if isinstance(result, MatchRecord) else refused(spec, result)
                except UserError as error:
                    is_over, refusal = True, refusal or error
                else:
                    yield record
        if refusal is not None:
            raise refusal
    finally:
        executor.abandon()


def play_schedule(
    specs: Sequence[MatchSpec],
    executor: Executor | OpenExecutor,
    eligibility: Eligibility,
    finished: Finished,
    *,
    stored: Callable[[MatchSpec], Outcome | None] = lambda spec: None,
    started: Callable[[MatchSpec], None] = lambda spec: None,
    refused: OnRefusal = raise_refusal,
    watch: FailureWatch | None = None,
) -> None:
    """Play a part of a schedule. Matches of quarantined teams are forfeits, and stored matches are not played again.

    Args:
        specs: the matches, with consecutive places.
        executor: as for ``play_all``.
        eligibility: who may play, by all matches before these.
        finished: called with each match as it ends, in any order. If it was not played now, ``played`` is false, and there is no
            evidence.
        stored: gives the outcome of a match that was played before; None: it must be played.
        started: called with each match that is handed out.
        refused: what becomes of a match that cannot be set up.
        watch: ends the schedule where no match can succeed; None: all are played.

    Raises:
        UserError: a match could not be set up, and ``refused`` raised this. All matches that had been started have ended.
        EarlyEndError: raised by ``watch``.
    """
    watch = FailureWatch(ends_nothing=True) if watch is None else watch
    waiting = deque(specs)
    first = specs[0].place.number if specs else 0

    def end(spec: MatchSpec, outcome: Outcome, evidence: Evidence = NO_EVIDENCE) -> None:
        counted = eligibility.add(spec, outcome)
        # What was decided about a match is no part of what was played.
        own = outcome if outcome.played and isinstance(counted, DecidedOutcome) else counted
        finished(spec, MatchRecord(outcome=own, evidence=evidence))
        watch.end(spec, counted, waiting)

    def to_play() -> Iterator[MatchSpec]:
        while waiting:
            spec = watch.take(waiting)
            outcome = eligibility.without_playing(spec, stored)
            if outcome is not None:
                end(spec, replace(spec.label(outcome), played=False))
            else:
                started(spec)
                yield spec

    with closing(play_all(to_play(), executor, refused, players_of(specs))) as playing:
        for record in playing:
            end(specs[record.outcome.place - first], record.outcome, record.evidence)


class InlineExecutor:
    """Plays one match after the other in this process."""

    def __init__(self) -> None:
        from tiltyard_simulator.play.arena import Arena  # with all that guards

        self._arena = Arena(next(iter(usable_cores()), None))
        self._waiting: deque[MatchSpec] = deque()

    def begin(self, preload: Iterable[Reference] = ()) -> None:
        """Be told who plays in the matches that follow, as far as that is known."""
        self._arena.preload(preload)

    @property
    def room(self) -> int:
        """One match, if none waits."""
        return int(not self._waiting)

    @property
    def is_busy(self) -> bool:
        """Whether a match waits for ``poll``."""
        return bool(self._waiting)

    def submit(self, spec: MatchSpec) -> None:
        """Play a match at the next ``poll``."""
        self._waiting.append(spec)

    def poll(self, timeout: float) -> list[Ended]:
        """Play what was submitted, however long it takes; wait for ``timeout`` seconds if there is nothing."""
        if not self._waiting:
            time.sleep(timeout)
        results = [(spec, self._play(spec)) for spec in self._waiting]
        self._waiting.clear()
        return results

    def abandon(self) -> None:
        """Forget what waits for ``poll``."""
        self._waiting.clear()

    def _play(self, spec: MatchSpec) -> MatchRecord | UserError:
        try:
            return self._arena.play(spec)
        except UserError as error:
            return error

    def close(self) -> None:
        """End all that is left of the teams' processes."""
        self._arena.close()


def usable_cores() -> list[int]:
    """The numbers of the cores that this process may use; none if the system doesn't tell."""
    return sorted(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else []


def available_cores() -> int:
    """Cores that this process may use."""
    return len(usable_cores()) or os.cpu_count() or 1
