"""``tiltyard watch``: a replay, a match that is played now, or one rebuilt from an output file."""
