"""Checks of new versions, in a few lanes at once. Each lane has a process of its own, which stays for the next check.

A check that takes long holds up nobody who is quick: see ``SHARE_SECONDS``.
"""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from tiltyard_league.database.database import Database
from tiltyard_league.database.log_lines import Emit
from tiltyard_league.database.versions import (
    MOST_ATTEMPTS,
    CheckReport,
    begin_check,
    end_check,
    give_back_check,
    keeps_files,
    next_to_check,
)
from tiltyard_league.submissions.checker import REPORT, folder_of, read_report, remove_version

LONGEST_SECONDS: Final = 900.0
"""A check that takes longer is ended."""
MOST_CHECKS: Final = 50
"""After so many the process makes way for a new one: what it remembers of each version adds up."""
FAILED: Final = "the check itself failed several times; hand it in again, or tell the staff"
IDLE_SECONDS: Final = 600.0
"""After so long without a check its memory is given back."""
SHARE_SECONDS: Final = 30.0
"""A check that takes longer gives its lane to others that wait, and goes on beside the lanes. Only one does so at a time: another
one that takes as long is set back, and begins again once it can go on so, or nobody else waits."""


@dataclass(slots=True)
class _Check:
    version: int
    team: int
    attempts: int
    process: _Process
    is_beside: bool = False
    """Whether it has had its share, and goes on beside the lanes."""
    began: float = field(default_factory=time.monotonic)
    lacked_room: bool = False
    """Whether the disk was full at some time: then a build that failed says nothing about its version."""


@dataclass(slots=True)
class _Process:
    """The process that checks."""

    process: subprocess.Popen[bytes]
    number: int = 0
    """Of checks that were begun in it."""
    unread: bytes = b""
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
            self.unread += os.read(self.process.stdout.fileno(), 4096)
        *lines, self.unread = self.unread.split(b"\n")
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
    """Checks what was received, in the order of the waiting teams; who has no lane yet comes first.

    Args:
        folder: of the league.
        database: its database.
        unconfined: as of ``load_league``.
        tell: told of what happens, for the log lines.
        lanes: how many checks that take no longer than their share can run at once.
    """

    def __init__(self, folder: Path, database: Database, unconfined: bool, emit: Emit, lanes: int = 1) -> None:
        self._folder = folder
        self._database = database
        self._unconfined = unconfined
        self._emit = emit
        self.lanes = lanes
        self._idle: list[_Process] = []
        """Processes that wait for the next check."""
        self._running: list[_Check] = []
        self._slow: set[int] = set()
        """Versions whose checks have had their share once, while others waited."""

    @property
    def running(self) -> int:
        """How many checks run."""
        return len(self._running)

    def step(self, has_room: bool = True) -> bool:
        """End checks that are over, and begin others if the disk has room; whether a version was settled."""
        settled = False
        for running in list(self._running):
            running.lacked_room = running.lacked_room or not has_room
            settled = self._look(running) or settled
        while has_room and self._begin():
            pass
        for process in [each for each in self._idle if time.monotonic() - each.free_since > IDLE_SECONDS]:
            self._idle.remove(process)
            process.end()
        return settled

    def stop(self) -> None:
        """End all that is running; it is checked again at the next start."""
        for process in [*self._idle, *(running.process for running in self._running)]:
            process.end()
        self._idle.clear()
        self._running.clear()

    def _begin(self) -> bool:
        """Begin the check that is next, if there is a place for it; whether one was begun."""
        in_lanes = [running for running in self._running if not running.is_beside]
        is_full = len(in_lanes) >= self.lanes
        if is_full and not self._can_make_way(in_lanes) and (self._is_taken or not self._slow):
            # Whoever waits.
            return False
        row = next_to_check(self._database, self._slow, {running.team for running in in_lanes})
        if row is None:
            return False
        is_beside = False
        if is_full:
            # What is slow takes no lane from others, and waits for the place beside them.
            is_beside = row["id"] in self._slow
            if self._is_taken if is_beside else not self._makes_way(in_lanes):
                return False
        with self._database.writing():
            if not begin_check(self._database, row["id"]):
                return True
        # Whatever lies there from now on is of this check.
        (folder_of(self._folder, row["id"]) / REPORT).unlink(missing_ok=True)
        # In a process that knows no earlier files of this version, nor which compilers there were then.
        was_checked = bool(row["attempts"] or row["checked_at"])
        process = self._idle.pop() if self._idle and not was_checked else self._start()
        process.ask(row["id"])
        self._running.append(_Check(row["id"], row["team"], row["attempts"] + 1, process, is_beside))
        self._emit("check begun", version=row["id"], team=row["team"], number=row["number"])
        return True

    @property
    def _is_taken(self) -> bool:
        """Whether a check goes on beside the lanes."""
        return any(running.is_beside for running in self._running)

    def _can_make_way(self, in_lanes: Sequence[_Check]) -> bool:
        return any(time.monotonic() - running.began >= SHARE_SECONDS for running in in_lanes)

    def _makes_way(self, in_lanes: Sequence[_Check]) -> bool:
        """Take the lane of the check that has been in one the longest, if it has had its share; whether that was done."""
        if not self._can_make_way(in_lanes):
            return False
        running = min(in_lanes, key=lambda each: each.began)
        self._slow.add(running.version)
        if not self._is_taken:
            running.is_beside = True
            self._emit("check goes on beside the others", version=running.version)
            return True
        self._running.remove(running)
        running.process.end()
        with self._database.writing():
            give_back_check(self._database, running.version, counts=False)
        remove_version(folder_of(self._folder, running.version))
        self._emit("check set back", version=running.version)
        return True

    def _start(self) -> _Process:
        # Of those that wait, one makes way: no more processes stay than have had a place.
        if self._idle:
            self._idle.pop().end()
        words = [str(self._folder), str(os.getpid()), *(["--unconfined"] if self._unconfined else [])]
        process = subprocess.Popen(
            [sys.executable, "-P", "-m", "tiltyard_league.submissions.checker", *words],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            start_new_session=True,
        )
        assert process.stdout is not None
        os.set_blocking(process.stdout.fileno(), False)
        return _Process(process)

    def _look(self, running: _Check) -> bool:
        """End a check that is over; whether its version was settled."""
        process = running.process
        # First: what it said before it ended still counts.
        has_ended = process.process.poll() is not None
        is_done = running.version in process.listen()
        if not is_done and not has_ended and time.monotonic() - running.began < LONGEST_SECONDS:
            return False
        self._running.remove(running)
        # A report that is there is whole, even if the process ended a moment later.
        report = read_report(self._folder, running.version)
        if is_done and process.number < MOST_CHECKS:
            process.free_since = time.monotonic()
            self._idle.append(process)
        else:
            status = process.end()
            if report is None:
                self._emit("check ended without a result", version=running.version, status=status, attempts=running.attempts)
        if report is None or (running.lacked_room and not report.accepted):
            if running.attempts < MOST_ATTEMPTS:
                with self._database.writing():
                    give_back_check(self._database, running.version)
                remove_version(folder_of(self._folder, running.version))
                return False
            report = report or CheckReport(accepted=False, reason=FAILED)
        self._settle(running, report)
        return True

    def _settle(self, running: _Check, report: CheckReport) -> None:
        with self._database.writing():
            # Who withdrew it meanwhile has the last word.
            row = self._database.row("SELECT state FROM versions WHERE id = ?", running.version)
            withdrawn = row is not None and row["state"] == "withdrawn"
            state = "withdrawn" if withdrawn else end_check(self._database, running.version, report)
        self._slow.discard(running.version)
        if not keeps_files(self._database, running.version):
            # The report is in the database, and another check unpacks the upload anew.
            remove_version(folder_of(self._folder, running.version))
        seconds = round(time.monotonic() - running.began, 1)
        self._emit("check ended", version=running.version, state=state, seconds=seconds, reason=report.reason)
