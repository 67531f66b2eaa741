"""A tournament's site: as a folder, live over HTTP while a run goes on, and below a notebook's cells.

This package is on its own: the core never imports it. The core finds the site as a publisher (``plugin.py``), what shows results
in notebooks by the entry-point group ``tiltyard.pages`` (``core_pages.py``), and ``tiltyard serve`` by its name. The package may
import the core; the league and the intake's pages may import it. Nothing here plays a match or writes to a store.

Rooms: ``pages`` makes the files, ``publication`` writes them, ``notebook`` shows results in cells, ``live`` keeps a site up to
date, ``web`` is what every server of ours is made of, ``commands`` has ``tiltyard serve``.
Begin reading with ``pages/contents.py``.
"""
