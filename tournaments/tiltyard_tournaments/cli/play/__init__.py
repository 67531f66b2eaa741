"""Commands that play: a tournament from its file, or teams that meet each other without one."""
