"""The pages, a file for each group of those who see them."""
