"""What a league knows of its people and of their work; and its games, in the tournament's store.

``database.py`` opens ``league.sqlite``, which both processes write, a transaction at a time; its tables stand in
``migrations``, and a step that was released is never changed. A function that says so writes in the transaction that is open.
``games.py`` adds a table to the store of the tournament, whose rows are written together with their matches.

Each other file is a group of tables or of facts: teams, tokens, versions, rosters, what staff do. ``state.py`` has the small
files of the folder, and ``clock.py`` the time, for all of the league.
It may import rating, for grades, and no other room of the league.
Begin with ``migrations/1-league.sql`` and ``database.py``.
"""
