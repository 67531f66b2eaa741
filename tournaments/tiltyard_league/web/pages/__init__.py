"""What answers at the addresses of a league: functions from a ``Context`` to a response, a file for each group of visitors.

Each file ends with its ``PAGES``: address, audience and function. The first sentence of a function's docstring is what the
reference says about its address. A page that changes something does so in one transaction, with a line in the log.

To add a page, write its function, a line in ``PAGES``, and a template; ``tests/league/web/test_access.py`` then asks who may
see it.
It may import ``web.http``, submissions, database, rating and league_file. Names and results come from ``tables.py`` and
``Context``.
Begin with ``public.py``.
"""
