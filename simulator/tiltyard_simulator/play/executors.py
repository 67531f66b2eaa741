"""Playing many matches on all cores. The order of results never depends on which match ends first."""

from __future__ import annotations

import os
import time
from collections import deque
from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from contextlib import closing
from dataclasses import replace
from typing import Protocol

from tiltyard_engine.errors import UserError
from tiltyard_engine.match_record import NO_EVIDENCE, Evidence, MatchRecord, Outcome
from tiltyard_engine.registry import Reference
from tiltyard_simulator.match.key import players_of
from tiltyard_simulator.match.quarantine import Quarantine
from tiltyard_simulator.match.spec import MatchSpec
from tiltyard_simulator.play.arena import Arena
from tiltyard_simulator.play.failure_watch import FailureWatch
from tiltyard_simulator.play.refusals import OnRefusal, raise_refusal
from tiltyard_simulator.play.workers import Played, WorkerExecutor, usable_cores

Finished = Callable[[MatchSpec, MatchRecord], None]
"""Called when a match ends, with the match and its record."""


class Executor(Protocol):
    """Plays matches and yields their records as they end, in any order."""

    def play(
        self, matches: Iterable[MatchSpec], refused: OnRefusal = raise_refusal, preload: Iterable[Reference] = ()
    ) -> Generator[MatchRecord, None, None]:
        """Play all matches, which have different places. The next one is taken only when it can start.

        Args:
            matches: the schedule.
            refused: what becomes of a match that cannot be set up. If it raises, no further match is started.
            preload: who plays in them, as far as that is known. Nothing but time depends on it.
        """
        ...


class FedExecutor(Protocol):
    """Plays matches that are handed to it one by one, for services that choose the next one when there is room for it."""

    def begin(self, preload: Iterable[Reference] = ()) -> None:
        """Make ready, if that is not done yet; ``preload`` are those who play, as far as that is known."""
        ...

    @property
    def room(self) -> int:
        """How many matches more could begin at once."""
        ...

    def submit(self, spec: MatchSpec) -> None:
        """Play a match. All that have not come back have different places."""
        ...

    def poll(self, timeout: float) -> list[Played]:
        """What has ended, after ``timeout`` seconds at the latest. That a match cannot be set up is its own outcome alone."""
        ...


def available_cores() -> int:
    """Cores that this process may use."""
    return len(usable_cores()) or os.cpu_count() or 1


def run_matches(
    specs: Sequence[MatchSpec],
    workers: int,
    finished: Finished | None = None,
    most_faults: int = 0,
    refused: OnRefusal = raise_refusal,
    *,
    watch: FailureWatch | None = None,
) -> list[Outcome]:
    """Play matches in ``workers`` processes, or in this one for 1. Places and returned outcomes follow the order of ``specs``.

    Args:
        specs: the schedule.
        workers: processes; never more than there are matches.
        finished: called with each match as it ends. All matches of a team that is in quarantine at the end are forfeits in the
            returned list.
        most_faults: a team is quarantined after so many matches with a fault of its own; 0: never.
        refused: what becomes of a match that cannot be set up.
        watch: ends the schedule where no match can succeed; None: all are played.

    Raises:
        UserError: a match could not be set up, or a worker process died, or ``watch`` has ended the schedule.
        KeyboardInterrupt: ``finished`` has been called for all matches that have ended.
    """
    quarantine = Quarantine(most_faults)
    placed = [spec.at(place) for place, spec in enumerate(specs)]
    with local_executor(min(workers, len(specs))) as executor:
        play_schedule(placed, executor, quarantine, finished or (lambda spec, record: None), refused=refused, watch=watch)
    return quarantine.counted(placed, quarantine.settled)


def play_matches(
    specs: Sequence[MatchSpec], workers: int, finished: Finished | None = None, refused: OnRefusal = raise_refusal
) -> list[MatchRecord]:
    """Play matches as ``run_matches`` does, and keep all that is known of them: for a few, which are compared."""
    records: dict[int, MatchRecord] = {}

    def end(spec: MatchSpec, record: MatchRecord) -> None:
        records[spec.place.number] = record
        if finished is not None:
            finished(spec, record)

    run_matches(specs, workers, end, refused=refused)
    return [records[place] for place in range(len(specs))]


def play_schedule(
    specs: Sequence[MatchSpec],
    executor: Executor,
    quarantine: Quarantine,
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
        executor: plays them.
        quarantine: contains all matches before these.
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
        outcome = quarantine.add(spec, outcome)
        finished(spec, MatchRecord(outcome=outcome, evidence=evidence))
        watch.end(spec, outcome, waiting)

    def to_play() -> Iterator[MatchSpec]:
        while waiting:
            spec = watch.take(waiting)
            outcome = quarantine.without_playing(spec, stored)
            if outcome is not None:
                end(spec, replace(spec.label(outcome), played=False))
            else:
                started(spec)
                yield spec

    with closing(executor.play(to_play(), refused, players_of(specs))) as playing:
        for record in playing:
            end(specs[record.outcome.place - first], record.outcome, record.evidence)


def local_executor(workers: int) -> closing[InlineExecutor | WorkerExecutor]:
    """Plays on this machine, in ``workers`` processes, or in this one for 1. It can be used for many schedules."""
    return closing(WorkerExecutor(workers=workers) if workers > 1 else InlineExecutor())


class InlineExecutor:
    """Plays one match after the other in this process."""

    def __init__(self) -> None:
        self._arena = Arena(next(iter(usable_cores()), None))
        self._waiting: deque[MatchSpec] = deque()

    def play(
        self, matches: Iterable[MatchSpec], refused: OnRefusal = raise_refusal, preload: Iterable[Reference] = ()
    ) -> Generator[MatchRecord, None, None]:
        """In order."""
        self.begin(preload)
        for spec in matches:
            came = self._play(spec)
            yield came if isinstance(came, MatchRecord) else refused(spec, came)

    def begin(self, preload: Iterable[Reference] = ()) -> None:
        """Be told who plays in the matches that follow, as far as that is known."""
        self._arena.preload(preload)

    @property
    def room(self) -> int:
        """How many matches more could begin at once."""
        return int(not self._waiting)

    @property
    def is_busy(self) -> bool:
        """Whether a match was submitted that has not come back."""
        return bool(self._waiting)

    def submit(self, spec: MatchSpec) -> None:
        """Play a match at the next ``poll``."""
        self._waiting.append(spec)

    def poll(self, timeout: float) -> list[Played]:
        """Play what was submitted; each match with its record, or with the reason why it could not be set up.

        Args:
            timeout: seconds to wait if there is nothing to play.
        """
        if not self._waiting:
            time.sleep(timeout)
        played = [(spec, self._play(spec)) for spec in self._waiting]
        self._waiting.clear()
        return played

    def _play(self, spec: MatchSpec) -> MatchRecord | UserError:
        try:
            return self._arena.play(spec)
        except UserError as error:
            return error

    def close(self) -> None:
        """End all that is left of the teams' processes."""
        self._arena.close()
