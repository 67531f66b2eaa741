"""Folders that keep a match that ended in a fault, with all that is needed to play it again.

They may import ``match`` and ``output``. Whoever plays (``play``) decides whether a match is kept; this room knows nothing of cells
and workers.

- ``fault_folders``: writes and reads such a folder. Begin here.
- ``fault_kits``: a kit for another machine, which holds what a team was asked and nobody's code.
"""
