"""What an organiser needs around a contest: decisions on protests, and FIDE's report file of a swiss for other people's checkers.

A tournament is played and shown without this package, and the core never imports it: ``tiltyard`` finds its commands by the entry
points ``tiltyard.commands``, ``tiltyard export`` its formats by ``tiltyard.exports``. The core stores decisions and applies them.
It may import the engine, the simulator and the tournaments, and for an old word the checks.

Begin with ``decide.py`` and ``trf.py``.
"""
