"""Where two runs of a match part, drawn on the terminal for ``tiltyard verify`` and ``tiltyard check --times``."""

from __future__ import annotations

import shutil
import sys

from tiltyard_engine.records import Game
from tiltyard_engine.registry import Reference
from tiltyard_simulator.matchups.reports import show_difference
from tiltyard_simulator.replays.difference import Difference
from tiltyard_simulator.replays.viewer.options import detect_options


def draw_difference(title: str, difference: Difference, game: Reference) -> None:
    """Print both boards beside each other, and what each tank did, below a title."""
    columns = shutil.get_terminal_size().columns if sys.stdout.isatty() else None
    theme = game.load_as(Game).display.theme
    print(f"\n{title}:")
    print("\n".join(show_difference(difference, theme, detect_options(sys.stdout, columns=columns))))
