"""External programs under guard.

- In the cell: ``launcher`` starts the team's command, once or for each call; ``messages`` is what the host asks it for.
- In the host: ``program_cell`` is the cell with its clocks and verdicts, ``watching`` looks at all processes in it,
  ``held_program`` is what a game's adapter is given, ``program_seat`` the seat that a GameManager gets. ``program_paths``: what a
  program may read. ``program_host``: the same for plugins' own commands.
"""
