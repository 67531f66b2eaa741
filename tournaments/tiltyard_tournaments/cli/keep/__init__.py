"""Commands over what was played: publish it, serve it, export it, play it again, and save a damaged store."""
