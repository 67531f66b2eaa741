"""A match as lines of text. From the bottom up; each module uses only those above it.

- ``text``: untrusted text made harmless, and cut to terminal columns.
- ``colors``: ``#rrggbb`` to what the terminal can show. ``theme_colors``: those of a game's theme.
- ``options``: what a terminal can show, looked up or told; lines of coloured pieces.
- ``draw``: boards as lines, alone or two side by side. Begin here.
- ``shown_panels``: panels with harmless texts, and no more than somebody looks at.
- ``timeline``: the board and the panels at any round, forwards and back.
- ``figures``: small grids of squares that actions tell of, drawn or told by their size.
- ``growth``: numbers by round, such as the scores, as a graph of a few lines.
- ``panels``: texts, cards, tables and plots as lines.
"""
