"""The tank game for tiltyard.

``plugin`` is what the entry point names. ``rules``, ``battle`` and ``rounds`` are the game; ``manager`` the
reference GameManager and its dialects; ``maps`` and ``output`` the course's files; ``conformance`` replays
recorded games.
"""
