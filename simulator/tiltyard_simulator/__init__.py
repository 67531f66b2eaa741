"""Playing matches: one, guarded; many, in parallel.

Rooms, each of which imports only those before it:

- ``match``: values. What is to be played (``MatchSpec``), under which limits, how its key is made and how faults overrule claims.
- ``guard``: processes that run code of strangers, confined, with deadlines. It knows neither tournaments nor tables.
- ``replays``: bytes and files of replays. It needs ``match`` alone.
- ``play``: plays one match or many, on all cores, and turns what people write into plugins and maps.

Beside it lie packages that nothing here imports: ``tiltyard_checks`` looks closely at a team, a match or a machine,
``tiltyard_intake`` turns what a class handed in into teams that play, ``tiltyard_cluster`` plays on other machines,
``tiltyard_viewer`` shows matches in a terminal, and ``tiltyard_pictures`` draws them.
"""
