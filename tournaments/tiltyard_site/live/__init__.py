"""The site of a tournament while a run goes on in another process.

app.py          the site as an application
site_server.py  the application at an address, kept up to date by a thread

It may import ``web`` and the core. Begin with ``app.py``.
"""
