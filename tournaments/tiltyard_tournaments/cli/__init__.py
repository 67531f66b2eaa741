"""The ``tiltyard`` command, and a module for each subcommand of the core.

A module here reads options, calls a room that does the work, and prints what comes back.

- ``start``: the entry. It finds and loads subcommands when they are used. Begin here. ``next_steps``: what it prints alone.
- ``run`` plays a tournament, ``standings`` shows it, ``publish`` makes a site of it. ``executor_options``: where it is played.
- ``application``: Typer with plain help. ``open_group``: groups that other packages and plugins add to, such as those with
  ``check`` and ``league``. ``completion``: what the shell offers.
- ``options``, ``tournament_options``: options that several commands share.
- ``working_folder``: what lies in a folder, as far as names tell.
"""
