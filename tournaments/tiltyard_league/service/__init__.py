"""The service: the one process that checks, chooses, plays and writes results. In the log it is called ``steward``.

It may be killed at any moment: what is in the databases is the truth, and all else is worked out again at its start.

- ``main``: the loop, a fit of the ratings when one is due, and what is written for the pages.
- ``playing``: which games come next, and what becomes of those that have ended. ``matches``: how games become matches.
- ``active_versions``: which version of each team plays.
- ``checks``: uploads on their way to being versions, in lanes.
- ``explanations``: why teams didn't win, found out while a core has nothing else to do.

It may import all rooms but web and cli. ``setup`` and ``supervisor`` run in the parent process, before and beside it.
Begin with ``Service.step`` in ``main.py``.
"""
