"""Commands over what was played: publish it, and export it."""
