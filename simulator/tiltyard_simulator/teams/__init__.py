"""The teams of a folder: which a word stands for, and whose each is.

An intake leaves a record in the folder of teams that it fills. Whoever plays such a folder reads it: a tournament file, a command
or a league. Nobody needs the intake itself for that.

- ``team_folder``: the record, and the teams that a word stands for. Begin here.
- ``line_files``: files to which a line is added for each team, such as what came since the record was written.
"""

from typing import Final

TEAMS_RECORD: Final = ".tiltyard-intake.json"
"""The record's file, in the folder of teams."""
