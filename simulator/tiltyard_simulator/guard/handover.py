"""Zygotes that plugins were described in serve the first match of a command.

No code of a team runs in a zygote, and what it learns is no team's (docs/decisions/0047-a-zygote-and-its-clerk.md). So a cell that
plays doesn't depend on whether others were forked before it for a description, as it doesn't on earlier matches.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    # Commands that confine nobody start without it.
    from tiltyard_simulator.guard.cell_pool import CellPool


class Handover:
    """From descriptions to matches, within a command."""

    def __init__(self) -> None:
        self._is_open = False
        self._cells: CellPool | None = None
        self._process = 0
        """That left them."""

    @contextmanager
    def one_command(self) -> Iterator[None]:
        """What is left within this block may be taken until its end."""
        self._is_open = True
        try:
            yield
        finally:
            self._is_open = False
            self.close()

    def leave(self, cells: CellPool) -> None:
        """Leave cells of which none runs. Outside of a command nobody would take them, and those of a thread end with it."""
        self.close()
        if self._is_open and threading.current_thread() is threading.main_thread():
            self._cells, self._process = cells, os.getpid()
        else:
            cells.close()

    def take(self) -> CellPool | None:
        """Those that were left, if any; to be closed by whoever takes them. A fork gets none: they answer to another process."""
        cells, self._cells = self._cells, None
        return cells if self._process == os.getpid() else None

    def close(self) -> None:
        """Close those that were left: nobody in this process will take them."""
        if (cells := self.take()) is not None:
            cells.close()


HANDOVER: Final = Handover()
