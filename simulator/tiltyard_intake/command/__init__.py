"""What people write and read: ``tiltyard intake``, its settings, and the team that ``tiltyard check`` is given.

Begin with ``intake``, the command. It is found by its name in the entry of ``tiltyard``.

- ``settings_file``: the settings of an intake as a YAML file. ``deadlines``: times as people write them; the league reads them too.
- ``checked_team``: a team that has to be built before it can be checked. It is found by the entry-point group ``tiltyard.finders``.

It imports the rest of the intake, and the readers and options of the tournaments' commands.
"""
