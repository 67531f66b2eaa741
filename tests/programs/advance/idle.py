"""Does nothing at all."""
