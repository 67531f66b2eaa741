"""Folders that keep a match that ended in a fault, and what can be done with one, which may come from a stranger.

Begin with ``fault_folders``. It imports no other room of this package.

- ``fault_folders``: what such a folder holds, and writing it; ``fault_reading``: reading it.
- ``rerun``: the whole match again; what of a stranger's match may run here.
- ``conversation_replay``: one team is asked again what it was asked; ``cell_replay`` does that in a sandbox.
- ``fault_kits``: a folder for another machine, with what one team was asked and nobody's code.
"""
