"""Who meets whom, what the results mean, and the ``tiltyard`` command.

``round_robin`` makes a schedule, ``played`` holds what came of a match, ``standings`` turns that into tables and ``ratings`` into
strengths, ``result_folder`` writes them.
``cli`` holds the command, a module a subcommand; ``team_template`` the package that ``tiltyard new team`` makes.
"""
