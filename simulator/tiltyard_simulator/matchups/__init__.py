"""The two modes of assignment 3.

- ``comparative``: many GameManagers play one match. ``comparison`` groups those that agree, ``first_difference`` finds the round in
  which two of them part.
- ``competition``: many algorithms play under one GameManager. ``pairings`` says who meets whom.
- ``command``: ``simulator -comparative`` and ``-competition``. ``reports``: what both print and leave.
"""
