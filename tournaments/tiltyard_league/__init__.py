"""A league that runs by itself: teams hand in, are checked, play rated games all day, and see why they lost.

``tiltyard league serve`` starts two processes below a supervisor. The web process answers requests; it stores bytes, and never
imports, unpacks or runs what teams send. The service has uploads checked, chooses who meets whom, has games played and rates them.
Both write the league's database, each a transaction at a time; only the service writes the store of games. Where staff let teams
play by hand, a third process has the tables for that.

A room may import those that stand below it: cli; web and tables; service; submissions and matchmaking; database; rating;
league_file.
All of them may import the tournaments, the simulator and the engine, and nothing of these imports the league. In the log, in
``status.json`` and in ``steward.json`` the web process is called ``door`` and the service ``steward``: those are data, which
monitors and older leagues have, and stay as they are.

Begin with ``service/main.py``, whose ``Service.step`` is all that happens beside the pages, and with ``web/app.py``.
"""
