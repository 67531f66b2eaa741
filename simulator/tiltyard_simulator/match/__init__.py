"""A match as values that can be sent between processes.

- ``spec``: what to play. The result is the engine's ``Outcome`` with its ``Evidence``.
- ``key``: a hash over all that the result depends on. ``code_digest`` hashes a plugin's code; ``plugin_files`` finds
  its files.
- ``isolation`` and ``limits``: how a team's code runs, and what it may use.
- ``own_distributions``: whose code runs in the runner's own process by default.
- ``own_cache``: files that commands keep for each other.
- ``verdict``: how faults overrule a GameManager's claim. ``on_crash``: what a crash means.
"""
