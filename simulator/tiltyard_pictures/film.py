"""A film as GIF: one palette for all frames, and of each frame only the rectangle that changed, the rest of it transparent."""

from __future__ import annotations

import io
import struct
from collections.abc import Sequence
from dataclasses import dataclass
from math import ceil
from typing import TYPE_CHECKING, Final, TypeAlias

import numpy as np
import numpy.typing as npt

from tiltyard_engine.errors import UserError
from tiltyard_engine.replay import Replay
from tiltyard_pictures.picture import MatchPicture
from tiltyard_pictures.raster import Raster, require_pillow

if TYPE_CHECKING:
    from PIL import Image

DEFAULT_SPEED: Final = 8.0
"""Rounds a second."""
MOST_FRAMES: Final = 400
"""Of a film; 50 seconds at the default speed. Longer ones nobody watches to the end, and they are megabytes."""
MOST_FRAMES_A_SECOND: Final = 25
"""Viewers of GIF slow down what changes much quicker than this."""
RESULT_SECONDS: Final = 3.0
"""How long the last frame stays."""
NOTE_SECONDS: Final = 1.5
"""How long an event stays in the caption."""
HUNDREDTHS: Final = 100
"""GIF counts time in these."""

Numbers: TypeAlias = npt.NDArray[np.uint8]
"""A picture, row by row, as numbers of a palette's colours."""

COLORS: Final = 255
"""Of a palette; the last of 256 is transparent."""
TRANSPARENT: Final = 255


@dataclass(frozen=True, slots=True)
class FilmPlan:
    """The frames of a film."""

    rounds: tuple[int, ...]
    """In order; 0 is the start board."""
    seconds: float
    """How long each of them stays."""
    every: int
    """Only each such round is shown; 1: all."""
    whole: bool
    """Whether the game's end is among them, so that the film ends with the result."""


def film_rounds(replay: Replay, speed: float = DEFAULT_SPEED, first: int = 0, last: int | None = None) -> FilmPlan:
    """The rounds from ``first`` to ``last``, by default all, at ``speed`` rounds a second; of too many each second, third, ...

    Raises:
        UserError: there are no such rounds, or the speed is not above 0.
    """
    if not speed > 0:
        raise UserError(f"the speed must be above 0 rounds per second, got {speed:g}")
    end = len(replay.frames)
    last = end if last is None else last
    if not 0 <= first <= last <= end:
        raise UserError(f"no rounds {first} to {last}: the game has rounds 0, its start, to {end}")
    every = max(ceil((last - first + 1) / MOST_FRAMES), ceil(speed / MOST_FRAMES_A_SECOND))
    rounds = list(range(first, last + 1, every))
    if rounds[-1] != last:
        rounds.append(last)
    return FilmPlan(tuple(rounds), max(1 / speed, 1 / MOST_FRAMES_A_SECOND), every, last == end)


def gif_film(picture: MatchPicture, plan: FilmPlan) -> bytes:
    """The plan's rounds as a GIF that goes round and round. If it ends with the game, its last frame tells the result.

    Raises:
        UserError: Pillow is missing.
    """
    require_pillow()
    return _Film(picture, plan).whole()


class _Film:
    def __init__(self, picture: MatchPicture, plan: FilmPlan) -> None:
        self._picture = picture
        self._plan = plan
        self._raster = Raster(picture)
        self._memory = max(plan.every, round(NOTE_SECONDS / plan.seconds) * plan.every)
        """Rounds that an event stays in the caption."""
        tokens = self._tokens()
        self._palette = _Palette(*self._colors(tokens))
        self._sprites = {token: self._palette.numbers(self._raster.sprite(token)) for token in tokens}
        self._target = io.BytesIO()

    def whole(self) -> bytes:
        width, height = self._picture.layout.width, self._picture.layout.height
        # 0xF7: a palette of 2 ** 8 colours, 8 bits each. Then it loops for ever.
        self._target.write(b"GIF89a" + struct.pack("<HHBBB", width, height, 0xF7, 0, 0) + self._palette.data())
        self._target.write(b"\x21\xff\x0bNETSCAPE2.0\x03\x01\x00\x00\x00")
        self._frames()
        self._target.write(b";")
        return self._target.getvalue()

    def _frames(self) -> None:
        plan, size = self._plan, self._picture.layout.square
        frame = self._palette.numbers(self._raster.blank())
        previous: Numbers | None = None
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
            self._add(previous, frame, round(clock * HUNDREDTHS) - begin)
            previous = frame.copy()
        self._add(previous, self._result(frame) if plan.whole else frame, round(RESULT_SECONDS * HUNDREDTHS))

    def _write(self, frame: Numbers, round_number: int) -> None:
        page = self._picture.layout
        whole = self._raster.blank()
        self._raster.write(whole, round_number, self._memory)
        foot = page.board_y + page.board_height
        for top, bottom in ((0, page.board_y), (foot, page.height)):
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
        tokens: dict[str, None] = dict.fromkeys(self._picture.tokens(self._plan.rounds[0]))
        for frame in self._picture.replay.frames[self._plan.rounds[0] : self._plan.rounds[-1]]:
            tokens.update(dict.fromkeys(token for _, token in frame.changes))
        return list(tokens)

    def _colors(self, tokens: list[str]) -> tuple[Sequence[Sequence[int]], Image.Image]:
        """The colours that must be right, and a picture of all others: tokens, texts and the result."""
        from PIL import Image, ImageColor

        scheme, page = self._picture.scheme, self._picture.layout
        seats = [self._picture.seat_color(seat) for seat in range(len(self._picture.names))]
        exact = [
            ImageColor.getrgb(color)
            for color in dict.fromkeys((scheme.paper, scheme.floor, scheme.grid, scheme.ink, scheme.muted, *seats))
        ]
        columns = max(1, page.width // page.square)
        rows = -(-len(tokens) // columns)
        sample = Image.new("RGB", (page.width, rows * page.square + page.height), scheme.paper)
        for place, token in enumerate(tokens):
            sample.paste(self._raster.sprite(token), (place % columns * page.square, place // columns * page.square))
        texts = self._raster.blank()
        self._raster.write(texts, self._plan.rounds[-1])
        result = self._picture.result()
        if result is not None:
            self._raster.pill(texts, result)
        sample.paste(texts, (0, rows * page.square))
        return exact, sample


class _Palette:
    """Colours that are kept exactly, and of the others those that serve a sample best."""

    def __init__(self, exact: Sequence[Sequence[int]], sample: Image.Image) -> None:
        from PIL import Image

        room = COLORS - len(exact)
        # Each colour once: by area, a few pixels' edges would count for nothing beside walls and floor.
        different = np.unique(np.frombuffer(sample.tobytes(), np.uint8).reshape(-1, 3), axis=0)
        once = Image.frombytes("RGB", (len(different), 1), different.tobytes())
        fewer = once.quantize(room, Image.Quantize.MEDIANCUT, dither=Image.Dither.NONE)
        others = np.array((fewer.getpalette() or [])[: 3 * room], np.int32).reshape(-1, 3)
        self._colors = np.concatenate([np.array(exact, np.int32).reshape(-1, 3), others])
        self._numbers: dict[int, int] = {}

    def data(self) -> bytes:
        """Red, green and blue of 256 colours."""
        return bytes(self._colors.astype(np.uint8).tobytes()).ljust(3 * 256, b"\0")

    def numbers(self, image: Image.Image) -> Numbers:
        """For each pixel of an RGB image the nearest colour."""
        pixels = np.frombuffer(image.tobytes(), np.uint8).reshape(image.height, image.width, 3).astype(np.int32)
        packed = pixels[..., 0] << 16 | pixels[..., 1] << 8 | pixels[..., 2]
        different, places = np.unique(packed, return_inverse=True)
        numbers = np.array([self._nearest(int(color)) for color in different], np.uint8)
        return numbers[places].reshape(packed.shape)

    def image(self, numbers: Numbers) -> Image.Image:
        """The RGB image that they stand for."""
        from PIL import Image

        pixels = self._colors.astype(np.uint8)[numbers]
        return Image.frombytes("RGB", (numbers.shape[1], numbers.shape[0]), pixels.tobytes())

    def _nearest(self, color: int) -> int:
        number = self._numbers.get(color)
        if number is None:
            target = np.array((color >> 16, color >> 8 & 255, color & 255), np.int32)
            number = self._numbers[color] = int(((self._colors - target) ** 2).sum(1).argmin())
        return number
