"""People at a terminal: the board drawn, a question for each move, and whole games."""
