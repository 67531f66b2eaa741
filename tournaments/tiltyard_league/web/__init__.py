"""The web process: the pages of a league and the addresses for programs, as one application.

It reads standings and the store, writes the league's database, and stores uploads as bytes. It loads no game and no code of a team,
and needs neither numpy nor the guard. In the log it is called ``door``.

- ``pages``: what answers at an address, a file for each group of those who may see it.
- ``http``: what every request passes before a page answers it.

It may import submissions, database, rating and league_file, never service or matchmaking.
Begin with ``app.py``, which puts all pages together; ``main.py`` listens. Templates and assets lie beside them.
"""
