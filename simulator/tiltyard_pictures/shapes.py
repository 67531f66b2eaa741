"""A token as marks in a square of side 1: the shapes that the site's shapes.js draws in the browser."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from math import cos, pi, sin
from typing import Final, TypeAlias

from tiltyard_engine.replay import SquareStyle
from tiltyard_pictures.marks import Area, ColorScheme, Disc, Letters, Line, Mark, at_place, box, color_or, curve
from tiltyard_pictures.texts import drawn_sign

SMALL: Final = 7
"""Pixels of a square below which a shape is a patch of its colour."""
READABLE: Final = 15
"""From this size on, shapes bear their marks."""
TRAIL_PARTS: Final = 6
RING_POINTS: Final = 48

_Shape: TypeAlias = Callable[[SquareStyle, ColorScheme, float], list[Mark]]


def token_marks(token: str, style: SquareStyle | None, scheme: ColorScheme, size: float) -> list[Mark]:
    """What is drawn over the floor for a token, in a square of ``size`` pixels; empty for an empty square."""
    if style is None:
        return _glyph(drawn_sign(token.strip())[:2], SquareStyle(glyph="", plain=""), scheme, size)
    shape = _SHAPES.get(style.shape)
    marks = _glyph(drawn_sign(style.glyph.strip()), style, scheme, size) if shape is None else shape(style, scheme, size)
    floor = color_or(style.floor, "")
    below: list[Mark] = [box(0, 0, 1, 1, floor)] if floor else []
    return [*below, *marks, *_ring_and_dot(style, scheme, size)]


def _ring_and_dot(style: SquareStyle, scheme: ColorScheme, size: float) -> list[Mark]:
    """The ring around a shape, and the dot in its corner."""
    marks: list[Mark] = []
    ring, dot = color_or(style.ring, ""), color_or(style.dot, "")
    if ring and size >= SMALL:
        steps = [2 * pi * step / RING_POINTS for step in range(RING_POINTS + 1)]
        points = tuple((0.5 + 0.445 * cos(angle), 0.5 + 0.445 * sin(angle)) for angle in steps)
        marks.append(Line(points, max(1.5 / size, 0.09), ring))
    if dot and size >= READABLE:
        marks += [Disc(0.83, 0.17, 0.17, scheme.floor), Disc(0.83, 0.17, 0.13, dot)]
    return marks


def _block(style: SquareStyle, scheme: ColorScheme, size: float, opacity: float = 1.0) -> list[Mark]:
    marks: list[Mark] = [box(0, 0, 1, 1, color_or(style.foreground, scheme.ink), opacity=opacity)]
    if size >= SMALL:
        edge = max(1 / size, 0.08)
        marks.append(box(0, 0, 1, edge, "#ffffff", opacity=0.16 * opacity))
        marks.append(box(0, 1 - edge, 1, edge, "#000000", opacity=0.22 * opacity))
    return marks


def _broken_block(style: SquareStyle, scheme: ColorScheme, size: float) -> list[Mark]:
    marks = _block(style, scheme, size, 0.55)
    if size >= SMALL:
        width = max(1 / size, 0.09)
        marks.append(Line(((0.3, 0), (0.46, 0.36), (0.3, 0.58), (0.62, 1)), width, scheme.floor))
        marks.append(Line(((0.46, 0.36), (1, 0.28)), width, scheme.floor))
    return marks


def _rotated(marks: list[Mark], style: SquareStyle) -> list[Mark]:
    # A square turned by an eighth reaches beyond its corners.
    return at_place(marks, 0.5, 0.5, style.turn, 0.86 if style.turn % 2 else 1.0)


def _tank(style: SquareStyle, scheme: ColorScheme, size: float) -> list[Mark]:
    color, track = color_or(style.background, scheme.ink), scheme.track
    if size < SMALL:
        return [box(0, 0, 1, 1, color)]
    outline = max(1 / size, 0.045)
    # Tracks, hull, cannon and turret; the outline keeps dark and light colours apart from any floor.
    marks = _rotated(
        [
            box(-0.44, -0.38, 0.18, 0.82, track, radius=0.06),
            box(0.26, -0.38, 0.18, 0.82, track, radius=0.06),
            box(-0.34, -0.31, 0.68, 0.7, color, radius=0.1),
            box(-0.085, -0.49, 0.17, 0.4, track),
            box(-0.05, -0.47, 0.1, 0.4, color),
            Disc(0, 0.04, 0.27 + outline / 2, track),
            Disc(0, 0.04, 0.27 - outline / 2, color),
        ],
        style,
    )
    if size >= READABLE and style.mark:
        marks += _letters(drawn_sign(style.mark), color_or(style.foreground, "#ffffff"), 0.42)
    return marks


def _wreck(style: SquareStyle, scheme: ColorScheme, size: float) -> list[Mark]:
    color, width = color_or(style.foreground, scheme.ink), max(1.5 / size, 0.14)
    ends = (0.22, 0.78)
    return [Line(((0.22, start), (0.78, end)), width, color, round=True) for start, end in (ends, ends[::-1])]


def _shell(style: SquareStyle, scheme: ColorScheme, size: float) -> list[Mark]:
    color = color_or(style.foreground, scheme.shot)
    if size < SMALL:
        return [box(0.2, 0.2, 0.6, 0.6, color)]
    length = 0.48 / TRAIL_PARTS
    trail: list[Mark] = [box(-0.07, -0.05, 0.14, 0.05, color)]
    trail += [box(-0.07, part * length, 0.14, length, color, opacity=1 - (part + 0.5) / TRAIL_PARTS) for part in range(TRAIL_PARTS)]
    left = curve((-0.13, 0.06), (-0.15, -0.2), (0, -0.36))
    right = curve((0, -0.36), (0.15, -0.2), (0.13, 0.06))
    return _rotated([*trail, Area(((-0.13, 0.06), *left, *right), color)], style)


def _shells(style: SquareStyle, scheme: ColorScheme, size: float) -> list[Mark]:
    color, radius = color_or(style.foreground, scheme.shot), max(1 / size, 0.15)
    return [Disc(0.33, 0.4, radius, color), Disc(0.67, 0.6, radius, color)]


def _mine(style: SquareStyle, scheme: ColorScheme, size: float) -> list[Mark]:
    color = color_or(style.foreground, scheme.ink)
    if size < SMALL:
        return [box(0.25, 0.25, 0.5, 0.5, color)]
    marks: list[Mark] = []
    for eighth in range(4):
        x, y = 0.36 * cos(eighth * pi / 4), 0.36 * sin(eighth * pi / 4)
        marks.append(Line(((0.5 - x, 0.5 - y), (0.5 + x, 0.5 + y)), max(1 / size, 0.09), color, round=True))
    return [*marks, Disc(0.5, 0.5, 0.24, color), Disc(0.43, 0.43, 0.06, "#ffffff", 0.55)]


def _disc(style: SquareStyle, scheme: ColorScheme, size: float) -> list[Mark]:
    marks: list[Mark] = [Disc(0.5, 0.5, 0.4, color_or(style.background, scheme.ink))]
    if size >= READABLE and style.mark:
        marks += _letters(drawn_sign(style.mark), color_or(style.foreground, scheme.floor), 0.5)
    return marks


def _letters(text: str, color: str, share: float) -> list[Mark]:
    return [Letters(0.5, 0.5, share, text, color)] if text else []


def _glyph(text: str, style: SquareStyle, scheme: ColorScheme, size: float) -> list[Mark]:
    """A token without a shape: its glyph, on its own ground."""
    ground = color_or(style.background, "")
    marks: list[Mark] = [box(0, 0, 1, 1, ground)] if ground else []
    if not text:
        return marks
    color = color_or(style.foreground, scheme.ink)
    if size < SMALL:
        return [*marks, box(0.15, 0.15, 0.7, 0.7, ground or color)]
    return [*marks, *_letters(text, color, 0.5 if len(text) > 1 else 0.66)]


_SHAPES: Final[Mapping[str, _Shape]] = {
    "block": _block,
    "broken block": _broken_block,
    "tank": _tank,
    "wreck": _wreck,
    "shell": _shell,
    "shells": _shells,
    "mine": _mine,
    "disc": _disc,
    "nothing": lambda style, scheme, size: [],
}
