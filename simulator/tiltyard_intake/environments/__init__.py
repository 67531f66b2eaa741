"""Which packages teams may have, and environments of their own with them, where the organiser allows it.

Begin with ``team_environments``: it makes environments, shares equal ones, and writes down which team runs on which.

- ``requirements``: what a team asks for, from its ``requirements.txt`` and ``pyproject.toml``.
- ``package_requests``: what a work asks for in every ecosystem, by its project's files.
- ``allowed``: what the organiser allows, and why something isn't.
- ``installers``: uv or pip, which find versions and install wheels. ``locks``: the exact versions and hashes.
- ``package_folder``: a folder of packages, as builds see it.
- ``chance_packages``: what a team imports and finds on this machine by chance alone.

It imports no other room of the intake.
"""
