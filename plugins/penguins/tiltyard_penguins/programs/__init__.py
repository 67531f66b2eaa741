"""The commands of the course: ``penguins`` makes a move from a board file, ``penguins_master`` lets programs play."""
