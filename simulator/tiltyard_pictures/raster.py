"""A round as pixels. Tokens are drawn once, larger than they are, and brought down, so that their edges are smooth."""

from __future__ import annotations

import importlib.util
import io
import unicodedata
from dataclasses import replace
from functools import lru_cache
from typing import TYPE_CHECKING, Final

from tiltyard_engine.errors import UserError
from tiltyard_pictures.layout import Pill, TextLine
from tiltyard_pictures.marks import Area, Disc, Letters, Line, Mark, at_place
from tiltyard_pictures.panels import Drawing
from tiltyard_pictures.picture import MatchPicture
from tiltyard_viewer.drawing.text import columns_of

if TYPE_CHECKING:
    from PIL import Image, ImageDraw, ImageFont

FINER: Final = 8
"""How many times larger a token is drawn than it is shown."""
FURTHER_FONTS: Final = ("DejaVuSans-Bold.ttf", "NotoSans-Bold.ttf", "NotoSansCJK-Bold.ttc", "Arial Unicode.ttf")
"""Looked for among the system's where Pillow's own lacks a letter."""
SMOOTHER: Final = 3
"""How many times larger panels are drawn than they are shown; in a film they are drawn again in many rounds."""
NO_CHARACTER: Final = "\uffff"


def require_pillow() -> None:
    """Raises a UserError that says how to install it, where Pillow is missing."""
    if importlib.util.find_spec("PIL") is None:
        raise UserError(
            "PNG and GIF need Pillow, which is not installed: pip install 'tiltyard[pictures]'; SVG works without it",
            see="missing-package",
        )


def png_picture(picture: MatchPicture, round_number: int) -> bytes:
    """The board after a round as a PNG, with players, round and caption.

    Raises:
        UserError: there is no such round, or Pillow is missing.
    """
    require_pillow()
    picture.check_round(round_number)
    raster = Raster(picture)
    whole = raster.blank()
    for place, token in enumerate(picture.tokens(round_number)):
        whole.paste(raster.sprite(token), raster.corner(place))
    raster.write(whole, round_number)
    target = io.BytesIO()
    whole.save(target, "PNG", optimize=True)
    return target.getvalue()


class Raster:
    """The parts of a picture as images in RGB."""

    def __init__(self, picture: MatchPicture) -> None:
        self.picture = picture
        self._sprites: dict[str, Image.Image] = {}
        self._drawing: Drawing | None = None
        self._panel_image: Image.Image | None = None
        self._legend_image: Image.Image | None = None

    def blank(self) -> Image.Image:
        """Paper, and what is the same in all rounds."""
        from PIL import Image

        whole = Image.new("RGB", (self.picture.layout.width, self.picture.layout.height), self.picture.scheme.paper)
        for words in self.picture.row_names():
            _write(whole, words)
        return whole

    def corner(self, place: int) -> tuple[int, int]:
        """Where the square of this number begins."""
        y, x = divmod(place, self.picture.replay.width)
        page = self.picture.layout
        return page.board_x + x * page.square, page.board_y + y * page.square

    def sprite(self, token: str) -> Image.Image:
        """A token on its floor."""
        sprite = self._sprites.get(token)
        if sprite is None:
            sprite = self._sprites[token] = self._draw(self.picture.marks(token))
        return sprite

    def write(self, whole: Image.Image, round_number: int, memory: int = 1) -> None:
        """Put players, map, round and caption into a picture, in place of those that were there."""
        from PIL import ImageDraw

        page, paper = self.picture.layout, self.picture.scheme.paper
        pen = ImageDraw.Draw(whole)
        pen.rectangle((0, 0, page.width, page.board_y - 1), paper)
        pen.rectangle((0, page.board_y + page.board_height, page.width, page.height), paper)
        self._panels(whole, round_number)
        self._legend(whole)
        for pill in self.picture.pills(round_number):
            self.pill(whole, pill)
        for words in (*self.picture.info(round_number), *self.picture.caption(round_number, memory)):
            _write(whole, words)

    def _panels(self, whole: Image.Image, round_number: int) -> None:
        """Draw the panels larger than they are, and bring them down; the same again where nothing changed."""
        from PIL import Image, ImageDraw

        page = self.picture.layout
        if not page.panels:
            return
        drawing = self.picture.panels(round_number)
        if drawing != self._drawing or self._panel_image is None:
            top, height = page.board_y + page.board_height, page.panels_height
            large = Image.new("RGB", (page.width * SMOOTHER, height * SMOOTHER), self.picture.scheme.paper)
            pen = ImageDraw.Draw(large)
            for mark in at_place(drawing.marks, 0, -top):
                _draw_solid(pen, mark, SMOOTHER)
            for words in drawing.texts:
                x, y = words.x * SMOOTHER, (words.y - top) * SMOOTHER
                _write(large, replace(words, x=x, y=y, size=words.size * SMOOTHER, cell=words.cell * SMOOTHER))
            self._panel_image = large.resize((page.width, height), Image.Resampling.BOX)
            self._drawing = drawing
        whole.paste(self._panel_image, (0, page.board_y + page.board_height))

    def _legend(self, whole: Image.Image) -> None:
        """Draw the legend once, larger than it is, and put it below the caption."""
        from PIL import Image

        page, drawing = self.picture.layout, self.picture.legend
        if not page.legend:
            return
        top = round(min(y for _, y in page.legend))
        if self._legend_image is None:
            height = page.height - top
            large = Image.new("RGB", (page.width * SMOOTHER, height * SMOOTHER), self.picture.scheme.paper)
            for mark in at_place(drawing.marks, 0, -top):
                _draw_mark(large, mark, SMOOTHER)
            self._legend_image = large.resize((page.width, height), Image.Resampling.BOX)
        whole.paste(self._legend_image, (0, top))
        for words in drawing.texts:
            _write(whole, words)

    def pill(self, whole: Image.Image, pill: Pill) -> None:
        """Put a rounded box with its text into a picture."""
        from PIL import ImageDraw

        whole.paste(pill.color, (round(pill.x), round(pill.y)), _box(round(pill.width), round(pill.height)))
        font = font_for(pill.text, round(pill.size))
        middle = (pill.x + pill.width / 2, pill.y + pill.height / 2)
        ImageDraw.Draw(whole).text(middle, pill.text, pill.ink, font, "mm", align="center")

    def _draw(self, marks: list[Mark]) -> Image.Image:
        from PIL import Image, ImageDraw

        size, scheme = self.picture.layout.square, self.picture.scheme
        large = size * FINER
        image = Image.new("RGB", (large, large), scheme.floor)
        if self.picture.gridded:
            pen = ImageDraw.Draw(image)
            pen.rectangle((0, 0, large, FINER - 1), scheme.grid)
            pen.rectangle((0, 0, FINER - 1, large), scheme.grid)
        for mark in marks:
            _draw_mark(image, mark, large)
        return image.resize((size, size), Image.Resampling.BOX)


def _draw_solid(pen: ImageDraw.ImageDraw, mark: Mark, size: int) -> None:
    """A mark that nothing shines through, such as all of panels: without a mask, which takes most of the time."""
    match mark:
        case Area():
            pen.polygon([(x * size, y * size) for x, y in mark.points], mark.color)
        case Line():
            pen.line([(x * size, y * size) for x, y in mark.points], mark.color, max(1, round(mark.width * size)), joint="curve")


def _draw_mark(image: Image.Image, mark: Mark, size: int) -> None:
    from PIL import Image, ImageDraw

    if isinstance(mark, Letters):
        font = font_for(mark.text, max(1, round(mark.size * size)))
        # Pillow's own font is not bold.
        stroke = round(mark.size * size * 0.04)
        pen = ImageDraw.Draw(image)
        pen.text((mark.x * size, mark.y * size), mark.text, mark.color, font, "mm", stroke_width=stroke)
        return
    mask = Image.new("L", image.size)
    pen = ImageDraw.Draw(mask)
    strength = 255
    match mark:
        case Area():
            strength = round(255 * mark.opacity)
            pen.polygon([(x * size, y * size) for x, y in mark.points], strength)
        case Disc():
            strength = round(255 * mark.opacity)
            _disc(pen, mark.x * size, mark.y * size, mark.radius * size, strength)
        case Line():
            points = [(x * size, y * size) for x, y in mark.points]
            pen.line(points, strength, max(1, round(mark.width * size)), joint="curve")
            if mark.round:
                for x, y in (points[0], points[-1]):
                    _disc(pen, x, y, mark.width * size / 2, strength)
    image.paste(mark.color, (0, 0), mask)


def _disc(pen: ImageDraw.ImageDraw, x: float, y: float, radius: float, strength: int) -> None:
    pen.ellipse((x - radius, y - radius, x + radius, y + radius), strength)


def _write(whole: Image.Image, words: TextLine) -> None:
    from PIL import ImageDraw

    font = font_for(words.text, round(words.size))
    pen = ImageDraw.Draw(whole)
    if words.cell:
        x = words.x
        for letter in words.text:
            width = words.cell * columns_of(letter)
            pen.text((x + width / 2, words.y), letter, words.color, font, "mm")
            x += width
        return
    anchor = {"start": "lm", "middle": "mm", "end": "rm"}[words.anchor]
    stroke = round(words.size * 0.03) if words.bold else 0
    pen.text((words.x, words.y), words.text, words.color, font, anchor, stroke_width=stroke)


@lru_cache(maxsize=64)
def _box(width: int, height: int) -> Image.Image:
    """A rounded box as a mask."""
    from PIL import Image, ImageDraw

    large = Image.new("L", (width * 4, height * 4))
    ImageDraw.Draw(large).rounded_rectangle((0, 0, width * 4 - 1, height * 4 - 1), height, 255)
    return large.resize((width, height), Image.Resampling.BOX)


@lru_cache(maxsize=256)
def font_for(text: str, size: int) -> ImageFont.FreeTypeFont:
    """Pillow's own font, so that pictures are the same on all machines; another if that lacks one of the letters."""
    from PIL import ImageFont

    own = ImageFont.load_default(max(size, 1))
    assert isinstance(own, ImageFont.FreeTypeFont)
    if _has_all(own, text):
        return own
    for name in FURTHER_FONTS:
        try:
            font = ImageFont.truetype(name, max(size, 1))
        except OSError:
            continue
        if _has_all(font, text):
            return font
    return own


def _has_all(font: ImageFont.FreeTypeFont, text: str) -> bool:
    if text.isascii():
        return True
    missing = bytes(font.getmask(NO_CHARACTER))
    visible = [character for character in set(text) if not character.isspace() and unicodedata.category(character) != "Cf"]
    return all(bytes(font.getmask(character)) != missing for character in visible)
