"""The site of a tournament while a run goes on in another process.

live_site.py     the site as it is now, made in memory from the store; ``live_edition.py``: one state of it
app.py           the site as an application
site_server.py   the application at an address, kept up to date by a thread

It may import ``web``, ``pages`` and the core. Begin with ``live_site.py``.
"""
