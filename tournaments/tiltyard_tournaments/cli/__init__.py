"""The ``tiltyard`` command, a folder for each kind of use and a module for each subcommand.

A module here reads options, calls a room that does the work, and prints what comes back.

- ``start``: the entry. It finds and loads subcommands when they are used. Begin here. ``next_steps``: what it prints alone.
- ``prepare``: before a tournament. ``play``: plays matches. ``look``: shows it. ``keep``: publishes, checks and saves it.
- ``application``: Typer with plain help. ``open_group``: groups that plugins can add to. ``completion``: what the shell offers.
- ``options``, ``tournament_options``: options that several commands share.
- ``check_output``: lines of commands that check something.
- ``working_folder``: what lies in a folder, as far as names tell.
"""
