"""Commands before a tournament: new packages and files, and whether a team or a machine is fit to play."""
