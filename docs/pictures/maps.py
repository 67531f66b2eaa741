"""Shipped maps, as ``tiltyard tanks draw`` draws them."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from tiltyard_tanks.files import read_map_bytes
from tiltyard_tanks.maps import read_map
from tiltyard_tanks.svg import draw_svg

FOLDER = Path(__file__).resolve().parent
MAPS = ("two-fortresses", "narrow-pass")


def files() -> Mapping[Path, str]:
    """Each map's picture."""
    return {FOLDER / f"{name}.svg": draw_svg(read_map(*read_map_bytes(name))) for name in MAPS}
