"""Playing matches.

- ``arena``: plays one match. ``executors``: many, in this process or in ``workers``.
- ``lookup``: finds the plugins and maps that people name. ``registry``: the installed plugins; those that are not trusted are
  imported in cells (``plugin_inspection``).
- ``isolation_policy``: how each plugin's code is isolated. ``quarantine``: teams that fail too often.
- ``host``: what tiltyard offers to plugins' own commands.
- ``trace`` and ``view_recorder``: what seats were asked and shown. ``live_match``: a match that is watched while it is played.
- ``progress``, ``tables``, ``reports``: the output of a run.
- ``fault_folders``, ``output_files``, ``result_files``: the files of a run.
"""
