"""For authors of games: tests of a game, people's games in a terminal, checks of recorded files, and the files of a new game.

It comes with ``tiltyard-engine`` and may import only that, so a game needs no more. Nothing of tiltyard's core imports it: games,
their tests and the commands of ``tiltyard_kit_commands`` do. What has to be played in other processes goes through
``tiltyard_engine.host``.

Begin with ``testing``, which is the face of ``game_check``.

- ``testing``: what the tests of a game import.
- ``game_check``: holds a game to what is true of all games; ``check`` has the list of properties.
- ``sheet``: tables of a class or of some games, whose columns are stated once. The intake uses it too.
- ``terminal``: lets people play at a terminal; ``playable_game`` is what a game writes for it.
- ``conformance``: the common part of commands that check files of recorded games or positions.
- ``new_game``, ``new_team``: the files that ``tiltyard new`` writes for a game, and for a team of a game by its rules.
"""
