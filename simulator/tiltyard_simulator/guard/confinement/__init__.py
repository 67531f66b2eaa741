"""Confinement: what a team's code can reach, enforced by the kernel.

- ``policy``: the values. ``probes``: finds out which level works here by running it (``probe_child`` is what runs,
  ``probe_answers`` keeps what it found until the next boot). ``advice``: what to change for a better one.
- ``bubblewrap``: the zygote's command line. ``confining``: all steps that confine a forked cell, through ``namespaces``,
  ``rlimits``, ``privileges``, ``landlock`` (``rulesets``: which rules) and ``seccomp`` (``system_calls``: their numbers).
  ``proc_mount`` and ``own_root``: what a program sees of /proc, and of all files. ``denials``: notes what is denied to a watched
  program.
- ``libc``: system calls that Python has no name for. ``process_status``: what the kernel tells about other processes.
  ``folder_removal``: removes what a team has left.

A zygote is started with ``zygote_command``. Its clerk calls ``prepare`` for each cell; the zygote forks, and the child calls
``confine_cell`` before anything of the team's is imported.
"""

from tiltyard_simulator.guard.confinement.advice import doctor_table
from tiltyard_simulator.guard.confinement.bubblewrap import zygote_command
from tiltyard_simulator.guard.confinement.confining import confine_cell, prepare, warm_up_for_cells
from tiltyard_simulator.guard.confinement.policy import CLEAN, CellPolicy, Confinement, Level, Probe
from tiltyard_simulator.guard.confinement.probe_answers import drop_answers
from tiltyard_simulator.guard.confinement.probes import confinement_at, probe_afresh, probe_confinement
from tiltyard_simulator.guard.confinement.rulesets import PreparedPolicy

__all__ = [
    "CLEAN",
    "CellPolicy",
    "Confinement",
    "Level",
    "PreparedPolicy",
    "Probe",
    "confine_cell",
    "confinement_at",
    "doctor_table",
    "drop_answers",
    "prepare",
    "probe_afresh",
    "probe_confinement",
    "warm_up_for_cells",
    "zygote_command",
]
