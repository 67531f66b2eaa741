"""The league's file: a tournament file with the key ``league``.

``model.py`` has the keys with their types, defaults and meanings, from which the reference is made. ``loading.py`` reads them:
``read_settings`` for pages and commands, without a plugin being loaded; ``load_league`` with the game, its maps and the staff's
teams, for the service and for checks. Every problem of a file is told at once, each with its line.

It imports no other room of the league; of the tournaments it may import the tournament file.
To add a key, write it in ``model.py`` and run ``docs/make.py league``. Begin with ``load_league``.
"""
