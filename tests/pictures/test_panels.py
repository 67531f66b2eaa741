"""Texts, cards, tables and plots in pictures and films."""

from __future__ import annotations

import io
import xml.etree.ElementTree as ET

import pytest
from tests.simulator.replays.panel_games import BLUE, ORANGE, THEME, dilemma, every_kind, played, theme_of, without_panels

from tiltyard_engine.replay import Replay
from tiltyard_engine.replay.panels import CardsPanel, TablePanel, TextPanel
from tiltyard_pictures.film import film_rounds, gif_film
from tiltyard_pictures.marks import DARK, LIGHT
from tiltyard_pictures.picture import MatchPicture
from tiltyard_pictures.raster import png_picture
from tiltyard_pictures.svg import svg_picture

SVG = "{http://www.w3.org/2000/svg}"


def texts(svg: str) -> list[str]:
    return [element.text or "" for element in ET.fromstring(svg).iter(f"{SVG}text")]


@pytest.mark.parametrize("width", [0, 3])
def test_each_kind_is_drawn_with_a_board_and_without_one(width: int) -> None:
    picture = MatchPicture(every_kind(width), THEME, scheme=LIGHT)
    start, end = svg_picture(picture, 0), svg_picture(picture, 3)
    assert {"news", "a line", "  and a second", "hand", "7♣", "K♥"} <= set(texts(start))
    assert not {"seeds", "food"} & set(texts(start))
    assert {"seeds", "who", "12", "food", "ann: 3", "bo: 2.5", "x 40"} <= set(texts(end))
    assert svg_picture(picture, 0) == start
    assert (f'fill="{LIGHT.floor}"/>' in start) is True
    boards = [rect for rect in ET.fromstring(end).iter(f"{SVG}rect") if rect.get("fill") == LIGHT.floor]
    assert len(boards) == (1 if width else 0)
    assert {BLUE, ORANGE} <= {path.get("stroke") for path in ET.fromstring(end).iter(f"{SVG}path")}
    assert 'textLength="48" lengthAdjust="spacing"' in start


def test_texts_of_strangers_stay_texts_and_in_their_boxes() -> None:
    svg = svg_picture(MatchPicture(every_kind(0), THEME), 2)
    assert "<script" not in svg
    picture = MatchPicture(every_kind(0), THEME)
    wide = picture.layout.width
    for words in picture.panels(2).texts:
        assert 0 <= words.x < wide
        if words.cell:
            assert words.x + words.cell * len(words.text) <= wide


def test_much_is_cut_in_the_middle_and_stays_a_picture() -> None:
    rows = [[f"{place}", "x" * 100] for place in range(3000)]
    panels = (
        TextPanel("long", [f"line {place}" for place in range(3000)]),
        TablePanel("rows", ["a", "b"], rows),
        CardsPanel("many", ["7♣"] * 3000, hidden=3000),
    )
    replay = Replay(game="g", width=0, height=0, squares=(), panels=panels)
    picture = MatchPicture(replay)
    assert picture.layout.width * picture.layout.height < 3_000_000
    drawn = texts(svg_picture(picture, 0))
    assert {"line 0", "line 2999", "... 2978 more lines ...", "... 2978 more ..."} <= set(drawn)


def test_a_picture_without_panels_is_as_it_was() -> None:
    picture = MatchPicture(without_panels(every_kind()), THEME)
    assert (picture.layout.panels, picture.layout.panels_height) == ((), 0)
    assert picture.layout.width == 268


@pytest.mark.parametrize("scheme", [LIGHT, DARK])
def test_pixels_and_films_show_them_in_the_colours_of_the_seats(scheme: object) -> None:
    image = pytest.importorskip("PIL.Image")
    replay = played(dilemma())
    picture = MatchPicture(replay, theme_of(dilemma()), scheme=LIGHT if scheme is LIGHT else DARK)
    drawn = image.open(io.BytesIO(png_picture(picture, 20))).convert("RGB")
    assert drawn.size == (picture.layout.width, picture.layout.height)
    plot = picture.layout.panels[2]
    below = drawn.crop((round(plot.x), round(plot.y), round(plot.x + plot.width), round(plot.y + plot.height)))
    counts = {color: count for count, color in below.getcolors(1 << 20)}
    assert min(counts[0xD5, 0x5E, 0x00], counts[0x00, 0x72, 0xB2]) > 30
    film = image.open(io.BytesIO(gif_film(picture, film_rounds(replay, first=10, last=14))))
    assert film.n_frames == 6
    film.seek(0)
    first = film.convert("RGB")
    film.seek(4)
    assert first.crop((round(plot.x), round(plot.y), 580, 450)) != film.convert("RGB").crop(
        (round(plot.x), round(plot.y), 580, 450)
    )
