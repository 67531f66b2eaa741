"""What plays: a tournament from its file (``run``), and teams that meet each other without one, for other packages (``games``)."""
