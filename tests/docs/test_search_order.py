"""The order in which the site's search shows pages goes by their addresses."""

from __future__ import annotations

import re
from pathlib import Path

DOCS = Path(__file__).resolve().parents[2] / "docs"


def test_each_rule_is_for_a_page_that_there_is_and_no_rule_hides_another() -> None:
    script = (DOCS / "_extensions/search_order.js").read_text(encoding="utf-8")
    begins = re.findall(r'^    \["([^"]+)", -?\d+\],$', script, re.MULTILINE)
    pages = [str(path.relative_to(DOCS)) for path in DOCS.rglob("*.md")]
    counted = [next((begin for begin in begins if page.startswith(begin)), None) for page in pages]
    assert len(begins) > 10
    assert set(begins) <= set(counted)
