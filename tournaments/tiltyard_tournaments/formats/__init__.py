"""The project's own tournament formats, a file each, and what they share.

``plugin`` contributes them through the hook that everybody's come through; ``options`` reads what people write for one,
``checking`` looks at the batches that one gives, ``seeds`` gives a fixture its seed.

Shared: ``conditions`` (maps, games and orders of seats), ``circle`` (rounds of a round robin), ``orbits`` (groups of more than
two), ``matching`` and ``swiss_pairing`` (who meets whom in a swiss), ``bracket`` (a knockout's tree), ``two_team_test`` and
``settled_statistics`` (when enough has been played).
"""
