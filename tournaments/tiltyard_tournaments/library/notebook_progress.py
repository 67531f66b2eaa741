"""The progress of a run as a bar below a notebook's cell. It needs no widgets: whatever shows results shows it too."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, Final, Protocol

from tiltyard_engine.lifecycle import Event, MatchFault, Notice, TournamentFinished
from tiltyard_tournaments.publishers.pages import pages
from tiltyard_tournaments.running.events.display import Pace, fault_line

BETWEEN_UPDATES: Final = 0.25
"""Seconds."""
LAST_LINES: Final = 4


class Html(Protocol):
    """Something that a notebook shows."""

    def _repr_html_(self) -> str: ...


Show = Callable[[Html], Callable[[Html], None]]
"""Shows something, and gives what shows something else in its place."""


class Markup:
    """Markup, and the same as text."""

    def __init__(self, text: str, html: str) -> None:
        self._text, self._html = text, html

    def __repr__(self) -> str:
        return self._text

    def _repr_html_(self) -> str:
        return self._html


def in_notebook() -> bool:
    """Whether this runs in the kernel of a notebook. Other shells of IPython have a terminal."""
    shell = _shell()
    return shell is not None and getattr(shell, "kernel", None) is not None


def _shell() -> Any:
    module = sys.modules.get("IPython")
    return None if module is None else module.get_ipython()


def _show_in_cell(first: Html) -> Callable[[Html], None]:
    handle = sys.modules["IPython"].display.display(first, display_id=True)
    update: Callable[[Html], None] = handle.update
    return update


@contextmanager
def notebook_display(title: str, show: Show = _show_in_cell) -> Iterator[NotebookDisplay]:
    """A display for the events of one run; what it shows last stays."""
    display = NotebookDisplay(title, show)
    try:
        yield display
    finally:
        display.show(at_once=True)


class NotebookDisplay:
    """A bar, the number of games and the time left, and the last faults."""

    def __init__(self, title: str, show: Show) -> None:
        self._title = title
        self._pace = Pace()
        self._lines: list[str] = []
        self._last_line = ""
        self._is_complete = False
        self._due = 0.0
        self._update = show(self._markup())

    def __call__(self, event: Event) -> None:
        """Take an event into account."""
        self._pace(event)
        if isinstance(event, MatchFault):
            self._lines.append(fault_line(event))
        elif isinstance(event, Notice):
            self._lines += event.message.splitlines()
        elif isinstance(event, TournamentFinished):
            # Many formats end before the most games that they may take.
            self._is_complete = event.complete
            self._last_line = self._pace.last_line(event)
        self.show()

    def show(self, at_once: bool = False) -> None:
        """Show how far it is, if the last time was long enough ago."""
        now = time.monotonic()
        if at_once or now >= self._due:
            self._due = now + BETWEEN_UPDATES
            self._update(self._markup())

    def _markup(self) -> Markup:
        text = self._last_line or self._pace.text()
        total = self._pace.games if self._is_complete else self._pace.total
        html = pages().progress_html(self._title, text, self._pace.games, total, self._lines[-LAST_LINES:])
        return Markup(f"{self._title}: {text}", html)
