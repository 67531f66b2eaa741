"""Who handed in, and what: one entry for each team, out of whatever shape the work has.

Begin with ``entries``, which brings a class, a list of students and a deadline together.

- ``lms_exports``: the shapes that handed-in work has. ``lms_names``: the names that platforms give to files.
- ``gradescope``: the file in which Gradescope names people.
- ``peek``: whether a whole class lies in an archive, without unpacking it.
- ``roster``: the list of students.

It imports ``archives`` and ``trees``.
"""
