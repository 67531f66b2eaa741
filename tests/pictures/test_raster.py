from __future__ import annotations

import importlib.util
import io
from importlib.machinery import ModuleSpec

import pytest
from PIL import Image
from PIL.ImageColor import getrgb
from tests.pictures.samples import BLUE, ORANGE, THEME, march

from tiltyard_engine.errors import UserError
from tiltyard_pictures.film import film_rounds, gif_film
from tiltyard_pictures.marks import DARK
from tiltyard_pictures.picture import MatchPicture
from tiltyard_pictures.raster import png_picture
from tiltyard_pictures.svg import svg_picture


def square_colors(image: Image.Image, picture: MatchPicture, place: int) -> set[tuple[int, int, int]]:
    """All colours in a square."""
    page = picture.layout
    x, y = page.board_x + place % 8 * page.square, page.board_y + place // 8 * page.square
    part = image.convert("RGB").crop((x, y, x + page.square, y + page.square))
    return {part.getpixel((column, row)) for column in range(page.square) for row in range(page.square)}  # type: ignore[misc]


@pytest.mark.parametrize("scale", [1.0, 2.0])
def test_a_png_has_the_layouts_size_and_the_seats_colors(scale: float) -> None:
    picture = MatchPicture(march(10), THEME, scale)
    image = Image.open(io.BytesIO(png_picture(picture, 3)))
    assert (image.format, image.size) == ("PNG", (picture.layout.width, picture.layout.height))
    assert getrgb(BLUE) in square_colors(image, picture, 3)
    assert getrgb(ORANGE) in square_colors(image, picture, 16)
    assert getrgb("#808080") in square_colors(image, picture, 8)
    assert square_colors(image, picture, 0) == {getrgb(DARK.floor), getrgb(DARK.grid)}
    assert image.convert("RGB").getpixel((0, 0)) == getrgb(DARK.paper)


def test_the_names_stand_on_their_seats_colors() -> None:
    picture = MatchPicture(march(10), THEME)
    image = Image.open(io.BytesIO(png_picture(picture, 3))).convert("RGB")
    for (x, y, _), color in zip(picture.layout.pills, (BLUE, ORANGE), strict=True):
        assert image.getpixel((round(x) + 4, round(y) + 13)) == getrgb(color)


def test_names_of_strange_letters_are_drawn() -> None:
    picture = MatchPicture(march(1, seats=("\u05d3\u05e8\u05e7\u05d5\u05df", "\u9f8d\U0001f409\x00")), THEME)
    assert png_picture(picture, 1).startswith(b"\x89PNG")


def test_without_pillow_svg_works_and_the_others_say_what_is_missing(monkeypatch: pytest.MonkeyPatch) -> None:
    find = importlib.util.find_spec

    def find_without(name: str, package: str | None = None) -> ModuleSpec | None:
        return None if name == "PIL" else find(name, package)

    monkeypatch.setattr(importlib.util, "find_spec", find_without)
    replay = march(2)
    picture = MatchPicture(replay, THEME)
    assert svg_picture(picture, 2)
    with pytest.raises(UserError, match=r"pip install 'tiltyard\[pictures\]'"):
        png_picture(picture, 2)
    with pytest.raises(UserError, match=r"pip install 'tiltyard\[pictures\]'"):
        gif_film(picture, film_rounds(replay))


def test_a_legend_is_drawn_in_its_colours() -> None:
    with_legend, without = (
        Image.open(io.BytesIO(png_picture(MatchPicture(march(4), THEME, legend=each), 2))) for each in (True, False)
    )
    assert with_legend.height > without.height
    below = with_legend.crop((0, without.height, with_legend.width, with_legend.height))
    assert getrgb(BLUE) in {color for _, color in below.getcolors(1 << 16) or ()}
