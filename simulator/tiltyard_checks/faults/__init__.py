"""What can be done with a fault folder, which may come from a stranger. Runs write them: ``tiltyard_simulator.faults``.

Begin with ``fault_reading``. It imports no other room of this package.

- ``rerun``: the whole match again; what of a stranger's match may run here.
- ``conversation_replay``: one team is asked again what it was asked; ``cell_replay`` does that in a sandbox.
- ``fault_kits``: a folder for another machine, with what one team was asked and nobody's code.
"""
