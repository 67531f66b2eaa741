"""A team's own environment: the packages that it asks for, where the organiser allows them.

- ``requirements``: what a team asks for, from its ``requirements.txt`` and ``pyproject.toml``.
- ``allowed``: what the organiser allows, and why something isn't.
- ``installers``: uv or pip, which find versions and install wheels. ``locks``: the exact versions and hashes.
- ``team_environments``: makes environments, shares equal ones, and writes down which team runs on which.
"""
