"""The few colours of a GIF, and pictures as their numbers."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Final, TypeAlias

import numpy as np
import numpy.typing as npt

from tiltyard_simulator.pictures.look import RGB

if TYPE_CHECKING:
    from PIL import Image

Numbers: TypeAlias = npt.NDArray[np.uint8]
"""A picture, row by row, as numbers of a palette's colours."""

COLORS: Final = 255
"""Of a palette; the last of 256 is transparent."""
TRANSPARENT: Final = 255


class Palette:
    """Colours that are kept exactly, and of the others those that serve a sample best."""

    def __init__(self, exact: Sequence[RGB], sample: Image.Image) -> None:
        from PIL import Image

        room = COLORS - len(exact)
        # Each colour once: by area, a few pixels' edges would count for nothing beside walls and floor.
        different = np.unique(np.frombuffer(sample.tobytes(), np.uint8).reshape(-1, 3), axis=0)
        once = Image.frombytes("RGB", (len(different), 1), different.tobytes())
        fewer = once.quantize(room, Image.Quantize.MEDIANCUT, dither=Image.Dither.NONE)
        others = np.array((fewer.getpalette() or [])[: 3 * room], np.int32).reshape(-1, 3)
        self._colors = np.concatenate([np.array(exact, np.int32).reshape(-1, 3), others])
        self._known: dict[int, int] = {}

    def data(self) -> bytes:
        """Red, green and blue of 256 colours."""
        return bytes(self._colors.astype(np.uint8).tobytes()).ljust(3 * 256, b"\0")

    def numbers(self, image: Image.Image) -> Numbers:
        """For each pixel of an RGB image the nearest colour."""
        pixels = np.frombuffer(image.tobytes(), np.uint8).reshape(image.height, image.width, 3).astype(np.int32)
        packed = pixels[..., 0] << 16 | pixels[..., 1] << 8 | pixels[..., 2]
        different, places = np.unique(packed, return_inverse=True)
        found = np.array([self._nearest(int(color)) for color in different], np.uint8)
        return found[places].reshape(packed.shape)

    def image(self, numbers: Numbers) -> Image.Image:
        """The RGB image that they stand for."""
        from PIL import Image

        pixels = self._colors.astype(np.uint8)[numbers]
        return Image.frombytes("RGB", (numbers.shape[1], numbers.shape[0]), pixels.tobytes())

    def _nearest(self, color: int) -> int:
        number = self._known.get(color)
        if number is None:
            wanted = np.array((color >> 16, color >> 8 & 255, color & 255), np.int32)
            number = self._known[color] = int(((self._colors - wanted) ** 2).sum(1).argmin())
        return number
