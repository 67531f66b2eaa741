"""A release of all distributions, step by step. RELEASING.md tells the steps; ``python3 -m release`` does each of them."""
