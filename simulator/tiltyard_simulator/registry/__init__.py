"""Which plugins there are here, and how each one's code is isolated.

It may import ``match``, ``guard`` and ``teams``. Trusted plugins are imported in this process, each other one in a cell.

- ``finder``: from the words that people write to plugins and maps. Begin here. It asks ``plugin_list`` for all of a folder,
  ``game_search`` for the game that is meant, and ``map_files`` for maps.
- ``object_teams``: teams that a program gives as objects, and the words that stand for them.
- ``guarded_registry``: finds out what plugins contribute. ``plugin_inspection``: those that are not trusted.
- ``description_cache``: keeps what files and folders were found to contribute, so that none is imported twice.
- ``isolation_policy``: the project's own code runs in the process, all other code in a sandbox.
"""
