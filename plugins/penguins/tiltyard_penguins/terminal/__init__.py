"""People play Penguins in a terminal: whole games of 2 to 9 people and algorithms, and single turns under a game master.

It may import the game, and of the kit only ``tiltyard_kit.terminal``, which does what all games have in common. The programs import
it where a person plays. Begin with ``table``.

- ``table``: the words of moves, why some are none, and what is shown at a question; a person under a game master.
- ``drawing``: the board and the scores as lines.
- ``command``: ``penguins --interactive``, with ``saved_games`` for the files of unfinished games.
"""
