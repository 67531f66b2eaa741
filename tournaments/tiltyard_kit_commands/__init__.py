"""The commands of ``tiltyard`` for authors of games: ``check-game``, ``play``, ``new game`` and ``new team``.

What they do is in ``tiltyard_kit``, which needs the engine alone. A command also needs what ``tiltyard`` brings, so this package
comes with ``tiltyard`` and may import all of it, as the league does. Nothing imports it: ``tiltyard`` finds its commands as it
finds those of games, by an entry point in the group ``tiltyard.commands``.

Begin with ``plugin``, which says what there is.

- ``plugin``: the commands by their names; light to import, because every help does it.
- ``check_game``: ``tiltyard check-game``.
- ``new_game``, ``new_team``: ``tiltyard new game`` and ``tiltyard new team``.
"""
