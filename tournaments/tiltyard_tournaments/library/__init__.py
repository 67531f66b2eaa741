"""Tournaments, matches and comparisons from Python, in programs and notebooks.

``making`` reads files and arguments, ``cup`` is a tournament, ``one_match`` plays a single match, ``comparison`` asks which of two
teams is better, ``stream`` lets an event loop watch a run, ``rows`` and ``shown_match`` are what results look like.
"""
