"""Tables at which teams of a league play against each other's versions by hand: a process of its own, of the lowest priority.

The web process passes on what members of teams ask, over a socket in the league's folder, with who asks. It never plays itself.
All games here count for nothing, and are gone when the process ends; it may be killed at any time.

- ``venue``: who can be played against, under which names.
- ``trials``: other answers that are tried in replays.
- ``main``: the process.

It may import all rooms but web and cli, and ``tiltyard_web_play``, which plays. Begin with ``venue.py``.
"""
