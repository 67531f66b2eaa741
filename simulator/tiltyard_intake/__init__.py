"""From what people hand in to teams that play."""
