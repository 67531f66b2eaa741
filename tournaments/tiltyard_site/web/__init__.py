"""What every server of tiltyard's pages is made of: ``tiltyard serve`` and a league.

app.py            an application out of routes, with all that every request passes
middleware.py     the check of the host, and the headers of every answer
compression.py    answers as gzip, each compressed once
answers.py        marks, so that nothing is sent twice; the types of files; the policy for browsers
bounded_cache.py  values up to so many bytes
server.py         listening, and limits for slow and greedy connections
addresses.py      what a host name says; ``packages.py``: the packages that all this needs

It may import the engine alone. ``addresses.py`` and ``packages.py`` work without starlette and uvicorn, the others need both.
Begin with ``app.py``.
"""
