"""What would have come of another answer, and so why a team lost.

A match is played again by the same programs from the same seed, up to one turn of one team. There the game gets another answer, and
both programs play on. Nothing is guessed: whoever is asked is the program itself, in the holding that the match had.

- ``choices``: which answers a team may give in a turn, and their words.
- ``chance``: another answer where chance takes another course after it.
- ``playing``: one match, played again with other answers put in. Begin here.
- ``search``: which answers are tried, in which order, until there is no more time.
- ``findings``: what the results say of each turn, in figures.
- ``words``: the same in sentences.
- ``notes``: the file in which results lie until they are wanted again.
- ``analysis``: lost games explained for a site; ``explained_files`` is what it leaves for it.
- ``explaining``: all that is known about a match; ``summary``: the same for all matches that a team did not win.

It may import the core, ``tiltyard_checks`` and ``tiltyard_site``; ``tiltyard_web_play`` imports it.
"""
