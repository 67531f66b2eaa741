"""What a contest hands to others: FIDE's report file of a swiss, for other people's checkers and rating offices.

A tournament is played and shown without this package, and the core never imports it: ``tiltyard export`` finds its formats by
entry points of the group ``tiltyard.exports``. It may import the engine, the simulator and the tournaments.

Begin with ``trf.py``.
"""
