"""A tournament's site, and the server that shows it while a run goes on.

This package is on its own: the core never imports it, and finds its command by name. It may import the core; the league and the
intake may import it. Nothing here plays a match or writes to a store.

``web`` is what every server of ours is made of: checks, headers, compression, and the server itself. ``live`` is the site of a
tournament that is being played, as an application of ``web``. ``commands`` has ``tiltyard serve``.
Begin reading with ``live/app.py``.
"""
