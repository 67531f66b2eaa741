"""Runs axe-core on a page: the checker that audits of accessibility are made with. It comes in a wheel of axe-playwright-python."""

from __future__ import annotations

import functools
import importlib.util
from pathlib import Path
from typing import Any, Final

import pytest
from tests.site.conftest import settle

TAGS: Final = ("wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice")
OTHER_LOOK: Final = ("color-contrast", "target-size", "scrollable-region-focusable")
"""The rules whose answers depend on the colours and the width of a page."""


@functools.cache
def _source() -> str:
    found = importlib.util.find_spec("axe_playwright_python")
    if found is None or found.origin is None:
        pytest.skip("axe-playwright-python is not installed")
    return Path(found.origin).with_name("axe.min.js").read_text(encoding="utf-8")


ALIKE: Final = "tbody tr:nth-child(n+6):not(:last-child)"
"""The rows in the middle of a table are like those at its ends, and axe takes the most time for what is in many cells."""
RUN: Final = """([exclude, wanted]) => axe.run({ exclude },
  { runOnly: wanted, resultTypes: ['violations'], preload: false })"""
"""Without preload, which asks for the style sheets once more: a browser allows that to no page that comes from the disk."""
OPTIONS: Final[dict[str, Any]] = {"bypass_csp": True}
"""Of a visit. The pages' own policy lets nothing but their own scripts run, which would stop axe too."""


def violations(page: Any, *known: str) -> list[str]:
    """What axe finds wrong with a page as it is now, in both looks: the rule, where, and what to do.

    Args:
        page: where it is run.
        known: selectors of what it has seen on another page, which is left out.
    """
    page.evaluate(_source() + ";undefined")
    found: list[str] = []
    for look, width, wanted in (("light", 1280, TAGS), ("dark", 390, OTHER_LOOK)):
        page.emulate_media(color_scheme=look)
        page.set_viewport_size({"width": width, "height": 844})
        settle(page)
        for one in page.evaluate(RUN, [[ALIKE, *known], list(wanted)])["violations"]:
            for node in one["nodes"]:
                where, what = " ".join(map(str, node["target"])), " ".join(node["failureSummary"].split())
                found.append(f"{page.url} ({look}, {width}): {one['id']}: {where}: {what}")
    return found
