"""Lost games explained for a site, in a process of the lowest priority.

- ``losses``: which games are explained, for how long each, and where. Begin here.
- ``idle_process``: the process in which answers are tried, one game after the other.

It may import all of ``tiltyard_whatif`` but the commands; only ``tiltyard_web_play`` and the league's service import it.
``tiltyard publish`` and ``serve`` find it by the entry-point group ``tiltyard.analysis``.
"""
