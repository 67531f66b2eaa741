"""Ratings of versions: a fit of all rated games, each version's prior around the team's one before.

``fit.py`` is Davidson's model over versions, all games at once. ``standing.py`` is what pages show of a fit, kept in a file
that can be removed at any time; ``history.py`` has a point of it for each hour or day. The web process reads both without
numpy.

It imports no other room of the league: versions and counts come as plain numbers. The method is that of the tournaments' ratings.
Begin with ``fit_versions`` in ``fit.py``; what teams see is ``LeagueStanding``.
"""
