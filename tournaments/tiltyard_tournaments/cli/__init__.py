"""The ``tiltyard`` command: ``start`` finds and loads subcommands when they are used, a module each."""
