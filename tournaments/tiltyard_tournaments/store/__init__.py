"""The results of a tournament in one SQLite file: what was played is kept, whatever happens next.

schema.py    the tables, their version, and how older files are brought up to date
locking.py   one run at a time writes
store.py     putting matches in and getting them out
exporting.py everything as JSON lines
"""

from tiltyard_tournaments.store.locking import StoreLock
from tiltyard_tournaments.store.store import STORE_NAME, Store, StoredMatch

__all__ = ["STORE_NAME", "Store", "StoreLock", "StoredMatch"]
