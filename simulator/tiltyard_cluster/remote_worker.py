"""What a Dask worker runs for us: looking at its machine, keeping what it is sent, playing chunks.

Matches are played as on the coordinator's own machine: by match workers, processes of their own, which are replaced when they die.
So a match that kills its process costs the Dask worker nothing, and comes to the same end as it would locally.
"""

from __future__ import annotations

import asyncio
import contextlib
import fcntl
import os
import socket
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from functools import cache
from pathlib import Path
from typing import Final

import zstandard

from tiltyard_cluster.contents import host_digest, host_files
from tiltyard_cluster.messages import BUNDLES, CHUNKS, ENCODER, REPORTS, REQUIREMENTS, Chunk, PlayedChunk, Report
from tiltyard_cluster.shipping import unpack
from tiltyard_engine.errors import UserError
from tiltyard_engine.match_record import MatchRecord
from tiltyard_simulator.guard.policy import Level
from tiltyard_simulator.match.key import players_of
from tiltyard_simulator.match.spec import MatchSpec
from tiltyard_simulator.play.executor import play_all, usable_cores
from tiltyard_simulator.play.workers import WorkerExecutor

EXAMINING_SECONDS: Final = 300.0
NO_CORE: Final = -1
"""In place of a core where all are taken."""
IDLE_SECONDS: Final = 120.0
"""A run whose coordinator has said nothing for so long has no match workers any more: it may have been killed."""

_LOADED: Final = host_digest(host_files())
"""What this process runs, however long ago it was started."""


def examine(data: bytes) -> bytes:
    """This machine's report on what is wanted, both as ``messages`` has them."""
    report = _examined(data)
    if not report.differences and host_digest(REQUIREMENTS.decode(data).host) != _LOADED:
        report = Report(report.host, ("tiltyard was changed there after its Dask worker started; restart the worker",))
    return ENCODER.encode(report)


def _examined(data: bytes) -> Report:
    host = socket.gethostname()
    command = [sys.executable, "-P", "-m", "tiltyard_cluster.inspection_main"]
    try:
        process = subprocess.run(command, input=data, capture_output=True, timeout=EXAMINING_SECONDS, check=False)
    except OSError as error:
        # Match workers are such children too.
        why = f"its Dask worker may not start processes ({error.strerror}), but matches need them"
        hint = "raise its limit of processes, and if a nanny forbids it children, set DASK_DISTRIBUTED__WORKER__DAEMON=False for it"
        return Report(host, (f"{why}: {hint}",))
    except subprocess.TimeoutExpired:
        return Report(host, (f"it could not be checked within {EXAMINING_SECONDS:.0f} s; its disk or network may be stuck",))
    if process.returncode:
        lines = process.stderr.decode("utf-8", "replace").strip().splitlines() or [f"exit status {process.returncode}"]
        return Report(host, (f"checking it failed ({lines[-1]}); another version of tiltyard may be installed there",))
    return REPORTS.decode(process.stdout)


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
    """Play a chunk; its results, compressed."""
    chunk = CHUNKS.decode(data)
    records: list[MatchRecord] = []
    refusal = ""
    _start_watch()
    with _LOCK:
        crew = _CREWS.setdefault(chunk.run, _Crew(chunk.environment, Level(chunk.level) if chunk.level else None))
    try:
        with crew.worker() as executor:
            records.extend(play_all(_matches(chunk, crew), executor, _raise, players_of(spec for _, spec in chunk.matches)))
    except UserError as error:
        refusal = str(error)
    return zstandard.ZstdCompressor().compress(ENCODER.encode(PlayedChunk(tuple(records), refusal)))


def _raise(spec: MatchSpec, error: UserError) -> MatchRecord:
    """The coordinator knows which match it is, and decides what becomes of it."""
    raise error


async def leave(run: str) -> None:
    """The coordinator needs this machine no more: end its match workers, those that play after their match."""
    with _LOCK:
        crew = _CREWS.pop(run, None)
    if crew is not None:
        await asyncio.to_thread(crew.end)


def _matches(chunk: Chunk, crew: _Crew) -> Iterator[MatchSpec]:
    for number, spec in chunk.matches:
        if crew.has_ended:
            return
        yield replace(spec, input=replace(spec.input, map=chunk.maps[number]))


@dataclass(slots=True)
class _Crew:
    """The match workers that were started for one run."""

    environment: dict[str, str]
    level: Level | None
    free: list[tuple[WorkerExecutor, CoreClaim]] = field(default_factory=list)
    busy: int = 0
    last_use: float = field(default_factory=time.monotonic)
    has_ended: bool = False

    @contextlib.contextmanager
    def worker(self) -> Iterator[WorkerExecutor]:
        """One that plays for the caller alone."""
        with _LOCK:
            self.busy += 1
            pair = self.free.pop() if self.free else None
        try:
            if pair is None:
                claim = claim_core()
                pair = WorkerExecutor(workers=1, core=claim.core, environment=self.environment, level=self.level), claim
            yield pair[0]
        finally:
            with _LOCK:
                self.busy -= 1
                self.last_use = time.monotonic()
                if pair is not None and not self.has_ended:
                    self.free.append(pair)
                    pair = None
            if pair is not None:
                _close(pair)

    def end(self) -> None:
        """End those that are free; the others end when they have played."""
        with _LOCK:
            self.has_ended = True
            pairs, self.free = self.free, []
        for pair in pairs:
            _close(pair)


@dataclass(slots=True)
class CoreClaim:
    """A core that is this process's until it gives it back or ends."""

    core: int
    """``NO_CORE`` where all are taken: the machine then shares out better."""
    _file: int = -1

    def give_back(self) -> None:
        """Let others have it."""
        if self._file >= 0:
            os.close(self._file)
            self._file = -1


def claim_core() -> CoreClaim:
    """The first core that no match worker of a cluster has on this machine. The kernel ends a claim with its process."""
    folder = Path(tempfile.gettempdir(), f"tiltyard-cores-{os.getuid()}")
    for core in usable_cores():
        file = -1
        with contextlib.suppress(OSError):
            folder.mkdir(mode=0o700, exist_ok=True)
            file = os.open(folder / str(core), os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW, 0o600)
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            return CoreClaim(core, file)
        if file >= 0:
            os.close(file)
    return CoreClaim(NO_CORE)


_LOCK: Final = threading.Lock()
_CREWS: Final[dict[str, _Crew]] = {}


def _close(pair: tuple[WorkerExecutor, CoreClaim]) -> None:
    executor, claim = pair
    executor.close()
    claim.give_back()


@cache
def _start_watch() -> None:
    """Start, once in a process, what ends forgotten crews."""
    threading.Thread(target=_end_forgotten_crews, name="tiltyard crews", daemon=True).start()


def _end_forgotten_crews() -> None:
    while True:
        time.sleep(IDLE_SECONDS / 4)
        with _LOCK:
            now = time.monotonic()
            old = [run for run, crew in _CREWS.items() if not crew.busy and now - crew.last_use > IDLE_SECONDS]
            crews = [_CREWS.pop(run) for run in old]
        for crew in crews:
            crew.end()
