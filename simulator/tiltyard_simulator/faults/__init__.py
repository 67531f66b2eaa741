"""Folders that keep a match that ended in a fault, with all that is needed to play it again.

They may import ``match`` and ``output``. Whoever plays (``play``) decides whether a match is kept; this room knows nothing of cells
and workers.

- ``fault_folders``: what such a folder holds, and writing it. What reads it is no part of playing, and lies elsewhere.
"""
