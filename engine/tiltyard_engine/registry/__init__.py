"""Finding plugins, loading them one by one, and saying what became of each.

``sources`` knows where plugins can come from, ``loading`` imports one and collects its records,
``checks`` looks at each record, ``registry`` holds what was found under its names.
"""

from tiltyard_engine.registry.loading import Plugin, load_source
from tiltyard_engine.registry.registry import Entry, Reference, Registry, Row, Selection
from tiltyard_engine.registry.sources import Source, installed_sources, path_sources

__all__ = [
    "Entry",
    "Plugin",
    "Reference",
    "Registry",
    "Row",
    "Selection",
    "Source",
    "installed_sources",
    "load_source",
    "path_sources",
]
