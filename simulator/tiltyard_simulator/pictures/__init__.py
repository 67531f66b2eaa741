"""Pictures and films of replays, one for every grid game.

A game brings a :class:`~tiltyard_engine.replay.Theme`; everything else comes from the replay. Nothing here knows a game.
For commands::

    picture = Picture(replay, theme)              # how large a square is, in which colours
    svg_picture(picture, round_number)            # a string; needs nothing
    png_picture(picture, round_number)            # bytes; needs Pillow
    gif_film(picture, film_rounds(replay, speed)) # bytes; needs Pillow

Map, from the bottom up; each module uses only those above it:

* ``look``: the colours of paper, floor and ink, light and dark: those of the published site.
* ``marks``: what pictures are drawn with: areas, lines, discs, letters.
* ``shapes``: a token as marks in a square of side 1. The site's ``shapes.js`` draws the same in the browser.
* ``sheet``: where board, names, round and caption stand.
* ``picture``: a replay with its theme, as sheets and squares for those that follow.
* ``svg``: the way to SVG.
* ``pillow``, ``raster``: the way to pixels.
* ``thinning``: which rounds a film shows, and how long.
* ``palette``: the few colours of a GIF.
* ``film``: the way to GIF.
"""

from tiltyard_simulator.pictures.film import gif_film
from tiltyard_simulator.pictures.look import DARK, LIGHT, LOOKS, Look
from tiltyard_simulator.pictures.picture import Picture
from tiltyard_simulator.pictures.raster import png_picture
from tiltyard_simulator.pictures.svg import svg_picture
from tiltyard_simulator.pictures.thinning import FilmPlan, film_rounds

__all__ = ["DARK", "LIGHT", "LOOKS", "FilmPlan", "Look", "Picture", "film_rounds", "gif_film", "png_picture", "svg_picture"]
