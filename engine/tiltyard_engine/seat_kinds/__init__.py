"""How a seat asks its team: one kind by turns, one for tanks, and what a further kind needs.

A GameManager asks a seat (``tiltyard_engine.seats``); where the team runs is the host's business. A kind says what is asked and
answered, and so how it travels to another process.

- ``seat_ports``: a kind of seats, and the port through which it is asked elsewhere. Begin here.
- ``turn_seats``: seats by turns. ``tank_seats``: those of the tanks. ``program_turns``: programs that are asked by turns.
- ``inline``: seats whose team runs in the GameManager's own process.
- ``value_types``: which types positions and answers may have. ``native_matches``: matches of compiled files alone.
- ``hidden_views``: how a game says what its players must not see.
- ``author_mistakes``: what to tell the author of a game about a position or answer that can't travel.
"""
