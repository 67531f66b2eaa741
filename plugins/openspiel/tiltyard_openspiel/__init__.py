"""The games of OpenSpiel as games of tiltyard, one each: ``openspiel/connect_four`` and the others.

- ``plugin``: what the package contributes; it does not import OpenSpiel.
- ``catalogue``: which games there are, with their parameters; ``make_catalogue`` writes ``catalogue.json`` from OpenSpiel itself.
- ``map_files``: the parameters of a game as a map.
- ``playing``: the one module through which OpenSpiel is reached: games, positions, chance.
- ``manager``: the referee.
- ``boards``, ``theme``: how a state's text is shown.
- ``algorithms``: a random player and OpenSpiel's MCTS.
"""
