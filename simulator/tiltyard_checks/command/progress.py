"""A progress line for long runs: on terminals, and where it is asked for now and then a line elsewhere."""

from __future__ import annotations

import sys
import time
from types import TracebackType
from typing import TYPE_CHECKING, Final

from tiltyard_engine.match_record import Outcome

if TYPE_CHECKING:
    from rich.progress import Progress as RichProgress

LINE_SECONDS: Final = 10.0


class ProgressBar:
    """Shows on standard error how many games have finished, how fast, and the remaining time.

    ``total`` and ``games`` may change at any time. ``unit`` says what is counted. With ``has_lines`` there is a line every ten
    seconds where standard error is no terminal.
    """

    def __init__(self, total: int, is_shown: bool | None = None, *, unit: str = "games", has_lines: bool = False) -> None:
        self.games = 0
        self.total = total
        self._unit, self._has_lines, self._line_at = unit, has_lines, time.monotonic()
        self._is_shown = sys.stderr is not None and sys.stderr.isatty() if is_shown is None else is_shown
        self._bar: RichProgress | None = None

    def __enter__(self) -> ProgressBar:
        """Show the line with the progress."""
        if self._is_shown:
            # rich takes longer to import than everything else here together
            from rich.console import Console
            from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

            self._bar = Progress(
                BarColumn(),
                MofNCompleteColumn(),
                TextColumn("{task.fields[unit]}  {task.fields[rate]}"),
                TimeRemainingColumn(),
                TextColumn("{task.fields[last]}", markup=False),
                console=Console(stderr=True),
                refresh_per_second=4,
                transient=True,
            )
            self._bar.add_task(self._unit, total=self.total, unit=self._unit, rate="", last="")
            self._bar.start()
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        """Remove the line with the progress."""
        if self._bar is not None:
            self._bar.stop()

    def finished(self, record: Outcome) -> None:
        """Count a game that was played."""
        self.count(f"{' - '.join(record.teams)} on {record.map}")

    def count(self, last: str) -> None:
        """Count a game, and show these words for it."""
        self.show(self.games + 1, last)

    def show(self, games: int, last: str) -> None:
        """Show how many games there are now, and these words."""
        self.games = games
        if self._bar is not None:
            task = self._bar.tasks[0]
            speed = task.finished_speed or task.speed
            rate = f"{speed:.1f}/s" if speed else ""
            self._bar.update(task.id, completed=games, total=self.total, rate=rate, last=last)
        elif self._has_lines and time.monotonic() - self._line_at > LINE_SECONDS:
            self._line_at = time.monotonic()
            print(f"{games:,} of {self.total:,} {self._unit}: {last}", file=sys.stderr, flush=True)
