"""The commands of ``tiltyard`` for authors of games and for whoever begins: ``check-game``, ``play``, ``new`` and ``demo``.

What those for authors do is in ``tiltyard_kit``, which needs the engine alone. A command also needs what ``tiltyard`` brings, so
this package comes with ``tiltyard`` and may import all of it, as the league does. Nothing imports it: ``tiltyard`` finds its
commands as it finds those of games, by an entry point in the group ``tiltyard.commands``.

Begin with ``plugin``, which says what there is.

- ``plugin``: the commands by their names; light to import, because every help does it.
- ``check_game``, ``play_game``: ``tiltyard check-game`` and ``tiltyard play``.
- ``new``: the group ``tiltyard new``, and a tournament's file, which ``first_file`` makes of ``template.yaml``.
- ``new_game``, ``new_team``: ``tiltyard new game`` and ``tiltyard new team``.
- ``demo``: a first cup of what is installed.
"""
