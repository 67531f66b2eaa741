"""A run on the screen: a live table on a terminal, plain lines in a pipe. Both go to standard error."""

from __future__ import annotations

import sys
import time
from collections import deque
from collections.abc import Sequence
from types import TracebackType
from typing import IO, TYPE_CHECKING, Final, Protocol

from tiltyard_engine.lifecycle import BatchStarted, Event, MatchFault, MatchFinished, Notice, TournamentFinished, TournamentStarted
from tiltyard_engine.wording import printable
from tiltyard_tournaments.played import PlayedMatch, finished_match
from tiltyard_tournaments.running.tournament import Tournament
from tiltyard_tournaments.standings import standings

if TYPE_CHECKING:
    from rich.console import RenderableType
    from rich.live import Live

LINE_SECONDS: Final = 10.0
"""In a pipe a line so often, so that a log shows that it goes on."""
REFRESHES_A_SECOND: Final = 4
TABLE_SECONDS: Final = 1.0
"""The live table is worked out again so often at most."""
TABLE_SHARE: Final = 20
"""It waits so many times as long as it takes, which of many matches is a while: the run itself needs the time."""
MOST_ROWS: Final = 20
LAST_FAULTS: Final = 4


class Display(Protocol):
    """Shows a run as it goes; entered before the first event."""

    def __enter__(self) -> Display: ...

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None: ...

    def __call__(self, event: Event) -> None:
        """Take an event into account."""
        ...


def display_for(tournament: Tournament, stream: IO[str] | None = None) -> Display:
    """What fits the stream, by default standard error."""
    shown = stream or sys.stderr
    return LiveDisplay(tournament, shown) if shown is not None and shown.isatty() else LineDisplay(shown)


class Pace:
    """Counts matches, and from those that were played now estimates how long the others take."""

    def __init__(self) -> None:
        self.done = 0
        self.played = 0
        self.total = 0
        self._bound = "at least "
        """What the total is, in words: nothing where it is known for sure."""
        self._started = time.monotonic()
        self._planned = 0

    def __call__(self, event: Event) -> None:
        """Take an event into account."""
        if isinstance(event, TournamentStarted):
            self._started = time.monotonic()
            if event.expected is not None:
                least, self.total = event.expected
                self._bound = "" if least == self.total else "up to "
        elif isinstance(event, BatchStarted):
            self._planned += event.matches
            self.total = max(self.total, self._planned)
        elif isinstance(event, MatchFinished):
            self.done += 1
            self.played += event.played

    @property
    def seconds(self) -> float:
        """Since it began."""
        return time.monotonic() - self._started

    def text(self) -> str:
        """Such as ``12 of 84 games, 3.1 games/s, 0:24 left``."""
        of = f"{self.done} of {self._bound}{self.total} games"
        if not self.played or self.seconds <= 0:
            return of
        rate = self.played / self.seconds
        left = f", {clock((self.total - self.done) / rate)} left" if self._bound != "at least " else ""
        return f"{of}, {rate:.1f} games/s{left}"


def clock(seconds: float) -> str:
    """``0:24``, ``12:03`` or ``1:02:03``."""
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{rest:02}" if hours else f"{minutes}:{rest:02}"


def fault_line(event: MatchFault) -> str:
    """Who failed, how and where."""
    fault = event.fault
    where = f"{' - '.join(event.teams)} on {event.map}"
    return f"{event.who}: {fault.termination.value}: {' '.join(fault.message.split())[:200]} ({where})"


class LineDisplay:
    """Plain lines: how far it is now and then, and each fault the first time that a team has one of its kind."""

    def __init__(self, stream: IO[str] | None, seconds: float = LINE_SECONDS) -> None:
        self._stream = stream
        self._seconds = seconds
        self._pace = Pace()
        self._last = time.monotonic()
        self._told: set[tuple[str, str]] = set()

    def __enter__(self) -> LineDisplay:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        return

    def __call__(self, event: Event) -> None:
        """Print what is worth a line."""
        self._pace(event)
        if isinstance(event, Notice):
            for line in event.message.splitlines():
                self._print(line)
        elif isinstance(event, TournamentStarted):
            self._print(f"{event.title}: {len(event.teams)} teams, {event.stored} games in the store")
        elif isinstance(event, MatchFault):
            kind = (event.who, event.fault.termination.value)
            if kind not in self._told:
                self._told.add(kind)
                self._print(fault_line(event))
        elif isinstance(event, MatchFinished):
            if time.monotonic() - self._last >= self._seconds:
                self._last = time.monotonic()
                self._print(self._pace.text())
        elif isinstance(event, TournamentFinished):
            how = "finished" if event.complete or event.voids else "stopped"
            self._print(f"{how}: {self._pace.done} games, {self._pace.played} of them now, in {clock(event.seconds)}")

    def _print(self, line: str) -> None:
        if self._stream is not None:
            print(printable(line), file=self._stream, flush=True)


class LiveDisplay:
    """The standings as they stand, how far it is, and the last faults; nothing of it stays on the screen."""

    def __init__(self, tournament: Tournament, stream: IO[str]) -> None:
        self._tournament = tournament
        self._stream = stream
        self._pace = Pace()
        self._matches: list[PlayedMatch] = []
        self._faults: deque[str] = deque(maxlen=LAST_FAULTS)
        self._live: Live | None = None
        self._table: RenderableType | None = None
        self._table_due = 0.0

    def __enter__(self) -> LiveDisplay:
        from rich.console import Console
        from rich.live import Live

        console = Console(file=self._stream)
        self._live = Live(console=console, refresh_per_second=REFRESHES_A_SECOND, transient=True, get_renderable=self._render)
        self._live.start()
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        if self._live is not None:
            self._live.stop()

    def __call__(self, event: Event) -> None:
        """Take an event into account; the screen follows by itself."""
        self._pace(event)
        if isinstance(event, MatchFinished):
            self._matches.append(finished_match(event))
        elif isinstance(event, MatchFault):
            self._faults.append(fault_line(event))
        elif isinstance(event, Notice):
            self._faults.extend(event.message.splitlines())

    def _render(self) -> RenderableType:
        from rich.console import Group
        from rich.progress_bar import ProgressBar
        from rich.text import Text

        now = time.monotonic()
        if self._table is None or now >= self._table_due:
            # Copies here and below: the run goes on while this is worked out in the screen's own thread.
            self._table = self._standings(tuple(self._matches))
            ended = time.monotonic()
            self._table_due = ended + max(TABLE_SECONDS, TABLE_SHARE * (ended - now))
        bar = ProgressBar(total=max(self._pace.total, 1), completed=self._pace.done, width=40)
        lines = [Text(printable(line), style="yellow", overflow="ellipsis", no_wrap=True) for line in tuple(self._faults)]
        return Group(Text(printable(self._tournament.title), style="bold"), self._table, bar, Text(self._pace.text()), *lines)

    def _standings(self, matches: Sequence[PlayedMatch]) -> RenderableType:
        from rich.table import Table
        from rich.text import Text

        tournament = self._tournament
        table = standings(tournament.names, matches, tournament.rules)
        shown = Table(box=None, pad_edge=False)
        for header in table.headers:
            shown.add_column(header, justify="left" if header == "algorithm" else "right")
        for row in table.rows[:MOST_ROWS]:
            shown.add_row(*[Text(printable(str(cell))) for cell in row])
        return shown
