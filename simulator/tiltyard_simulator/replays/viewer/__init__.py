"""The terminal viewer, one for every game.

A game brings a :class:`~tiltyard_engine.replay.Theme`; everything else comes from the replay. Nothing here knows a game.
For commands::

    watch(replay, theme, speed=8)                  # the player; prints plainly where there is no terminal
    watch(header, theme, frames=arriving)          # the same on a match that is still being played
    draw_board(squares, width, theme, options)     # a board as lines of text
    draw_side_by_side(left, right, width, theme, ("reference", "two-ahead"), options)

Map, from the bottom up; each module uses only those above it:

* ``text``: untrusted text made harmless, and cut to terminal columns.
* ``colors``: ``#rrggbb`` to what the terminal can show.
* ``options``: what a terminal can show, found out or said; lines of coloured pieces.
* ``draw``: boards as lines, alone or two side by side. Pure functions.
* ``shown_panels``: panels with harmless texts, and no more than somebody looks at.
* ``timeline``: the board and the panels at any round, forwards and back.
* ``playback``: the state of the player: where it stands, how fast it goes, what a key does.
* ``figures``: small grids of squares that actions tell of, drawn or told by their size.
* ``growth``: numbers by round, such as the scores, as a graph of a few lines.
* ``panels``: texts, cards, tables and plots as lines.
* ``screen``: the whole screen as lines: the board, beside it figures, panels and growth, below it who plays and what happened.
* ``terminal``: taking over the terminal, bytes to keys, and restoring it.
* ``printing``: plain text output, for pipes and files.
* ``play``: ``watch``, which joins them, and takes in frames that are still arriving without blocking the keys.
"""

from tiltyard_simulator.replays.viewer.colors import ColorDepth
from tiltyard_simulator.replays.viewer.draw import Viewport, describe, draw_board, draw_side_by_side
from tiltyard_simulator.replays.viewer.options import DrawOptions, detect_options
from tiltyard_simulator.replays.viewer.play import watch
from tiltyard_simulator.replays.viewer.text import clean

__all__ = [
    "ColorDepth",
    "DrawOptions",
    "Viewport",
    "clean",
    "describe",
    "detect_options",
    "draw_board",
    "draw_side_by_side",
    "watch",
]
