"""The terminal board viewer, one for every grid game.

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
* ``timeline``: the board at any round, forwards and back.
* ``feed``: frames that are still arriving, taken in without blocking the keys.
* ``playback``: the state of the player: where it stands, how fast it goes, what a key does.
* ``figures``: small grids of squares that actions tell of, drawn or told by their size.
* ``growth``: how the scores grew, as a graph of a few lines.
* ``beside``: figures and growth beside the board, where there is room.
* ``panel``: the whole screen as lines: the board, and below it who plays and what happened.
* ``keys``, ``terminal``: bytes to keys; the terminal, borrowed and given back as it was.
* ``printing``: the plain way out, for pipes and files.
* ``play``: ``watch``, which joins them.
"""

from tiltyard_simulator.viewer.colors import ColorDepth
from tiltyard_simulator.viewer.draw import Viewport, describe, draw_board, draw_side_by_side
from tiltyard_simulator.viewer.options import DrawOptions, detect_options
from tiltyard_simulator.viewer.play import watch
from tiltyard_simulator.viewer.text import clean

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
