"""A close look at one team or one match.

- ``team_check``: the steps of ``tiltyard check``. ``verification``: playing matches again and comparing them.
- ``runtimes``: which languages' programs start here, for ``tiltyard doctor``.
- ``rerun``: a match from its fault folder. ``conversation_replay``: asking a team again what it was asked, for ``tiltyard debug``;
  ``cell_replay``: the same in a cell.
"""
