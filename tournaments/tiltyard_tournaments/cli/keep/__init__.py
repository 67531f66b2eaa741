"""Commands over what was played: publish it, serve it, export it, and save a damaged store."""
