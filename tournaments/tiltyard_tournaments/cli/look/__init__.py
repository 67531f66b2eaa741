"""Commands that show a tournament: its schedule, progress and tables. They change nothing."""
