"""The service: the one process that checks, chooses, plays and writes results."""
