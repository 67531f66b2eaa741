"""Confinement: what a team's code can reach, enforced by the kernel.

- ``probes``: finds out which level works here by running it (``probe_child`` is what runs, ``probe_answers`` keeps what it found
  until the next boot). ``advice``: what to change for a better one.
- ``bubblewrap``: the zygote's command line. ``confining``: all steps that confine a forked cell, out of ``kernel``, which has a
  file for each of its mechanisms. ``rulesets``: which rules of Landlock. ``own_root``: what a program sees of all files.
  ``denials``: notes what is denied to a watched program. ``readable_paths``: what it may read.
- ``folder_removal``: removes what a team has left.

A zygote is started with ``zygote_command``. Its clerk calls ``prepare`` for each cell; the zygote forks, and the child calls
``confine_cell`` before anything of the team's is imported.
"""

from tiltyard_simulator.guard.confinement.bubblewrap import zygote_command
from tiltyard_simulator.guard.confinement.confining import confine_cell, prepare, warm_up_for_cells
from tiltyard_simulator.guard.confinement.probe_answers import drop_answers
from tiltyard_simulator.guard.confinement.probes import confinement_at, probe_afresh, probe_confinement
from tiltyard_simulator.guard.policy import CLEAN, CellPolicy, Confinement, Level, PreparedPolicy, Probe

__all__ = [
    "CLEAN",
    "CellPolicy",
    "Confinement",
    "Level",
    "PreparedPolicy",
    "Probe",
    "confine_cell",
    "confinement_at",
    "drop_answers",
    "prepare",
    "probe_afresh",
    "probe_confinement",
    "warm_up_for_cells",
    "zygote_command",
]
