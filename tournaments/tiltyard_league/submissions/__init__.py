"""From bytes that somebody sent to a version that plays.

``upload.py`` stores bytes under their digest, and opens none of them; the web process has nothing else of this room. ``checker.py``
is a process of its own, which unpacks, builds and checks one version after the other. Code of a version is never in that process,
only in cells. What it made lies in the league's folder under ``versions/NUMBER``, with a report beside it.

It may import database and league_file, and no other room of the league.
Begin with ``Checker.check``. Packages that versions need are in ``environments.py``.
"""
