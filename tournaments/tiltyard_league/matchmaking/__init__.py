"""Who meets whom next: pure functions of what was played, without a clock and without a queue.

Whenever a worker is free, the service asks again. ``need.py`` says which two versions should meet, as arrays in and a pair out;
``fixtures.py`` remembers which of them have met on which maps, and makes a pair into two games, one in each order of seats.
``benchmarks/ratings.py season`` compares rules on made-up seasons: run it before a change.

It may import rating and database, of which it needs only values, and nothing that plays or writes.
Begin with ``choose_pair`` in ``need.py``.
"""
