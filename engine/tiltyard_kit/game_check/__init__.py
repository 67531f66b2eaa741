"""Holding a game to what is true of every game, and playing its matches in tests.

``tiltyard_kit.testing`` is the face of this for tests, ``tiltyard check-game`` for the command line.

- ``parts``: a game with all that it takes to play it. ``scripts``: algorithms that play what they are told.
- ``inline_match``: one match in this process. ``team_files``: algorithms of tests for other processes.
- ``bench``: what all properties look at. ``outcomes``: what became of them. ``check``: all of them, one after the other.
"""
