"""What an intake leaves behind: the result for each team.

Begin with ``team_report``: a value for each team, and the table of the class.

- ``feedback``: the text for a team. ``report_writer``: report and record on disk while an intake runs.
- ``team_record``: whose each file in the folder of teams is, for those who play it.
- ``team_files``: which files intakes have put there. ``previous_attempts``: what played before, put aside.
- ``source_archive``: a copy of each attempt's sources.

It imports ``building``, ``similarity`` and ``trees``.
"""
