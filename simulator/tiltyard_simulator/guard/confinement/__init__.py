"""Confinement: what a team's code can reach, enforced by the kernel.

- ``policy``: the values. ``probes``: which level works here, found by running it (``probe_child`` is what runs); ``advice``: what
  to change for a better one; ``doctor``: all that as a table.
- ``bubblewrap``: the zygote's command line. ``confining``: a forked cell's way to confinement, through ``namespaces``,
  ``rlimits``, ``privileges``, ``landlock`` (``readable``: which rules) and ``seccomp`` (``system_calls``: their numbers).
- ``environment``: clean environments. ``libc``: system calls.

A zygote is started with ``zygote_command``; it calls ``prepare`` once for each team, forks, and the child calls ``confine_cell``
before anything of the team's is imported.
"""

from tiltyard_simulator.guard.confinement.bubblewrap import zygote_command
from tiltyard_simulator.guard.confinement.confining import confine_cell, prepare
from tiltyard_simulator.guard.confinement.doctor import doctor_table
from tiltyard_simulator.guard.confinement.environment import CLEAN, cell_environment
from tiltyard_simulator.guard.confinement.policy import CellPolicy, Confinement, Level, Probe
from tiltyard_simulator.guard.confinement.probes import probe_confinement
from tiltyard_simulator.guard.confinement.readable import PreparedPolicy

__all__ = [
    "CLEAN",
    "CellPolicy",
    "Confinement",
    "Level",
    "PreparedPolicy",
    "Probe",
    "cell_environment",
    "confine_cell",
    "doctor_table",
    "prepare",
    "probe_confinement",
    "zygote_command",
]
