"""Which works of a class have the same sources, but for comments, layout and names."""
