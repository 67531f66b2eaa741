"""Mends in Furo's and Sphinx's pages what hinders people with a keyboard or a screen reader.

Captions of the sidebar get the level of their heading, both sidebars a name, and the search page a heading. A long signature is a
list of definitions without words to define; here it is plain blocks. What scrolls sideways is made reachable by ``scrollable.js``.
"""

from __future__ import annotations

import re
from pathlib import Path

from sphinx.application import Sphinx

SIGNATURE = re.compile(r'<dl>\n((?:<dd><em class="sig-param">.*</dd>\n)+)</dl>')
REPLACED = {
    '<p class="caption" role="heading">': '<p class="caption" role="heading" aria-level="2">',
    '<aside class="sidebar-drawer">': '<aside class="sidebar-drawer" aria-label="All pages">',
    '<aside class="toc-drawer': '<aside aria-label="On this page" class="toc-drawer',
    '<div id="search-results">': '<h1>Search</h1>\n<div id="search-results">',
}


def _blocks(match: re.Match[str]) -> str:
    parts = match[1].replace("<dd>", "<div>").replace("</dd>", "</div>")
    return f'<div class="sig-params">\n{parts}</div>'


def mended(html: str) -> str:
    """The page as all can use it."""
    for found, better in REPLACED.items():
        html = html.replace(found, better)
    return SIGNATURE.sub(_blocks, html)


def mend(app: Sphinx, error: Exception | None) -> None:
    """Called by Sphinx in the end."""
    if error is None and app.builder.format == "html":
        for page in Path(app.outdir).rglob("*.html"):
            html = page.read_text(encoding="utf-8")
            if (better := mended(html)) != html:
                page.write_text(better, encoding="utf-8")


def setup(app: Sphinx) -> dict[str, bool]:
    """Called by Sphinx."""
    app.connect("build-finished", mend)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
