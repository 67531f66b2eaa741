"""Checks of new versions, one at a time, each in a process of its own."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from tiltyard_league.handing_in.checking import read_report
from tiltyard_league.records.database import Database
from tiltyard_league.records.versions import MOST_ATTEMPTS, Report, begin_check, end_check, next_to_check

LONGEST_SECONDS: Final = 900.0
"""A check that takes longer is ended."""
Tell = Callable[..., None]


@dataclass(slots=True)
class _Running:
    version: int
    attempts: int
    process: subprocess.Popen[bytes]
    began: float


class Checks:
    """Checks what was received, in the order of the waiting teams.

    Args:
        folder: of the league.
        database: its database.
        unconfined: as of ``load_league``.
        tell: told of what happens, for the log lines.
    """

    def __init__(self, folder: Path, database: Database, unconfined: bool, tell: Tell) -> None:
        self._folder = folder
        self._database = database
        self._unconfined = unconfined
        self._tell = tell
        self._running: _Running | None = None

    @property
    def running(self) -> int:
        """The version that is being checked; 0: none is."""
        return 0 if self._running is None else self._running.version

    def step(self) -> bool:
        """End a check that is over, and begin the next one; whether a version was settled."""
        settled = self._running is not None and self._end()
        if self._running is None:
            self._begin()
        return settled

    def stop(self) -> None:
        """End what is running; it is checked again at the next start."""
        if self._running is not None:
            self._running.process.kill()
            self._running.process.wait()
            self._running = None

    def _begin(self) -> None:
        row = next_to_check(self._database)
        if row is None:
            return
        with self._database.writing():
            begin_check(self._database, row["id"])
        words = [str(self._folder), str(row["id"]), str(os.getpid()), *(["--unconfined"] if self._unconfined else [])]
        process = subprocess.Popen(
            [sys.executable, "-P", "-m", "tiltyard_league.handing_in.checking", *words],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            start_new_session=True,
        )
        self._running = _Running(row["id"], row["attempts"] + 1, process, time.monotonic())
        self._tell("check begun", version=row["id"], team=row["team"], number=row["number"])

    def _end(self) -> bool:
        running = self._running
        assert running is not None
        status = running.process.poll()
        if status is None:
            if time.monotonic() - running.began < LONGEST_SECONDS:
                return False
            running.process.kill()
            status = running.process.wait()
        self._running = None
        report = read_report(self._folder, running.version) if status == 0 else None
        if report is None:
            self._tell("check ended without a result", version=running.version, status=status, attempts=running.attempts)
            if running.attempts < MOST_ATTEMPTS:
                with self._database.writing():
                    self._database.run("UPDATE versions SET state = 'received' WHERE id = ?", running.version)
                return False
            report = Report(accepted=False, reason="the check itself failed several times; tell the staff, or hand it in again")
        with self._database.writing():
            # Who withdrew it meanwhile has the last word.
            row = self._database.row("SELECT state FROM versions WHERE id = ?", running.version)
            withdrawn = row is not None and row["state"] == "withdrawn"
            state = "withdrawn" if withdrawn else end_check(self._database, running.version, report)
        seconds = round(time.monotonic() - running.began, 1)
        self._tell("check ended", version=running.version, state=state, seconds=seconds, reason=report.reason)
        return True
