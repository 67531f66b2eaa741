"""Ratings of versions: a fit of all rated games, each version's prior around the one before."""
