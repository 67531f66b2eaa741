"""A person at the board, in a terminal: one move for the course's command line, or whole games against people and algorithms."""
