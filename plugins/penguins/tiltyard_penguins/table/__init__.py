"""People at a terminal: the board drawn, a question for each move, one turn under anybody's game master, and whole games."""
