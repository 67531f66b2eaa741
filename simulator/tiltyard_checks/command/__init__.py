"""The commands, a file each: ``check``, ``plan``, ``status``, ``debug``, ``verify``, ``recover``, ``explain``, and so on.

``check_output`` prints lines of a check, for ``tiltyard check-game`` too, and ``drawn_difference`` the boards where two runs part.
``games`` are those of teams that meet each other without a tournament file, and ``progress`` is a line for long runs; the modes of
assignment 3 use both. How something is printed is all that is decided here: the rooms beside this one do the work.
"""
