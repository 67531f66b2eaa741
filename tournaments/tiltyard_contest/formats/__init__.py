"""Formats in which teams meet in a bracket, or in groups that are drawn.

meetings.py            what they share: two teams play until one of them is ahead, and the rounds of such meetings
groups.py              groups that are drawn from pots, each a round robin
knockout.py            the loser of a meeting is out
double_elimination.py  whoever has lost twice is out

They come to the host as everybody's formats do, by the hook ``formats`` in ``plugin.py``. They may import the engine and what
the tournaments' own formats share. Begin with ``meetings.py``.
"""
