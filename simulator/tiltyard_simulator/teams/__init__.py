"""What teams are called, and whose each is.

An intake leaves a record in the folder of teams that it fills. Whoever plays such a folder reads it: a tournament file, a command
or a league. Nobody needs the intake itself for that. It may import ``match``.

- ``team_folder``: the record. Begin here.
- ``team_labels``: what each team is called in tables, where several may declare the same name.
- ``line_files``: files to which a line is added for each team, such as what came since the record was written.
"""

from typing import Final

TEAMS_RECORD: Final = ".tiltyard-intake.json"
"""The record's file, in the folder of teams."""
