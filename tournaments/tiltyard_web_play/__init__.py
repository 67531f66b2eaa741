"""Playing a game in the browser: a person in a seat, and teams in the others, held and judged as in every match.

``tiltyard play GAME --web`` opens one game for the person at this machine; ``tiltyard serve TOURNAMENT --play`` lets the site's
visitors play against its teams. The page draws with the site's own viewer.

It may import the engine, the simulator, the tournaments, the site and ``tiltyard_whatif``. Nothing imports it but the commands
that open it, late: it needs starlette and uvicorn.

- ``choices``: what a person may answer, in words and as squares to click. Begin here.
- ``person``: the ports to a seat in which a person sits.
- ``table``: one game, in a thread of its own: what is asked, what was answered, taking back, resigning, clocks.
- ``lobby``: who may play whom: all tables of a server, and their limits.
- ``app``: the routes. ``assets``: the page. ``venue``: the games and teams that can be played.
- ``desk``: visitors ask why a team lost. ``trials``: they try other answers in replays. ``orders``: what they may send and use.
- ``open_game``, ``options``, ``server``: ``tiltyard play --web``. ``visitors``: what ``tiltyard serve --play`` opens.
"""
