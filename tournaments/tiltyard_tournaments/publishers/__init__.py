"""The publishers that the core has, and what it asks the site's package for.

plugin.py  the records of the publishers
tables.py  standings and other tables as Markdown, CSV, JSON and HTML
pages.py   results as pages: found by a hook, as the site itself is

It may import the engine and the simulator. Begin with ``plugin.py``.
"""
