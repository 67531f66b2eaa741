"""The files of a site, each made when it is needed: pages with their templates and styles, and the scripts with the data.

data.py            what a site is made from; ``site_data.py`` and ``comparison.py`` make it of a tournament and of a comparative run
contents.py        the list of all files
pages.py           what each page shows, by the templates beside it
match_scripts.py   the games as data; ``replay_scripts.py``: a replay
labels.py          texts of strangers made fit for a page

It may import the core. Begin with ``contents.py``.
"""
