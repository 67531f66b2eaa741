"""Holding code that teams hand in: cells of their own, limits, verdicts.

- ``holding``: the entry; ``Cells`` opens seats for a match worker, ``isolation`` says how they are held.
- ``cell_seats``: the seats that a GameManager gets; ``held_cell``: one cell seen from the host, its deadlines and verdicts.
- ``cell``: what runs in a cell; ``messages`` and ``wire``: what both say to each other, and how it travels.
- ``zygote``: the process that cells are forked from, seen from the host; ``zygote_main``: what runs in it.
- ``confinement``: what a cell may touch; ``readable_paths``: which files those are; ``limits``: all limits in one place.
"""
