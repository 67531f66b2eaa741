"""The player in a terminal. From the bottom up; each module uses only those above it, and ``drawing``.

- ``playback``: the state of the player: where it stands, how fast it goes, what a key does.
- ``screen``: the whole screen as lines: the board, beside it figures, panels and growth, below it who plays and what happened.
- ``keys``, ``terminal``: bytes to keys; taking over the terminal, and restoring it.
- ``printing``: plain text output, for pipes and files.
- ``play``: ``watch``, which joins them, and takes in frames that are still arriving without blocking the keys.
"""
