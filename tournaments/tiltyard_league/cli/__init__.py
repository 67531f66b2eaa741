"""The commands ``tiltyard league``, for whoever runs a league, and ``tiltyard hand-in``, for its teams.

A file for each group of commands: ``league`` (serve, roster, invite), ``season``, ``finals``, ``backup``, ``doctor``,
``recovery``. They change a league as the pages of the staff do, by the functions of ``database/staff.py``, whether it runs or
not. ``hand_in`` runs on a student's machine: it speaks to a league over HTTP (``league_client``), sends what ``packing`` makes
of a folder, and imports nothing that only Linux has.

It may import all other rooms but web, and most of them only when a command needs them, so that ``--help`` is quick.
Begin with ``league.py``.
"""
