"""Which programs of a class answer alike, and which results surprise: hints for staff, by what programs do and not by their text.

- ``asking``: a recorded match is put to a team in all seats; its answers are noted, and the recorded ones are played.
- ``question_list``: which matches are asked, within a budget, and the file in which answers lie until they are wanted again.
- ``answer_table``: all answers as numbers, and what each tells about a pair.
- ``comparison``: how alike each pair of teams are beyond what the class does, and whether that is more than chance. Begin here.
- ``surprises``: results of a pair that the ratings do not explain.
- ``evidence``: the positions that tell most of two teams.
- ``tables``, ``page``: the report for staff, whole in one file.
- ``command``: ``tiltyard alike``.

It may import the core, ``tiltyard_checks``, ``tiltyard_cycles``, ``tiltyard_pictures``, ``tiltyard_site`` and
``tiltyard_whatif``. Only the league imports it, for a command of its staff. Nothing that is published does.
"""
