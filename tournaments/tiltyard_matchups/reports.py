"""What the modes print and leave: tables and differences, the results file, output files, fault folders."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from tiltyard_checks.command.progress import ProgressBar
from tiltyard_checks.faults.fault_folders import FaultFolders
from tiltyard_engine.errors import UserError, file_errors
from tiltyard_engine.match_record import MatchRecord, Outcome
from tiltyard_matchups.comparison import Group
from tiltyard_matchups.new_file import write_new
from tiltyard_matchups.output_files import LogWriter
from tiltyard_simulator.match.spec import MatchSpec
from tiltyard_simulator.output.reports import run_report, say_report, without_any_result
from tiltyard_simulator.output.result_files import sync_file, time_stamp
from tiltyard_simulator.output.tables import render
from tiltyard_simulator.registry.isolation_policy import IsolationPolicy
from tiltyard_simulator.registry.plugin_list import INSTALLED, PluginList


@dataclass(frozen=True, slots=True, kw_only=True)
class RunOptions:
    """The options that both modes have."""

    workers: int = 1
    verbose: bool = False
    table_format: str = "simple"
    isolation_policy: IsolationPolicy = field(default_factory=IsolationPolicy)
    keep_faults: bool = False
    """Whether matches that ended in a fault leave folders beside the results file."""


class RunReporter:
    """Takes the matches of a mode as they finish, and writes the results into the folder that was named.

    Args:
        mode: the results file's name begins with it.
        folder: where results go; the current folder for ``installed``.
        matches: how many there will be.
        options: of the run.
    """

    def __init__(self, mode: str, folder: str, matches: int, options: RunOptions) -> None:
        self.progress = ProgressBar(matches)
        self._folder = Path() if folder == INSTALLED else Path(folder)
        self._stem = f"{mode}_{time_stamp()}"
        self._format = options.table_format
        self._faults = FaultFolders(folder=self._folder / f"{self._stem}_faults") if options.keep_faults else None
        self._logs = LogWriter() if options.verbose else None

    def finished(self, spec: MatchSpec, record: MatchRecord) -> None:
        """Take in a match that has ended."""
        if self._faults is not None:
            self._faults.finished(spec, record)
        self.progress.finished(record.outcome)
        if self._logs is not None:
            self._logs.finished(spec, record)

    def finish(self, text: str, table: str, outcomes: Sequence[Outcome], remarks: Sequence[str] = ()) -> int:
        """Write the results file, print the table, the remarks and the report.

        Returns 0, or 1 if a file could not be written or no match has a result.
        """
        status = self._write(text)
        print(table)
        say_report("\n".join(filter(None, [*remarks, run_report(outcomes)])), self._format)
        self.say_kept(outcomes)
        if failed := without_any_result(outcomes):
            print(f"error: {failed}", file=sys.stderr)
        return max(status, self._logs.status if self._logs is not None else 0, 1 if failed else 0)

    def _write(self, text: str) -> int:
        """Write the results file and print its path. If that fails, print the reason and the text, and return 1."""
        try:
            path = write_new(self._folder, self._stem, ".txt", text)
            with file_errors(path, "written"):
                sync_file(path)
                sync_file(path.absolute().parent)
        except UserError as error:
            print(f"error: {error}; the results follow:", file=sys.stderr)
            print(text)
            return 1
        print(f"results: {path}", file=sys.stderr)
        return 0

    def say_kept(self, outcomes: Sequence[Outcome] = ()) -> None:
        """Remove fault folders that do not count in the end, and print what was kept."""
        if self._faults is not None:
            self._faults.settle(outcomes)
            if self._faults.summary():
                print(self._faults.summary(), file=sys.stderr)


def require(plugins: PluginList, least: int, what: str, folder: str) -> None:
    """Check that a folder held enough.

    Raises:
        UserError: it did not.
    """
    if len(plugins.references) < least:
        count = len(plugins.references)
        raise UserError(f"{folder}: contains {count or 'no'} usable {what}{'' if least == 1 else f'; at least {least} are needed'}")


def comparative_table(groups: Sequence[Group], table_format: str) -> str:
    """The groups as a table."""
    rows = [
        (number, len(group.managers), group.message, group.round, ", ".join(group.names))
        for number, group in enumerate(groups, start=1)
    ]
    return render(("group", "size", "result", "round", "GameManagers"), rows, table_format)
