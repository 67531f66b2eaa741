"""The command of the course: ``advance`` reads a board, makes a move and writes the board."""
