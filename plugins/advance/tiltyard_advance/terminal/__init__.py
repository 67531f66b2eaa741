"""A person at the board, in a terminal: one move for the course's command line, or whole games against people and algorithms.

* ``look``: what the terminal can show, and the colours.
* ``drawing``: the board as lines of text, with its marks. A pure function.
* ``move_words``: typed words to moves and back.
* ``console``: lines asked of whoever sits there.
* ``turn``: the talk about one move, until it is confirmed.
* ``one_move``: ``advance --interactive white|black IN OUT``.
* ``game``, ``players``, ``saved_games``: a whole game, who sits where, and its file.
* ``play_commands``: ``tiltyard play advance``.
"""
