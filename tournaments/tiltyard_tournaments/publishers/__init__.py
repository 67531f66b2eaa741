"""What takes results elsewhere: the publishers that the core has, and what it asks the site's package for.

publication.py  the results given to one publisher after the other
results.py      what every publisher gets
plugin.py       the records of the core's own publishers; ``tables.py``: tables as Markdown, CSV, JSON and HTML
pages.py        results as pages: found by a hook, as the site itself is

It may import ``running``, which imports none of it. Begin with ``publication.py``.
"""
