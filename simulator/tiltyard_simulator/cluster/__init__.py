"""Playing matches on many machines, which a Dask cluster lends.

- On the coordinator: ``connecting`` finds the scheduler; ``executor`` hands out ``chunks`` of matches and takes what comes of them;
  ``machines`` keeps who is there; ``shipping`` sends teams' files along; ``contents`` says what must be the same everywhere.
- On each machine: ``on_machine`` is what its Dask worker runs, ``examining_main`` looks, in a new process, whether it has the same
  code and can confine it as well, ``cores`` gives each match worker a core of its own.
- ``messages``: what travels between the two.

Dask is imported by ``connecting`` alone, when it is needed: it is an extra, and takes a moment.
"""
