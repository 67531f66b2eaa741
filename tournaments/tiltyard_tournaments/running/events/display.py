"""A run on the screen: a live table on a terminal, plain lines in a pipe. Both go to standard error."""

from __future__ import annotations

import sys
import time
from collections import deque
from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from typing import IO, TYPE_CHECKING, Final

from tiltyard_engine.lifecycle import BatchStarted, Event, MatchFault, Notice, TournamentFinished, TournamentStarted
from tiltyard_engine.match_record import Outcome
from tiltyard_engine.texts.quantities import counted
from tiltyard_engine.texts.sanitize import printable
from tiltyard_engine.texts.time_left import TimeLeft, clock
from tiltyard_simulator.match.eligibility import counted_as_forfeits, faults_in_quarantine
from tiltyard_tournaments.running.eligibility import without_places
from tiltyard_tournaments.running.tournament import Tournament
from tiltyard_tournaments.standings import rank, standings_table

if TYPE_CHECKING:
    from rich.console import RenderableType

LINE_SECONDS: Final = 10.0
"""How often a line of progress is printed into a pipe."""
REFRESHES_A_SECOND: Final = 4
TABLE_SECONDS: Final = 1.0
"""The live table is updated at most this often."""
TABLE_SHARE: Final = 20
"""After an update the table waits this many times as long as the update took, so that the run gets most of the CPU time."""
MOST_ROWS: Final = 20
LAST_FAULTS: Final = 4


def display_for(tournament: Tournament, stream: IO[str] | None = None) -> AbstractContextManager[LiveDisplay | LineDisplay]:
    """The display that suits the stream, by default standard error; entered before the first event."""
    screen = stream or sys.stderr
    return live_display(tournament, screen) if screen is not None and screen.isatty() else nullcontext(LineDisplay(screen))


@contextmanager
def live_display(tournament: Tournament, stream: IO[str]) -> Iterator[LiveDisplay]:
    """A table that is kept up to date. The screen is cleared at the end."""
    from rich.console import Console
    from rich.live import Live

    display = LiveDisplay(tournament)
    console = Console(file=stream)
    with Live(console=console, refresh_per_second=REFRESHES_A_SECOND, transient=True, get_renderable=display.render):
        yield display


class Pace:
    """Counts matches, and estimates the time left from those played in this run."""

    def __init__(self) -> None:
        self.games = 0
        self.new_games = 0
        self._forfeits = 0
        self.total = 0
        self._bound = "at least "
        """What the total is, in words: nothing where it is known for sure."""
        self._started = time.monotonic()
        self._planned = 0
        self._left = TimeLeft()

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
        elif isinstance(event, Outcome):
            self.games += 1
            self.new_games += event.played
            self._forfeits += bool(event.forfeits)
            if event.played:
                self._left.count()

    @property
    def seconds(self) -> float:
        """Seconds since the start of the run."""
        return time.monotonic() - self._started

    def last_line(self, event: TournamentFinished) -> str:
        """Such as ``finished: 12 games (8 played in this run, 2 forfeited without a match) in 0:24``."""
        how = "finished" if event.complete or event.voids else "stopped"
        forfeits = f", {self._forfeits} forfeited without a match" if self._forfeits else ""
        return f"{how}: {counted(self.games, 'game')} ({self.new_games} played in this run{forfeits}) in {clock(event.seconds)}"

    def text(self) -> str:
        """Such as ``12 of 84 games, 3.1 games/s, 0:24 left``."""
        of = f"{self.games} of {self._bound}{self.total} games"
        rate = self._left.rate()
        if rate is None:
            return of
        left = self._left.text(self.total - self.games) if self._bound != "at least " else ""
        return ", ".join(part for part in (of, f"{rate:.1f} games/s", left) if part)


def fault_line(event: MatchFault) -> str:
    """One line about a fault: which team, what happened, and in which match."""
    fault = event.fault
    where = f"{' - '.join(event.teams)} on {event.map}"
    return f"{event.who}: {fault.termination.value}: {' '.join(fault.message.split())[:200]} ({where})"


class LineDisplay:
    """Plain lines: the progress from time to time, and the first fault of each kind of each team."""

    def __init__(self, stream: IO[str] | None, seconds: float = LINE_SECONDS) -> None:
        self._stream = stream
        self._seconds = seconds
        self._pace = Pace()
        self._last = time.monotonic()
        self._fault_kinds: set[tuple[str, str]] = set()

    def __call__(self, event: Event) -> None:
        """Print a line if the event deserves one."""
        self._pace(event)
        if isinstance(event, Notice):
            for line in event.message.splitlines():
                self._print(line)
        elif isinstance(event, TournamentStarted):
            self._print(f"{event.title}: {counted(len(event.teams), 'team')}, {counted(event.stored, 'game')} already played")
        elif isinstance(event, MatchFault):
            kind = (event.who, event.fault.termination.value)
            if kind not in self._fault_kinds:
                self._fault_kinds.add(kind)
                self._print(fault_line(event))
        elif isinstance(event, Outcome):
            if time.monotonic() - self._last >= self._seconds:
                self._last = time.monotonic()
                self._print(self._pace.text())
        elif isinstance(event, TournamentFinished):
            self._print(self._pace.last_line(event))

    def _print(self, line: str) -> None:
        if self._stream is not None:
            print(printable(line), file=self._stream, flush=True)


class LiveDisplay:
    """The current standings, the progress and the last faults."""

    def __init__(self, tournament: Tournament) -> None:
        self._tournament = tournament
        self._pace = Pace()
        self._matches: list[Outcome] = []
        self._faults: deque[str] = deque(maxlen=LAST_FAULTS)
        self._table: RenderableType | None = None
        self._table_due = 0.0

    def __call__(self, event: Event) -> None:
        """Take an event into account; the screen follows by itself."""
        self._pace(event)
        if isinstance(event, Outcome):
            self._matches.append(event)
        elif isinstance(event, MatchFault):
            self._faults.append(fault_line(event))
        elif isinstance(event, Notice):
            self._faults.extend(event.message.splitlines())

    def render(self) -> RenderableType:
        """What is on the screen now."""
        from rich.console import Group
        from rich.progress_bar import ProgressBar
        from rich.text import Text

        now = time.monotonic()
        if self._table is None or now >= self._table_due:
            # Copies here and below: the run goes on while this is worked out in the screen's own thread.
            self._table = self._standings(tuple(self._matches))
            end = time.monotonic()
            self._table_due = end + max(TABLE_SECONDS, TABLE_SHARE * (end - now))
        bar = ProgressBar(total=max(self._pace.total, 1), completed=self._pace.games, width=40)
        lines = [Text(printable(line), style="yellow", overflow="ellipsis", no_wrap=True) for line in tuple(self._faults)]
        return Group(Text(printable(self._tournament.title), style="bold"), self._table, bar, Text(self._pace.text()), *lines)

    def _standings(self, matches: Sequence[Outcome]) -> RenderableType:
        from rich.table import Table
        from rich.text import Text

        tournament = self._tournament
        counted = counted_as_forfeits(matches, faults_in_quarantine(matches))
        lines = without_places(tournament, rank(tournament.names, counted, tournament.rules))
        standing = standings_table(lines, tournament.rules)
        table = Table(box=None, pad_edge=False)
        for header in standing.headers:
            table.add_column(header, justify="left" if header == "algorithm" else "right")
        for row in standing.rows[:MOST_ROWS]:
            table.add_row(*[Text(printable(str(cell))) for cell in row])
        return table
