from __future__ import annotations

from dataclasses import replace
from xml.etree import ElementTree as ET

import pytest
from tests.pictures.samples import BLUE, THEME, march

from tiltyard_engine.errors import UserError
from tiltyard_engine.replay import Frame, SquareStyle
from tiltyard_pictures.marks import LIGHT
from tiltyard_pictures.picture import MatchPicture
from tiltyard_pictures.svg import svg_picture

SVG = "{http://www.w3.org/2000/svg}"


def texts(root: ET.Element) -> list[str]:
    return [element.text or "" for element in root.iter(f"{SVG}text")]


def test_a_round_is_drawn_square_by_square() -> None:
    picture = MatchPicture(march(10), THEME)
    root = ET.fromstring(svg_picture(picture, 3))
    page = picture.layout
    assert (root.get("width"), root.get("height")) == (str(page.width), str(page.height))
    symbols = {symbol.get("id"): symbol for symbol in root.iter(f"{SVG}symbol")}
    labels = {f"#{name}": getattr(symbol.find(f"{SVG}title"), "text", None) for name, symbol in symbols.items()}
    at = {
        (int(use.get("x", "")) - page.board_x) // page.square + (int(use.get("y", "")) - page.board_y) // page.square * 8: labels[
            use.get("href", "")
        ]
        for use in root.iter(f"{SVG}use")
    }
    assert at == {3: "tank of 1", 8: "wall", 9: "mine & more", 10: None, 16: "tank of 2"}
    tank = next(symbol for symbol in symbols.values() if getattr(symbol.find(f"{SVG}title"), "text", "") == "tank of 1")
    assert BLUE in {part.get("fill") for part in tank}


def test_players_round_and_result_are_told() -> None:
    picture = MatchPicture(march(10), THEME)
    told = texts(ET.fromstring(svg_picture(picture, 10)))
    assert [text for text in told if len(text) > 1] == [
        "1 ann: 10",
        "2 bo: 0.5",
        "ants on a march",
        "round 10 of 10",
        "ann won by marching",
    ]
    told = texts(ET.fromstring(svg_picture(picture, 5)))
    assert told[-2:] == ["round 5 of 10", "half way"]
    assert "half way" not in texts(ET.fromstring(svg_picture(picture, 6)))


def test_names_are_escaped_and_made_harmless() -> None:
    replay = march(2, seats=("</text><script>alert(1)</script>", 'a"b&\x00\x1b[31m\u202e'))
    replay.message, replay.title = "<b>&amp;", "]]>"
    page = svg_picture(MatchPicture(replay, THEME), 2)
    root = ET.fromstring(page)
    assert {element.tag.removeprefix(SVG) for element in root.iter()} <= {
        *("svg", "title", "defs", "symbol", "pattern", "path", "rect", "circle", "use", "text")
    }
    assert "<b>&amp;" in texts(root)
    assert 'a"b&' in " ".join(texts(root))
    assert not set(page) & {"\x00", "\x1b", "\u202e"}


HOSTILE = {
    "long": "x" * 30_000,
    "words": "a " * 15_000,
    "wide": "\u6f22" * 30_000,
    "combining": "e" + "\u0301" * 29_999,
    "accents on all": "e\u0301\u0323\u0308" * 7_500,
    "right to left": "\u05d0" * 30_000,
    "turned around": "\u202e" * 15_000 + "ab" * 7_500,
}


@pytest.mark.parametrize("text", HOSTILE.values(), ids=HOSTILE)
def test_texts_of_strangers_stay_short_in_a_picture(text: str) -> None:
    styles = {token: replace(style, label=text, mark=text and style.mark and text) for token, style in THEME.styles.items()}
    theme = replace(THEME, styles=styles | {"?": SquareStyle(glyph=text, plain="?", label=text)}, column_names=(text,) * 8)
    replay = march(2, seats=(text, text))
    replay.message = replay.title = replay.game = text
    replay.frames[0] = Frame((), (text, ""), (), (text,))
    picture, plain = MatchPicture(replay, theme), MatchPicture(march(2), THEME)
    for number in range(3):
        drawn = svg_picture(picture, number)
        ET.fromstring(drawn)
        assert len(drawn) < len(svg_picture(plain, number)) + 5_000
        lines = [words.text for words in (*picture.info(number), *picture.caption(number))]
        assert max(map(len, [*lines, *(pill.text for pill in picture.pills(number))])) <= 300
    banner = picture.result()
    assert banner is None or len(banner.text) <= 500


def test_equal_replays_give_equal_pictures() -> None:
    assert svg_picture(MatchPicture(march(4), THEME), 2) == svg_picture(MatchPicture(march(4), THEME), 2)


def test_light_and_dark_differ() -> None:
    assert LIGHT.floor in svg_picture(MatchPicture(march(1), THEME, scheme=LIGHT), 0)
    assert LIGHT.floor not in svg_picture(MatchPicture(march(1), THEME), 0)


@pytest.mark.parametrize("number", [-1, 11])
def test_a_round_that_is_not_there(number: int) -> None:
    with pytest.raises(UserError, match=f"no round {number}: the game has rounds 0, its start, to 10"):
        svg_picture(MatchPicture(march(10), THEME), number)


def test_a_legend_names_each_kind_of_token_once() -> None:
    north = SquareStyle(glyph="^ ", plain="^ ", label="tank of 1, up", shape="tank", seat=1)
    south = replace(north, label="tank of 1, down", turn=4)
    styles = {"a": north, "b": south, "#": SquareStyle(glyph="##", plain="##", label="a & b", shape="block"), "x": north}
    replay = replace(march(2), width=2, height=1, squares=("a", "#"), frames=[Frame(((0, "b"),))])
    theme = replace(THEME, styles=styles)
    with_legend, without = MatchPicture(replay, theme, legend=True), MatchPicture(replay, theme)
    told = texts(ET.fromstring(svg_picture(with_legend, 1)))
    assert [text for text in told if text.startswith(("tank of", "a & b"))] == ["tank of 1", "a & b"]
    assert with_legend.layout.height > without.layout.height
    assert with_legend.layout.width == without.layout.width
    assert with_legend.layout.board_y == without.layout.board_y
    assert not {"tank of 1", "a & b"} & set(texts(ET.fromstring(svg_picture(without, 1))))
