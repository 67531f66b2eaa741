"""Playing matches: one in an arena, many through an executor.

It may import ``match``, ``replays``, ``guard``, ``registry``, ``output`` and ``faults``.

- ``arena``: plays one match, by one ``attempt`` or more. Begin here.
- ``executor``: many, through anything that takes matches and tells what came of them. ``workers`` play them in processes
  (``worker_main`` runs in each). ``local_matches``: a list of them, on this machine.
- ``trace`` and ``view_recorder``: what seats were asked and shown. ``silence``: what plugins print is discarded.
- ``failure_watch``: ends a schedule in which no match can succeed.
- ``host``: what tiltyard offers to plugins' own commands.
"""
