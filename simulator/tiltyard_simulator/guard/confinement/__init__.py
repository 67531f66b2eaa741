"""Confinement: what a team's code can reach, enforced by the kernel.

- ``probes``: finds out which level works here by running it (``probe_child`` is what runs, ``probe_answers`` keeps what it found
  until the next boot). ``advice``: what to change for a better one.
- ``bubblewrap``: the zygote's command line. ``confining``: all steps that confine a forked cell, out of ``kernel``, which has a
  file for each of its mechanisms. ``rulesets``: which rules of Landlock. ``own_root``: what a program sees of all files.
  ``denials``: notes what is denied to a watched program. ``readable_paths``: what it may read.
- ``folder_removal``: removes what a team has left.

A zygote is started with ``bubblewrap.zygote_command``. Its clerk calls ``confining.prepare`` for each cell; the zygote forks, and
the child calls ``confine_cell`` before anything of the team's is imported. Nothing is imported here, as a zygote needs no probes.
"""
