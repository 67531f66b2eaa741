"""The command that shows the tables of a tournament. It changes nothing."""
