"""External programs in cells.

- In the cell: ``launcher`` starts the team's command, once or for each call, by ``starting``; ``messages`` is what the host asks
  it for.
- In the host: ``program_cell`` is the cell with its clocks and verdicts, ``program_client`` is what a game's adapter is given,
  ``program_port`` what a seat asks. ``program_paths``: what a program may read.
"""
