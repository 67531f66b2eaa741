"""What pictures are drawn with: colours, areas, lines, discs and letters, and the outlines of rounded boxes."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from math import cos, pi, sin
from typing import Final, TypeAlias

from tiltyard_viewer.drawing.colors import parse

Point: TypeAlias = tuple[float, float]

CORNER_POINTS: Final = 5
CURVE_POINTS: Final = 6


@dataclass(frozen=True, slots=True, kw_only=True)
class ColorScheme:
    """The colours around the pieces, as ``#rrggbb``: those of the published site, so that a picture fits beside it."""

    paper: str
    """Around the board."""
    floor: str
    """An empty square."""
    grid: str
    ink: str
    muted: str
    track: str
    """Outlines of pieces."""
    shot: str


LIGHT: Final = ColorScheme(
    paper="#fbfaf7", floor="#f3f0e8", grid="#e9e4d9", ink="#1f1c19", muted="#655f57", track="#2c2a28", shot="#2c2a28"
)
DARK: Final = ColorScheme(
    paper="#16181b", floor="#24282d", grid="#2c3137", ink="#eae6df", muted="#a39d93", track="#0c0d0f", shot="#f4efe4"
)
COLOR_SCHEMES: Final[Mapping[str, ColorScheme]] = {"light": LIGHT, "dark": DARK}


def color_or(color: str, otherwise: str) -> str:
    """A theme's colour; ``otherwise`` where it has none, or no ``#rrggbb``."""
    return color.lower() if parse(color) else otherwise


@dataclass(frozen=True, slots=True)
class Area:
    """A polygon that is filled with one colour."""

    points: tuple[Point, ...]
    color: str
    opacity: float = 1.0


@dataclass(frozen=True, slots=True)
class Line:
    """A line from point to point."""

    points: tuple[Point, ...]
    width: float
    color: str
    round: bool = False
    """Whether its ends are."""


@dataclass(frozen=True, slots=True)
class Disc:
    """A circle that is filled with one colour."""

    x: float
    y: float
    radius: float
    color: str
    opacity: float = 1.0


@dataclass(frozen=True, slots=True)
class Letters:
    """Bold text about a middle."""

    x: float
    y: float
    size: float
    text: str
    color: str


Mark: TypeAlias = Area | Line | Disc | Letters


def box(x: float, y: float, width: float, height: float, color: str, *, radius: float = 0.0, opacity: float = 1.0) -> Area:
    """A rectangle, its corners rounded."""
    if not radius:
        return Area(((x, y), (x + width, y), (x + width, y + height), (x, y + height)), color, opacity)
    middles = (
        (x + width - radius, y + radius),
        (x + width - radius, y + height - radius),
        (x + radius, y + height - radius),
        (x + radius, y + radius),
    )
    points: list[Point] = []
    for corner, (middle_x, middle_y) in enumerate(middles):
        for step in range(CORNER_POINTS):
            angle = (corner - 1 + step / (CORNER_POINTS - 1)) * pi / 2
            points.append((middle_x + radius * cos(angle), middle_y + radius * sin(angle)))
    return Area(tuple(points), color, opacity)


def curve(start: Point, control: Point, end: Point) -> list[Point]:
    """Points of a quadratic Bezier curve, without its start."""
    points: list[Point] = []
    for step in range(1, CURVE_POINTS + 1):
        t = step / CURVE_POINTS
        points.append(
            (
                (1 - t) ** 2 * start[0] + 2 * t * (1 - t) * control[0] + t * t * end[0],
                (1 - t) ** 2 * start[1] + 2 * t * (1 - t) * control[1] + t * t * end[1],
            )
        )
    return points


def at_place(marks: Iterable[Mark], x: float, y: float, turn: int = 0, factor: float = 1.0) -> list[Mark]:
    """Marks made larger and turned by eighths clockwise about (0, 0), then moved to (x, y). Letters stay upright."""
    cosine, sine = factor * cos(turn * pi / 4), factor * sin(turn * pi / 4)

    def move(point: Point) -> Point:
        return x + point[0] * cosine - point[1] * sine, y + point[0] * sine + point[1] * cosine

    moved: list[Mark] = []
    for mark in marks:
        match mark:
            case Area(points=points):
                moved.append(replace(mark, points=tuple(map(move, points))))
            case Line(points=points, width=width):
                moved.append(replace(mark, points=tuple(map(move, points)), width=width * factor))
            case Disc():
                middle = move((mark.x, mark.y))
                moved.append(replace(mark, x=middle[0], y=middle[1], radius=mark.radius * factor))
            case Letters():
                middle = move((mark.x, mark.y))
                moved.append(replace(mark, x=middle[0], y=middle[1], size=mark.size * factor))
    return moved
