"""A close look at a team, a match, a tournament, a message or a machine: ``tiltyard check``, ``debug``, ``verify`` and others.

Matches are played and judged without this package, and the core never imports it: ``tiltyard`` finds the commands by the entry
point ``plugin``. It may import the engine, the simulator and the tournaments. The intake and the league use its steps.

Begin with ``team/team_check.py``, whose ``check`` yields the steps of a check.

- ``team``: what a check looks at, from a name that somebody typed to how near the limits the team came.
- ``runs``: two runs of a match compared byte for byte, among them the matches that a tournament has stored.
- ``faults``: a match from its fault folder, or the questions of a team in it, and kits of it for another machine.
- ``machine``: what a report of a defect needs, and which languages and compiled rules work here.
- ``command``: the commands themselves.
"""
