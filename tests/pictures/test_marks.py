from __future__ import annotations

import re
from dataclasses import asdict

import pytest
from tests.docs.console import ROOT

from tiltyard_pictures.marks import COLOR_SCHEMES, color_or


@pytest.mark.parametrize("name", ["light", "dark"])
def test_pictures_have_the_sites_colors(name: str) -> None:
    style = (ROOT / "tournaments/tiltyard_site/pages/assets/site.css").read_text()
    block = next(block for block in re.findall(r"\{([^{}]*)\}", style) if f"color-scheme: {name};" in block)
    colors = dict(re.findall(r"--([\w-]+): (#\w{6});", block))
    expected = {field: colors["floor-grid" if field == "grid" else field] for field in asdict(COLOR_SCHEMES[name])}
    assert asdict(COLOR_SCHEMES[name]) == expected


def test_only_colors_are_colors() -> None:
    assert color_or("#AAbb00", "x") == "#aabb00"
    assert [color_or(text, "x") for text in ("", "red", "#12345", "#1234567", '#000000"', "#00000g")] == ["x"] * 6
