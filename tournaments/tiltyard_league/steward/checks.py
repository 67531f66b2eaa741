"""Checks of new versions, one at a time, in a process of their own, which stays for the next one."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from tiltyard_league.handing_in.checking import REPORT, folder_of, read_report, remove_version
from tiltyard_league.records.database import Database
from tiltyard_league.records.versions import (
    MOST_ATTEMPTS,
    Report,
    begin_check,
    end_check,
    give_back_check,
    keeps_files,
    next_to_check,
)

LONGEST_SECONDS: Final = 900.0
"""A check that takes longer is ended."""
MOST_CHECKS: Final = 50
"""After so many the process makes way for a new one: what it remembers of each version adds up."""
FAILED: Final = "the check itself failed several times; tell the staff, or hand it in again"
IDLE_SECONDS: Final = 600.0
"""After so long without a check its memory is given back."""
Tell = Callable[..., None]


@dataclass(slots=True)
class _Running:
    version: int
    attempts: int
    began: float
    lacked_room: bool = False
    """Whether the disk was full at some time: then a build that failed says nothing about its version."""


@dataclass(slots=True)
class _Process:
    """The process that checks."""

    process: subprocess.Popen[bytes]
    number: int = 0
    """Of checks that were begun in it."""
    heard: bytes = b""
    free_since: float = field(default_factory=time.monotonic)

    def ask(self, version: int) -> None:
        """Begin a check. If the process has ended, that is noticed when it is listened to."""
        assert self.process.stdin is not None
        self.number += 1
        with suppress(OSError):
            self.process.stdin.write(b"%d\n" % version)
            self.process.stdin.flush()

    def listen(self) -> list[int]:
        """The versions whose checks have ended since."""
        assert self.process.stdout is not None
        with suppress(BlockingIOError):
            self.heard += os.read(self.process.stdout.fileno(), 4096)
        *lines, self.heard = self.heard.split(b"\n")
        return [int(line) for line in lines]

    def end(self) -> int:
        """Kill it if it still runs; its exit status."""
        self.process.kill()
        status = self.process.wait()
        for pipe in (self.process.stdin, self.process.stdout):
            assert pipe is not None
            with suppress(OSError):
                pipe.close()
        return status


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
        self._process: _Process | None = None
        self._running: _Running | None = None

    @property
    def running(self) -> int:
        """The version that is being checked; 0: none is."""
        return 0 if self._running is None else self._running.version

    def step(self, has_room: bool = True) -> bool:
        """End a check that is over, and begin the next one if the disk has room; whether a version was settled."""
        settled = False
        if self._running is not None:
            self._running.lacked_room = self._running.lacked_room or not has_room
            settled = self._look(self._running)
        if self._running is None and has_room:
            self._begin()
        return settled

    def stop(self) -> int:
        """End what is running; it is checked again at the next start. The exit status of the process, 0 if there is none."""
        process, self._process, self._running = self._process, None, None
        return 0 if process is None else process.end()

    def _begin(self) -> None:
        process = self._process
        row = next_to_check(self._database)
        if row is None:
            if process is not None and time.monotonic() - process.free_since > IDLE_SECONDS:
                self.stop()
            return
        # In a process that knows no earlier files of this version, nor which compilers there were then.
        was_checked = bool(row["attempts"] or row["checked_at"])
        if process is None or process.number >= MOST_CHECKS or was_checked:
            self.stop()
            process = self._process = self._start()
        with self._database.writing():
            if not begin_check(self._database, row["id"]):
                return
        # Whatever lies there from now on is of this check.
        (folder_of(self._folder, row["id"]) / REPORT).unlink(missing_ok=True)
        process.ask(row["id"])
        self._running = _Running(row["id"], row["attempts"] + 1, time.monotonic())
        self._tell("check begun", version=row["id"], team=row["team"], number=row["number"])

    def _start(self) -> _Process:
        words = [str(self._folder), str(os.getpid()), *(["--unconfined"] if self._unconfined else [])]
        process = subprocess.Popen(
            [sys.executable, "-P", "-m", "tiltyard_league.handing_in.checking", *words],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            start_new_session=True,
        )
        assert process.stdout is not None
        os.set_blocking(process.stdout.fileno(), False)
        return _Process(process)

    def _look(self, running: _Running) -> bool:
        """End a check that is over; whether its version was settled."""
        process = self._process
        assert process is not None
        # First: what it said before it ended still counts.
        has_ended = process.process.poll() is not None
        is_done = running.version in process.listen()
        if not is_done and not has_ended and time.monotonic() - running.began < LONGEST_SECONDS:
            return False
        self._running = None
        process.free_since = time.monotonic()
        # A report that is there is whole, even if the process ended a moment later.
        report = read_report(self._folder, running.version)
        if not is_done:
            status = self.stop()
            if report is None:
                self._tell("check ended without a result", version=running.version, status=status, attempts=running.attempts)
        if report is None or (running.lacked_room and not report.accepted):
            if running.attempts < MOST_ATTEMPTS:
                with self._database.writing():
                    give_back_check(self._database, running.version)
                remove_version(folder_of(self._folder, running.version))
                return False
            report = report or Report(accepted=False, reason=FAILED)
        self._settle(running, report)
        return True

    def _settle(self, running: _Running, report: Report) -> None:
        with self._database.writing():
            # Who withdrew it meanwhile has the last word.
            row = self._database.row("SELECT state FROM versions WHERE id = ?", running.version)
            withdrawn = row is not None and row["state"] == "withdrawn"
            state = "withdrawn" if withdrawn else end_check(self._database, running.version, report)
        if not keeps_files(self._database, running.version):
            # The report is in the database, and another check unpacks the upload anew.
            remove_version(folder_of(self._folder, running.version))
        seconds = round(time.monotonic() - running.began, 1)
        self._tell("check ended", version=running.version, state=state, seconds=seconds, reason=report.reason)
