"""Running code that teams hand in: processes of their own, confinement, deadlines, verdicts.

- ``cell_pool``: the entry. ``CellPool`` opens seats, GameManagers and programs for a match worker.
- ``cells``: a team's code in a process. ``managers``: a GameManager's. ``programs``: external programs.
  ``native_hosts``: matches of compiled files, all in one process.
- ``seats``: the kinds of seats, with all that is said to a cell for each.
- ``confinement``: what a cell may touch, as its ``policy`` says.
- ``zygote_main``: what runs in the process that cells are forked from. ``clerk``: what runs in the process that takes the orders
  for them; ``fork_line``: what the two say to each other.
"""
