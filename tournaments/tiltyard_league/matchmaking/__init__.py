"""Who meets whom next: pure functions of what was played, without a clock and without a queue.

Whenever a worker is free, the service asks again. ``need.py`` says which versions should meet, as arrays in and a group out;
``fixtures.py`` remembers which of them have met on which maps, and makes a pair into two games, one in each order of seats, and a
larger group into one, with the seats that ``seating.py`` evens out.
``benchmarks/ratings.py season`` compares rules on made-up seasons: run it before a change.

It may import rating and database, of which it needs only values, and nothing that plays or writes.
Begin with ``choose_group`` in ``need.py``.
"""
