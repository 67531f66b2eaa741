"""A film as GIF: one palette for all frames, and of each frame only the rectangle that changed, the rest of it transparent."""

from __future__ import annotations

import io
import struct
from typing import TYPE_CHECKING, Final

import numpy as np

from tiltyard_simulator.pictures.look import RGB, rgb
from tiltyard_simulator.pictures.palette import TRANSPARENT, Numbers, Palette
from tiltyard_simulator.pictures.picture import Picture
from tiltyard_simulator.pictures.pillow import require_pillow
from tiltyard_simulator.pictures.raster import Raster
from tiltyard_simulator.pictures.thinning import RESULT_SECONDS, FilmPlan

if TYPE_CHECKING:
    from PIL import Image

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
        self._palette = Palette(*self._colors(tokens))
        self._sprites = {token: self._palette.numbers(self._raster.sprite(token)) for token in tokens}
        self._target = io.BytesIO()

    def whole(self) -> bytes:
        width, height = self._picture.sheet.width, self._picture.sheet.height
        # 0xF7: a palette of 2 ** 8 colours, 8 bits each. Then it loops for ever.
        self._target.write(b"GIF89a" + struct.pack("<HHBBB", width, height, 0xF7, 0, 0) + self._palette.data())
        self._target.write(b"\x21\xff\x0bNETSCAPE2.0\x03\x01\x00\x00\x00")
        self._frames()
        self._target.write(b";")
        return self._target.getvalue()

    def _frames(self) -> None:
        plan, size = self._plan, self._picture.sheet.square
        frame = self._palette.numbers(self._raster.blank())
        shown: Numbers | None = None
        tokens: list[str] = []
        clock = 0.0
        for round_number in plan.rounds:
            # Text first: the caption looks at the timeline too.
            self._write(frame, round_number)
            now = list(self._picture.tokens(round_number))
            for place, token in enumerate(now):
                if not tokens or tokens[place] != token:
                    x, y = self._raster.corner(place)
                    frame[y : y + size, x : x + size] = self._sprites[token]
            tokens = now
            # Sums of rounded times would drift.
            begin, clock = round(clock * HUNDREDTHS), clock + plan.seconds
            self._add(shown, frame, round(clock * HUNDREDTHS) - begin)
            shown = frame.copy()
        self._add(shown, self._result(frame) if plan.whole else frame, round(RESULT_SECONDS * HUNDREDTHS))

    def _write(self, frame: Numbers, round_number: int) -> None:
        page = self._picture.sheet
        whole = self._raster.blank()
        self._raster.write(whole, round_number, self._memory)
        foot = page.board_y + page.board_height
        for top, bottom in ((0, page.head_height), (foot, page.height)):
            frame[top:bottom] = self._palette.numbers(whole.crop((0, top, page.width, bottom)))

    def _result(self, frame: Numbers) -> Numbers:
        """The last frame: the result across the board, if one is known."""
        banner = self._picture.result()
        if banner is None:
            return frame
        whole = self._palette.image(frame)
        self._raster.pill(whole, banner)
        return self._palette.numbers(whole)

    def _add(self, before: Numbers | None, frame: Numbers, hundredths: int) -> None:
        """Write what changed since the frame before."""
        from PIL import GifImagePlugin, Image

        part, left, top = frame, 0, 0
        options: dict[str, int] = {"duration": hundredths * 10, "disposal": 1, "interlace": 0}
        if before is not None:
            changed = frame != before
            rows, columns = np.flatnonzero(changed.any(1)), np.flatnonzero(changed.any(0))
            # A frame that changes nothing still takes its time.
            top, bottom = (int(rows[0]), int(rows[-1]) + 1) if rows.size else (0, 1)
            left, right = (int(columns[0]), int(columns[-1]) + 1) if columns.size else (0, 1)
            window = (slice(top, bottom), slice(left, right))
            part = np.where(changed[window], frame[window], TRANSPARENT).astype(np.uint8)
            options["transparency"] = TRANSPARENT
        image = Image.frombytes("P", (part.shape[1], part.shape[0]), part.tobytes())
        for block in GifImagePlugin.getdata(image, (left, top), **options):
            self._target.write(block)

    def _tokens(self) -> list[str]:
        """All that stand on the board in one of the rounds, in the order in which they come."""
        found: dict[str, None] = dict.fromkeys(self._picture.tokens(self._plan.rounds[0]))
        for frame in self._picture.replay.frames[self._plan.rounds[0] : self._plan.rounds[-1]]:
            found.update(dict.fromkeys(token for _, token in frame.changes))
        return list(found)

    def _colors(self, tokens: list[str]) -> tuple[list[RGB], Image.Image]:
        """The colours that must be right, and a picture of all others: tokens, texts and the result."""
        from PIL import Image

        look, page = self._picture.look, self._picture.sheet
        seats = [self._picture.seat_color(seat) for seat in range(len(self._picture.names))]
        exact = [rgb(color) for color in dict.fromkeys((look.paper, look.floor, look.grid, look.ink, look.muted, *seats))]
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
        return exact, sample
