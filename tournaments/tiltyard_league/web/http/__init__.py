"""What every request passes before a page answers it: who asks, may they, is it too much, is the answer there already.

``AccessControl`` calls the function of a ``Page`` with a ``Context``: the request, whoever makes it, and the database. Whatever
a page may know of its visitor it asks there. What is refused is a ``RequestRefusedError``, which becomes a page or JSON.

This room knows no page. It may import database, rating and league_file.
Begin with ``context.py``, then ``access.py``. ``limits.py`` counts bytes and requests, ``page_cache.py`` keeps what everybody sees.
"""
