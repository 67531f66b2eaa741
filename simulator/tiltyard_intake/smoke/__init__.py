"""One short match of each team against itself: whether what was built really plays.

Begin with ``smoke_match``.

- ``fault_words``: a fault of such a match, in words for whoever wrote the program.
- ``protocols``: which of a game's protocols a program speaks, by its sources or by trying.

It imports ``recipes``, ``trees`` and ``report``, and plays by the simulator's arena under the usual limits. The programs run in
cells like those of any match.
"""
