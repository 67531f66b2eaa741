"""Whether a team plays, step by step: it loads, starts, answers, keeps its limits, and does the same each time.

Begin with ``team_check``. It may import ``runs``, and nothing of the tournaments.

- ``opening``: the first match, against itself, which is all that an intake plays. ``advice``: what to do about a fault.
- ``subjects``: from what people write to a team and the matches of its check.
- ``steps``: the steps for people and programs; how near a team came to its limits.
"""
