"""What is played without a tournament file: ``round-robin``, and the modes of assignment 3, ``comparative`` and ``competition``.

A package of its own: the core never imports it, and finds its commands by an entry point in the group ``tiltyard.commands``. It may
import the core and ``tiltyard_checks``; the site, which shows a comparative run, imports it. The format ``competition`` of a
tournament file is the core's, and so is who meets whom in it.

Begin with ``comparative`` or ``competition``.

- ``comparative``: many GameManagers play one match. ``comparison`` groups those that agree, ``first_difference`` finds the round in
  which two of them part, by an ``observed_run`` of each; ``unequal_logs`` compares output files.
- ``competition``: many algorithms play under one GameManager.
- ``reports``: what both modes print and leave. ``output_files``: what a run writes beside its results.
- ``simulator_command``: ``simulator -comparative`` and ``-competition``.
- ``commands``: those of ``tiltyard``, which ``plugin`` names.
"""
