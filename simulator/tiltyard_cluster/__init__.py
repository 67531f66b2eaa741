"""Playing matches on many machines, which a Dask cluster lends: the options ``--cluster`` of commands, and what plays there.

This package is on its own: the core never imports it, and finds ``options`` through the entry points ``tiltyard.executors``. It
imports the engine and the simulator. Begin to read with ``options`` and ``executor``.

- On the coordinator: ``connection`` finds the scheduler; ``executor`` hands out ``chunks`` of matches and takes what comes of them;
  ``machines`` keeps who is there, ``late_teams`` which of them can play a team that came later; ``shipping`` sends teams' files
  along; ``contents`` says what must be the same everywhere.
- On each machine: ``remote_worker`` is what its Dask worker runs, ``inspection_main`` looks, in a new process, whether it has the
  same code and can confine it as well.
- ``messages``: what travels between the two.

Dask is imported by ``connection`` alone, when it is needed: it is an extra, and takes a moment.
"""
