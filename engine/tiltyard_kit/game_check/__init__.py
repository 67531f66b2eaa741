"""Holding a game to what is true of every game, and playing its matches in tests.

``tiltyard_kit.testing`` is the face of this for tests, ``tiltyard check-game`` for the command line.

- ``check``: all properties, one after the other. Begin here.
- ``map_properties``, ``result_properties``, ``replay_properties``: maps are read, results are sound, replays rebuild the end.
- ``value_properties``, ``hidden_properties``: what seats are shown and answer, and what they must not see.
- ``fault_properties``, ``influence_properties``, ``isolation_properties``: seats that fail, that matter, and that are elsewhere.
- ``rules_properties``: what holds for games that state their rules.
- ``bench``: a room for what all properties look at.
"""
