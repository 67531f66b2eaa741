"""A film as GIF: one palette for all frames, and of each frame only the rectangle that changed, the rest of it transparent."""

from __future__ import annotations

import io
import struct
from typing import TYPE_CHECKING, Final

from tiltyard_simulator.pictures.look import rgb
from tiltyard_simulator.pictures.picture import Picture
from tiltyard_simulator.pictures.pillow import require_pillow
from tiltyard_simulator.pictures.raster import Raster
from tiltyard_simulator.pictures.thinning import RESULT_SECONDS, FilmPlan

if TYPE_CHECKING:
    from PIL import Image

COLORS: Final = 255
"""Of the palette; the last of 256 is transparent."""
TRANSPARENT: Final = 255
NOTE_SECONDS: Final = 1.5
"""How long an event stays in the caption."""
HUNDREDTHS: Final = 100
"""GIF counts time in these."""


def gif_film(picture: Picture, plan: FilmPlan) -> bytes:
    """The plan's rounds as a GIF that goes round and round. If it ends with the game, its last frame tells the result.

    Raises:
        UserError: Pillow is missing.
    """
    require_pillow()
    return _Film(picture, plan).whole()


class _Film:
    def __init__(self, picture: Picture, plan: FilmPlan) -> None:
        self._picture = picture
        self._plan = plan
        self._raster = Raster(picture)
        self._memory = max(plan.every, round(NOTE_SECONDS / plan.seconds) * plan.every)
        """Rounds that an event stays in the caption."""
        tokens = self._tokens()
        self._palette = self._make_palette(tokens)
        self._sprites = {token: self._few_colors(self._raster.sprite(token)) for token in tokens}
        self._target = io.BytesIO()

    def whole(self) -> bytes:
        width, height = self._picture.sheet.width, self._picture.sheet.height
        palette = bytes(self._palette.getpalette() or ())[: 3 * COLORS].ljust(3 * 256, b"\0")
        # 0xF7: a palette of 2 ** 8 colours, 8 bits each. Then it loops for ever.
        self._target.write(b"GIF89a" + struct.pack("<HHBBB", width, height, 0xF7, 0, 0) + palette)
        self._target.write(b"\x21\xff\x0bNETSCAPE2.0\x03\x01\x00\x00\x00")
        self._frames()
        self._target.write(b";")
        return self._target.getvalue()

    def _frames(self) -> None:
        shown: Image.Image | None = None
        frame: Image.Image | None = None
        tokens: list[str] = []
        clock, plan = 0.0, self._plan
        for number, round_number in enumerate(plan.rounds):
            frame = self._start() if frame is None else frame.copy()
            # Text first: the timeline goes forward once and not back for the notes.
            self._write(frame, round_number)
            now = list(self._picture.tokens(round_number))
            for place, token in enumerate(now):
                if not tokens or tokens[place] != token:
                    frame.paste(self._sprites[token], self._raster.corner(place))
            tokens = now
            last = number == len(plan.rounds) - 1
            # Sums of rounded times would drift.
            begin, clock = round(clock * HUNDREDTHS), clock + plan.seconds
            stays = round(clock * HUNDREDTHS) - begin
            banner = self._banner(frame) if last and plan.whole else None
            self._add(shown, frame, round(RESULT_SECONDS * HUNDREDTHS) if last and banner is None else stays)
            shown = frame
            if banner is not None:
                self._add(shown, banner, round(RESULT_SECONDS * HUNDREDTHS))

    def _start(self) -> Image.Image:
        return self._few_colors(self._raster.blank())

    def _write(self, frame: Image.Image, round_number: int) -> None:
        page = self._picture.sheet
        whole = self._raster.blank()
        self._raster.write(whole, round_number, self._memory)
        foot = page.board_y + page.board_height
        for top, bottom in ((0, page.head_height), (foot, page.height)):
            frame.paste(self._few_colors(whole.crop((0, top, page.width, bottom))), (0, top))

    def _banner(self, frame: Image.Image) -> Image.Image | None:
        result = self._picture.result()
        if result is None:
            return None
        whole = frame.convert("RGB")
        self._raster.pill(whole, result)
        return self._few_colors(whole)

    def _add(self, before: Image.Image | None, frame: Image.Image, hundredths: int) -> None:
        """Write what changed since the frame before."""
        from PIL import GifImagePlugin, Image, ImageChops

        part, left, top = frame, 0, 0
        options: dict[str, int] = {"duration": hundredths * 10, "disposal": 1, "interlace": 0}
        if before is not None:
            changed = ImageChops.difference(_numbers(frame), _numbers(before)).point([0] + [255] * 255)
            # A frame that changes nothing still takes its time.
            bounds = changed.getbbox() or (0, 0, 1, 1)
            left, top = bounds[:2]
            numbers = Image.new("L", (bounds[2] - left, bounds[3] - top), TRANSPARENT)
            numbers.paste(_numbers(frame).crop(bounds), (0, 0), changed.crop(bounds))
            part = Image.new("P", numbers.size)
            part.putdata(numbers.tobytes())
            options["transparency"] = TRANSPARENT
        for block in GifImagePlugin.getdata(part, (left, top), **options):
            self._target.write(block)

    # Colours

    def _tokens(self) -> list[str]:
        """All that stand on the board in one of the rounds, in the order in which they come."""
        found: dict[str, None] = dict.fromkeys(self._picture.tokens(self._plan.rounds[0]))
        for frame in self._picture.replay.frames[self._plan.rounds[0] : self._plan.rounds[-1]]:
            found.update(dict.fromkeys(token for _, token in frame.changes))
        return list(found)

    def _make_palette(self, tokens: list[str]) -> Image.Image:
        """The colours that must be right, and those that serve all tokens and texts best."""
        from PIL import Image

        look, page = self._picture.look, self._picture.sheet
        seats = [self._picture.seat_color(seat) for seat in range(len(self._picture.names))]
        exact = [rgb(color) for color in (look.paper, look.floor, look.grid, look.ink, look.muted, *seats)]
        columns = max(1, page.width // page.square)
        rows = -(-len(tokens) // columns)
        sample = Image.new("RGB", (page.width, rows * page.square + page.height), look.paper)
        for place, token in enumerate(tokens):
            sample.paste(self._raster.sprite(token), (place % columns * page.square, place // columns * page.square))
        texts = self._raster.blank()
        self._raster.write(texts, self._plan.rounds[-1])
        result = self._picture.result()
        if result is not None:
            self._raster.pill(texts, result)
        sample.paste(texts, (0, rows * page.square))
        fewer = sample.quantize(COLORS - len(exact), Image.Quantize.MEDIANCUT, dither=Image.Dither.NONE)
        others = (fewer.getpalette() or [])[: 3 * (COLORS - len(exact))]
        palette = Image.new("P", (1, 1))
        flat = [channel for color in exact for channel in color] + others
        palette.putpalette(flat + flat[:3] * (256 - len(flat) // 3))
        return palette

    def _few_colors(self, image: Image.Image) -> Image.Image:
        from PIL import Image

        return image.quantize(palette=self._palette, dither=Image.Dither.NONE)


def _numbers(image: Image.Image) -> Image.Image:
    """The numbers of the palette's colours, as grey."""
    from PIL import Image

    return Image.frombytes("L", image.size, image.tobytes())
