"""What a Dask worker runs for us: looking at its machine, keeping what it is sent, playing chunks.

Matches are played as on the coordinator's own machine: by match workers, processes of their own, which are replaced when they die.
So a match that kills its process costs the Dask worker nothing, and comes to the same end as it would locally.
"""

from __future__ import annotations

import asyncio
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from functools import cache
from typing import Final

import zstandard

from tiltyard_engine.errors import UserError
from tiltyard_simulator.cluster.contents import host_digest, host_files
from tiltyard_simulator.cluster.cores import CoreClaim, claim_core
from tiltyard_simulator.cluster.messages import BUNDLES, CHUNKS, ENCODER, REPORTS, WANTED, Chunk, Played, Report
from tiltyard_simulator.cluster.shipping import unpack
from tiltyard_simulator.guard.workers import WorkerExecutor
from tiltyard_simulator.specs import MatchOutcome, MatchSpec

EXAMINING_SECONDS: Final = 300.0
IDLE_SECONDS: Final = 120.0
"""A run whose coordinator has said nothing for so long has no match workers any more: it may have been killed."""

_LOADED: Final = host_digest(host_files())
"""What this process runs, however long ago it was started."""


def examine(data: bytes) -> bytes:
    """This machine's report on what is wanted, both as ``messages`` has them."""
    report = _examined(data)
    if not report.differences and host_digest(WANTED.decode(data).host) != _LOADED:
        report = Report(report.host, ("tiltyard was changed there after its Dask worker was started: start that again",))
    return ENCODER.encode(report)


def _examined(data: bytes) -> Report:
    host = socket.gethostname()
    command = [sys.executable, "-P", "-m", "tiltyard_simulator.cluster.examining_main"]
    try:
        done = subprocess.run(command, input=data, capture_output=True, timeout=EXAMINING_SECONDS, check=False)
    except OSError as error:
        # Match workers are such children too.
        why = (
            f"its Dask worker may not start processes ({error.strerror}), which matches are played by: raise its limit of processes"
        )
        return Report(host, (f"{why}, and if a nanny forbids it children, set DASK_DISTRIBUTED__WORKER__DAEMON=False for it",))
    except subprocess.TimeoutExpired:
        return Report(host, (f"it could not be looked at within {EXAMINING_SECONDS:.0f} s: is its disk or its network stuck?",))
    if done.returncode:
        said = done.stderr.decode("utf-8", "replace").strip().splitlines() or [f"exit status {done.returncode}"]
        return Report(host, (f"looking at it failed: {said[-1]}: is another version of tiltyard installed there?",))
    return REPORTS.decode(done.stdout)


def keep(data: bytes) -> str:
    """Keep the files of a plugin; what went wrong, if anything did."""
    try:
        unpack(BUNDLES.decode(data))
    except OSError as error:
        return f"{error.filename}: cannot be written there: {error.strerror}"
    except UserError as error:
        return str(error)
    return ""


def play(data: bytes) -> bytes:
    """Play a chunk; what came of it, compressed."""
    chunk = CHUNKS.decode(data)
    outcomes: list[tuple[int, MatchOutcome]] = []
    refusal = ""
    try:
        with _worker_for(chunk) as (crew, executor):
            outcomes.extend(executor.play(_matches(chunk, crew)))
    except UserError as error:
        refusal = str(error)
    return zstandard.ZstdCompressor().compress(ENCODER.encode(Played(tuple(outcomes), refusal)))


async def leave(run: str) -> None:
    """The coordinator needs this machine no more: end its match workers, those that play after their match."""
    with _LOCK:
        crew = _CREWS.pop(run, None)
    if crew is not None:
        await asyncio.to_thread(crew.end)


def _matches(chunk: Chunk, crew: _Crew) -> Iterator[tuple[int, MatchSpec]]:
    for number, place, spec in chunk.matches:
        if crew.ended:
            return
        yield number, replace(spec, map=chunk.maps[place])


@dataclass(slots=True)
class _Crew:
    """The match workers that were started for one run."""

    environment: dict[str, str]
    free: list[tuple[WorkerExecutor, CoreClaim]] = field(default_factory=list)
    busy: int = 0
    used: float = field(default_factory=time.monotonic)
    ended: bool = False

    @contextmanager
    def worker(self) -> Iterator[WorkerExecutor]:
        """One that plays for the caller alone."""
        with _LOCK:
            self.busy += 1
            pair = self.free.pop() if self.free else None
        try:
            if pair is None:
                claim = claim_core()
                pair = WorkerExecutor(1, core=claim.core, environment=self.environment), claim
            yield pair[0]
        finally:
            with _LOCK:
                self.busy -= 1
                self.used = time.monotonic()
                if pair is not None and not self.ended:
                    self.free.append(pair)
                    pair = None
            if pair is not None:
                _close(pair)

    def end(self) -> None:
        """End those that are free; the others end when they have played."""
        with _LOCK:
            self.ended = True
            pairs, self.free = self.free, []
        for pair in pairs:
            _close(pair)


_LOCK: Final = threading.Lock()
_CREWS: Final[dict[str, _Crew]] = {}


@contextmanager
def _worker_for(chunk: Chunk) -> Iterator[tuple[_Crew, WorkerExecutor]]:
    _start_watch()
    with _LOCK:
        crew = _CREWS.setdefault(chunk.run, _Crew(chunk.environment))
    with crew.worker() as executor:
        yield crew, executor


def _close(pair: tuple[WorkerExecutor, CoreClaim]) -> None:
    executor, claim = pair
    executor.close()
    claim.give_back()


@cache
def _start_watch() -> None:
    """Once a process."""
    threading.Thread(target=_end_forgotten_crews, name="tiltyard crews", daemon=True).start()


def _end_forgotten_crews() -> None:
    while True:
        time.sleep(IDLE_SECONDS / 4)
        with _LOCK:
            now = time.monotonic()
            old = [run for run, crew in _CREWS.items() if not crew.busy and now - crew.used > IDLE_SECONDS]
            crews = [_CREWS.pop(run) for run in old]
        for crew in crews:
            crew.end()
