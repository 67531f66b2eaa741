"""Pictures and films of replays, one for every game.

A game brings a :class:`~tiltyard_engine.replay.Theme`; everything else comes from the replay. Nothing here knows a game.
For commands::

    picture = Picture(replay, theme)              # how large a square is, in which colours
    svg_picture(picture, round_number)            # a string; needs nothing
    png_picture(picture, round_number)            # bytes; needs Pillow
    gif_film(picture, film_rounds(replay, speed)) # bytes; needs Pillow

Map, from the bottom up; each module uses only those above it:

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
"""

from tiltyard_simulator.replays.pictures.film import DEFAULT_SPEED, FilmPlan, film_rounds, gif_film
from tiltyard_simulator.replays.pictures.marks import COLOR_SCHEMES, DARK, LIGHT, ColorScheme
from tiltyard_simulator.replays.pictures.picture import Picture
from tiltyard_simulator.replays.pictures.raster import png_picture
from tiltyard_simulator.replays.pictures.svg import svg_picture

__all__ = [
    "COLOR_SCHEMES",
    "DARK",
    "DEFAULT_SPEED",
    "LIGHT",
    "ColorScheme",
    "FilmPlan",
    "Picture",
    "film_rounds",
    "gif_film",
    "png_picture",
    "svg_picture",
]
