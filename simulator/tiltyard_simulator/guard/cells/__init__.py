"""Cells: processes that each run the code of one team.

- ``team_client``: a cell seen from the host, with its deadlines and verdicts. ``cell_port``: what it takes to
  open a seat, and what the ports to teams share.
- ``process_watch``: finds all processes of a cell. ``limit_hints``: what stopped a team, from its error.
- ``cell``: what runs in a cell. ``messages`` and ``wire``: what both say to each other, and how it travels.
- ``zygote``: the process that cells are forked from, seen from the host.
"""
