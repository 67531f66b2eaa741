"""The publishers that come with tiltyard: the site, and the tables as files.

plugin.py  their records
site.py    pages with replays, by the room ``site``
tables.py  standings and other tables as Markdown, CSV, JSON and HTML
"""
