"""What a contest is beyond one tournament: stages that follow each other, decisions on protests, and what is handed to others.

stages.py          a file with ``stages`` stands for several tournaments
earlier_teams.py   teams that come from an earlier stage, or from another tournament; ``placed_teams.py``: who goes on
carried_points.py  the points that they bring
tie_break_games.py matches between teams that are tied where it matters
final_ranking.py   who is where after all stages; ``showing.py``: in commands, and as the page above the stages' sites
contest_page.py    that page, of the site's design; ``live_stages.py``: with those sites, for a server
decide.py          decisions on protests; the core stores and applies them
formats/           groups, knockout and double elimination
trf.py             FIDE's report file of a swiss, for other people's checkers and rating offices

A tournament is played and shown without this package, and the core never imports it: it finds ``hook.py`` by the entry point of
the group ``tiltyard.contest``, its formats by ``tiltyard``, its commands by ``tiltyard.commands``, and forms of an export by
``tiltyard.exports``. It may import the engine, the simulator, the tournaments and the site, and for an old
word the checks. Begin with ``stages.py``.
"""
