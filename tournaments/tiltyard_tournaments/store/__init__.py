"""The results of a tournament in one SQLite file: what was played is kept, whatever happens next.

schema.py    the tables, their version, and how older files are brought up to date
lock.py      one run at a time writes
store.py     putting matches in and getting them out; ``store_file.py``: the file, and the tables beside the matches
failures.py  what SQLite's errors and damage mean
opening.py   reading, also where nothing may be written
team_notes.py  which teams the words of a tournament file stood for in the last run
"""

from tiltyard_tournaments.store.lock import StoreLock
from tiltyard_tournaments.store.store import Store, StoredMatch
from tiltyard_tournaments.store.store_file import STORE_NAME

__all__ = ["STORE_NAME", "Store", "StoreLock", "StoredMatch"]
