"""From what people hand in to teams that play: ``tiltyard intake``.

Begin with ``intake``: it takes in a class, one entry after the other. What it is asked to do is in ``options``.

- ``exports``: who handed in, and what: downloads of learning platforms, folders, a list of students.
- ``archives``: the members of archives of any kind, within bounds.
- ``trees``: one clean folder of sources of each entry, read in a process that can be killed.
- ``recipes``: which recipe fits a tree, and the recipes that every game can use.
- ``environments``: which packages teams may have, and environments of their own.
- ``building``: the steps of a recipe in a cell, and what is put into the folder of teams.
- ``smoke``: one short match of each team against itself.
- ``similarity``: which works are alike.
- ``report``: the result for each team, for the organiser, the teams and the next intake.
- ``command``, ``pages``: the command, its settings file and the organiser's pages.

It imports the engine and the simulator; ``command`` and ``pages`` import the tournaments as well. Nothing of the core imports it:
its commands, recipes and Host are found by name.
"""
