"""The site of the documentation as people meet it: on a phone, with a keyboard or a screen reader, and by its links.

``python3 dev.py docs`` builds it, which takes longer than all of these tests. So they look at what that built, if it is newer than
what it is built from. With TILTYARD_EXPECT_DOCS it must be there.
"""

from __future__ import annotations

import os
import re
from functools import cache
from html import unescape
from pathlib import Path
from typing import Any
from urllib.parse import unquote

import pytest
from tests.docs.console import ROOT
from tests.scripts import load_script
from tests.site.axe import violations

SITE = ROOT / "build/docs"
MADE_FROM = ("docs/**/*.md", "docs/conf.py", "docs/_[a-z]*/*", "*.md")
KINDS = (
    "index.html",
    "start/course-staff.html",
    "reference/tournament-file.html",
    "reference/promises.html",
    "reference/commands/run.html",
    "api/index.html",
    "decisions/0008-cells.html",
    "search.html",
)
"""A page of each kind. axe takes a second for one."""
PHONE = {"width": 390, "height": 844}
WIDE = re.compile(r"<(?:table|pre|img)\b|sig-object")
"""What can be wider than a phone; text is broken into lines."""
TOO_WIDE = """() => {
  const isWithin = (box) => ["auto", "scroll"].includes(getComputedStyle(box).overflowX);
  return [...document.querySelectorAll("article")].flatMap((article) => {
    const found = [...article.querySelectorAll("*")].find((part) => {
      if (part.getBoundingClientRect().right <= innerWidth + 1) return false;
      let box = part.parentElement;
      while (box !== article && !isWithin(box)) box = box.parentElement;
      return box === article;
    });
    return found ? [`${article.dataset.page}: ${found.tagName} ${found.textContent.trim().slice(0, 60)}`] : [];
  });
}"""
"""The first part of each page that goes over the edge and is in nothing that scrolls. Furo cuts it off: the page never scrolls."""
BOX = '<div style="contain: inline-size"><article data-page="{}"{}</article></div>\n'
"""A text among others. As on its own page, it gets no wider by what is in it."""
LISTED = ".sidebar-drawer"
"""The list of all pages, which is on each of them."""


def newest(*patterns: str) -> float:
    return max(path.stat().st_mtime for pattern in patterns for path in ROOT.glob(pattern) if path.is_file())


@pytest.fixture(scope="module")
def site() -> Path:
    built = SITE / "objects.inv"
    if not built.exists() or built.stat().st_mtime < newest(*MADE_FROM):
        if os.environ.get("TILTYARD_EXPECT_DOCS"):
            pytest.fail("build/docs is not there, or older than the pages: run python3 dev.py docs")
        pytest.skip("the site of these pages is not built: python3 dev.py docs")
    return SITE


@cache
def text_of(page: Path) -> str:
    return page.read_text(encoding="utf-8")


@cache
def names_in(page: Path) -> frozenset[str]:
    return frozenset(re.findall(r'\b(?:id|name)="([^"]+)"', text_of(page)))


is_file = cache(os.path.isfile)


def too_wide(page: Any) -> list[str]:
    found: list[str] = page.evaluate(TOO_WIDE)
    return found


def test_axe_finds_nothing_on_any_kind_of_page(site: Path, browser: Any) -> None:
    page = browser.new_page()
    found: list[str] = []
    for name in KINDS:
        page.goto((site / name).as_uri())
        found += violations(page, *([LISTED] if name != KINDS[0] else ()))
    page.close()
    assert found == []


def test_no_page_is_wider_than_a_phone(site: Path, browser: Any, tmp_path: Path) -> None:
    # All have the same style, so the texts of all are looked at below one another on a single page.
    before, _, rest = text_of(site / KINDS[0]).partition("<article")
    texts = {path: text_of(path).partition("<article")[2].partition("</article>")[0] for path in sorted(site.rglob("*.html"))}
    wide = [BOX.format(path.relative_to(site), text) for path, text in texts.items() if WIDE.search(text)]
    after = rest.partition("</article>")[2]
    all_of_them = tmp_path / "all.html"
    all_of_them.write_text(before.replace("<head>", f'<head><base href="{site.as_uri()}/">', 1) + "".join(wide) + after)
    # Scripts and pictures, which are never wider than the page, only cost time here.
    context = browser.new_context(viewport=PHONE, java_script_enabled=False)
    context.route("**/*.{gif,png,svg}", lambda route: route.abort())
    page = context.new_page()
    page.goto(all_of_them.as_uri())
    assert len(wide) > len(KINDS)
    assert too_wide(page) == []
    last = "[...document.querySelectorAll('article')].at(-1)"
    page.evaluate(f"{last}.insertAdjacentHTML('beforeend', '<p style=\"width: 500px\">broad</p>')")
    assert [line.partition(": ")[2] for line in too_wide(page)] == ["P broad"]
    # Without the style much is too wide: it is this page that has it.
    page.evaluate("document.querySelectorAll('link[rel=stylesheet]').forEach((link) => link.remove())")
    assert len(too_wide(page)) > len(KINDS)
    context.close()


def test_every_link_leads_to_a_place_that_there_is(site: Path) -> None:
    wrong: set[str] = set()
    for page in site.rglob("*.html"):
        for address in set(re.findall(r'<a\b[^>]*\bhref="([^"]*)"', text_of(page))):
            path, _, place = unquote(unescape(address)).partition("#")
            if re.match(r"\w+:", path):
                continue
            target = os.path.normpath(page.parent / path) if path else str(page)
            if not is_file(target) or (place and target.endswith(".html") and place not in names_in(Path(target))):
                wrong.add(f"{page.relative_to(site)}: {address}")
    assert sorted(wrong) == []


def test_what_is_mended() -> None:
    accessible = load_script("docs/_extensions/accessible.py")
    parts = [f'<dd><em class="sig-param">{name}</em>,</dd>\n' for name in "ab"]
    blocks = [part.replace("dd>", "div>") for part in parts]
    signature = f"<dt>(\n<dl>\n{''.join(parts)}</dl>\n)</dt>"
    assert accessible.mended(signature) == f'<dt>(\n<div class="sig-params">\n{"".join(blocks)}</div>\n)</dt>'
    assert accessible.mended("<dl>\n<dt>a</dt>\n<dd>b</dd>\n</dl>") == "<dl>\n<dt>a</dt>\n<dd>b</dd>\n</dl>"
    assert 'aria-level="2"' in accessible.mended('<p class="caption" role="heading">')
