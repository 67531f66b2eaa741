"""Which plugins there are here, and how each one's code is isolated.

It may import ``match`` and ``guard``: trusted plugins are imported in this process, and each other one in a cell of its own.

- ``guarded_registry``: finds out what plugins contribute. Begin here. ``plugin_inspection``: those that are not trusted.
- ``description_cache``: keeps what files and folders were found to contribute, so that none is imported twice.
- ``lookup``: finds the plugins and maps that people name by names, files and folders.
- ``isolation_policy``: the project's own code runs in the process, all other code in a sandbox.
"""
