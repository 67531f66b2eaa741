"""Playing a tournament: its value, its schedule, its store, and those who watch.

tournament.py        what is to be played, all names resolved, and its store
eligibility.py       who may not play any more, and what becomes of the results; ``qualification.py``: who may play at all
schedule.py          batches of fixtures become matches with keys; stored results are used again
run.py               play what is missing, keep it, tell those who watch
tables.py            what is printed of the results
events               a room of its own: the screen, the log, observers

It may import formats, standings, ratings and the store. Begin with ``tournament.py``, then ``run.py``.
"""
