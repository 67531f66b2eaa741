"""People play at a terminal: a game gives words for its moves and a drawing, and everything else is here.

It may import the engine, and no other room of the kit. Begin with ``playable_game``, which is what a game writes, and then read
``table_game``, which plays it.

- ``playable_game``: the legal moves in words, the drawing, and what a game may say differently.
- ``table_game``: a game with people, algorithms and seats of a host's: undo, save, resign, quit, and what others do.
- ``move_prompt``: asks one person for one move, with the list of moves, hints and help.
- ``saved_game``: the files of unfinished games.
- ``console``: where lines are written and asked for, and how to find the terminal of a person.
- ``palette``, ``squares``: the colours and characters that a terminal can show; squares such as ``c4``.
"""
