"""Playing a tournament: its value, its schedule, its store, and those who watch.

tournament.py  what is to be played, all names resolved, and its store
eligibility.py  who may not play any more, and what becomes of the results
schedule.py    batches of fixtures become matches with keys; stored results are used again
run.py         play what is missing, keep it, tell those who watch
events.py      who is told of each event, and when
results.py     what publishers get
"""
