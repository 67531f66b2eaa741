"""People play Advance in a terminal: single moves for the course's command line, and whole games against people and algorithms.

It may import the game, and of the kit only ``tiltyard_kit.terminal``, which does what all games have in common. The commands import
it where a person plays, so that no move of a program waits for it. Begin with ``table``.

- ``table``: the words of moves, why some are none, and what is shown at a question.
- ``drawing``: the board as lines.
- ``play_commands``: ``tiltyard play advance``, with ``saved_games`` for the files of unfinished games.
- ``one_move``: ``advance --interactive``, in a program's place.
"""
