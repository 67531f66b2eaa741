"""The project's own tournament formats, a file each, and what they share.

``plugin`` contributes them through the same hook as everybody's; ``batch_checks`` checks the batches of any format.

Shared: ``conditions`` (maps, games, seeds and orders of seats), ``orbits`` (groups of more than two), ``matching`` and
``swiss_pairing`` (who meets whom in a swiss), ``two_team_test`` and ``settled_statistics`` (when enough has been played).
"""
