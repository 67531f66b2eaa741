"""Finding plugins, loading them one by one, and saying what happened to each.

``sources`` knows where plugins can come from, ``file_loaders`` what loads files that are not Python. ``loading`` imports a source
and collects its records, or takes those that a program gave itself, ``checks`` checks each record, ``contributions``
describes them in plain data, ``registry`` holds that under its names, ``lookup`` finds the plugin that a word names,
``trust`` says whose code the runner itself may import.
"""

from tiltyard_engine.registry.contributions import Contribution, Description, Loader, load_here
from tiltyard_engine.registry.file_loaders import FileLoader
from tiltyard_engine.registry.loading import Plugin, load_source
from tiltyard_engine.registry.registry import Entry, Reference, Registry, Row, Selection
from tiltyard_engine.registry.sources import Source, installed_sources, path_sources
from tiltyard_engine.registry.trust import Trust

__all__ = [
    "Contribution",
    "Description",
    "Entry",
    "FileLoader",
    "Loader",
    "Plugin",
    "Reference",
    "Registry",
    "Row",
    "Selection",
    "Source",
    "Trust",
    "installed_sources",
    "load_here",
    "load_source",
    "path_sources",
]
