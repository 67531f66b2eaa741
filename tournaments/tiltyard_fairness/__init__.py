"""Fair maps: whether a seat is worth something on a map, and whether the map tells strong teams from weak ones.

``blocks`` sorts games into blocks, in each of which every team plays from every seat; ``seat_test`` tests whether the seats matter
in them; ``map_fairness`` says what follows for each map, and ``tables`` shows it. ``measuring`` plays the games for
``tiltyard check-game --fair``. Results of a tournament that plays every pairing from all seats can be looked at as well.

It may import engine, kit, simulator, checks and tournaments. Begin with ``map_fairness``.
"""
