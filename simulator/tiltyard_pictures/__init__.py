"""Pictures and films of replays, one for every game: the command ``tiltyard picture``, which the core finds through ``plugin``.

A game brings a :class:`~tiltyard_engine.replay.Theme`; everything else comes from the replay. Nothing here knows a game.
This package is on its own: the core never imports it. It imports the engine and the simulator's ``replays``, and ``cli`` the
tournaments' way to name a replay. PNG and GIF need Pillow, which is the extra ``pictures``; SVG needs nothing::

    picture = MatchPicture(replay, theme)              # how large a square is, in which colours
    svg_picture(picture, round_number)            # a string
    png_picture(picture, round_number)            # bytes
    gif_film(picture, film_rounds(replay, speed)) # bytes

Begin to read with ``picture``. From the bottom up; each module uses only those above it:

* ``texts``: texts of strangers, harmless and short.
* ``marks``: what pictures are drawn with: areas, lines, discs, letters, and the colours of paper, floor and ink.
* ``shapes``: a token as marks in a square of side 1. The site's ``shapes.js`` draws the same in the browser.
* ``layout``: where board, panels, names, round and caption stand.
* ``panels``: texts, cards, tables and plots as marks and lines of text.
* ``legend``: what the tokens are called, below the board.
* ``picture``: a replay with its theme, as layout and squares for those that follow.
* ``svg``: pictures as SVG.
* ``raster``: pictures as pixels.
* ``film``: films as GIF: which rounds they show, and for how long; their palette.
* ``cli``, ``plugin``: the command, and what makes it known.
"""
