"""Seats can be told apart by people who see some colours less well: colours as they see them, and marks beside the colours."""

from __future__ import annotations

from itertools import combinations
from typing import Final

import pytest

from tiltyard_engine.records import Game
from tiltyard_engine.registry import Registry
from tiltyard_engine.registry.registry import GAME
from tiltyard_viewer.drawing.theme_colors import SEAT_COLORS

Colour = tuple[float, float, float]

VISIONS: Final[dict[str, tuple[Colour, Colour, Colour]]] = {
    "all": ((1, 0, 0), (0, 1, 0), (0, 0, 1)),
    "protanopia": ((0.152286, 1.052583, -0.204868), (0.114503, 0.786281, 0.099216), (-0.003882, -0.048116, 1.051998)),
    "deuteranopia": ((0.367322, 0.860646, -0.227968), (0.280085, 0.672501, 0.047413), (-0.011820, 0.042940, 0.968881)),
    "tritanopia": ((1.255528, -0.076749, -0.178779), (-0.078411, 0.930809, 0.147602), (0.004733, 0.691367, 0.303900)),
}
"""Of linear RGB. Machado, Oliveira and Fernandes, A Physiologically-based Model for Simulation of Color Vision Deficiency, 2009."""
TO_XYZ: Final = ((0.4124, 0.3576, 0.1805), (0.2126, 0.7152, 0.0722), (0.0193, 0.1192, 0.9505))
WHITE: Final = (0.9505, 1.0, 1.0890)
DUEL: Final = 40.0
"""Of the two seats that most games have: distances in CIELAB, where 2.3 is just noticeable and black is 100 from white."""
SEVERAL: Final = 15.0
"""Of the seven colours of Okabe and Ito."""
ALL: Final = 7.0
"""Of nine seats. Nobody has nine colours for all kinds of eyes, so a digit stands beside each."""


def times(matrix: tuple[Colour, ...], colour: Colour) -> Colour:
    x, y, z = (sum(a * b for a, b in zip(row, colour)) for row in matrix)
    return x, y, z


def lab(colour: str, vision: str) -> Colour:
    """A colour in CIELAB, as somebody with that vision sees it."""
    values = [int(colour[at : at + 2], 16) / 255 for at in (1, 3, 5)]
    red, green, blue = (value / 12.92 if value <= 0.04045 else ((value + 0.055) / 1.055) ** 2.4 for value in values)
    seen = times(VISIONS[vision], (red, green, blue))
    r, g, b = (min(1.0, max(0.0, value)) for value in seen)
    xyz = [value / white for value, white in zip(times(TO_XYZ, (r, g, b)), WHITE)]
    fx, fy, fz = (value ** (1 / 3) if value > 0.008856 else 7.787 * value + 16 / 116 for value in xyz)
    return 116 * fy - 16, 500 * (fx - fy), 200 * (fy - fz)


def nearest(colours: tuple[str, ...]) -> float:
    """The smallest distance of any two, for any kind of colour vision."""
    found: list[float] = []
    for vision in VISIONS:
        for one, other in combinations([lab(colour, vision) for colour in colours], 2):
            found.append(float(sum((a - b) ** 2 for a, b in zip(one, other)) ** 0.5))
    return min(found)


@pytest.mark.parametrize("game", ["tanks", "filler", "penguins", "advance", "a game without a theme"])
def test_colours_of_seats_are_far_apart_for_every_kind_of_eyes(registry: Registry, game: str) -> None:
    colours: tuple[str, ...] = SEAT_COLORS
    if game in {entry.name for entry in registry.all(GAME)}:
        theme = registry.game(game).display.theme
        assert theme is not None
        colours = theme.seat_colors[: registry.game(game).seats[-1]]
    assert nearest(colours[:2]) >= DUEL
    assert nearest(colours[:7]) >= SEVERAL
    assert nearest(colours) >= ALL


@pytest.mark.parametrize("game", ["tanks", "filler", "penguins", "advance"])
def test_pieces_of_different_seats_differ_without_colours_too(registry: Registry, game: str) -> None:
    found: Game[object] = registry.game(game)
    assert found.display.theme is not None
    plain: dict[str, int] = {}
    for style in found.display.theme.styles.values():
        if style.seat:
            assert plain.setdefault(style.plain, style.seat) == style.seat
    assert len(set(plain.values())) >= 2


def test_red_and_green_are_found_to_be_near() -> None:
    assert nearest(("#d7301f", "#238b45")) < DUEL < nearest(("#0072b2", "#e69f00"))
