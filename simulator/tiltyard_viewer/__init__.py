"""The terminal viewer, one for every game, and ``tiltyard watch``.

A game brings a :class:`~tiltyard_engine.replay.Theme`; everything else comes from the replay. Nothing here knows a game. It is a
package of its own: the core never imports it, and finds its command by an entry point in the group ``tiltyard.commands``. The site,
pictures, checks and the other own packages draw by it. All but ``command`` needs the engine alone; ``command`` also tournaments.

Begin with ``player.play``, whose ``watch`` joins it all.

- ``drawing``: boards, panels, figures and graphs as lines of text, in the colours of a terminal. Pure functions.
- ``player``: where the match stands, what a key does, the whole screen, and plain output where there is no terminal.
- ``command``: ``tiltyard watch``, which ``plugin`` names, and where a replay comes from (``replay_source``), which others ask too.
"""
