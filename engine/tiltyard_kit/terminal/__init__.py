"""What games need so that people can play them in a terminal. The rest of the engine never imports it.

* ``console``: where lines are written and asked for, and how to find the terminal of a person.
* ``palette``: the colours and characters that a terminal can show.
* ``squares``: squares by column and row, such as ``c4``.
* ``move_prompt``: asks one person for one move, with commands such as help and hint.
* ``table_seat``: seats of a game at one terminal, which can be saved and continued.
* ``saved_game``: the files of such games.
"""
