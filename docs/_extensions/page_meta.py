"""A page's description for search engines and for previews of links: its first paragraph."""

from __future__ import annotations

from html import escape
from typing import Any

from docutils import nodes
from sphinx.application import Sphinx

LONGEST = 200
"""Characters of a description that others show."""


def description_of(tree: nodes.document) -> str:
    """The page's first paragraph in one line, cut after a word."""
    paragraph = next((each for each in tree.findall(nodes.paragraph) if isinstance(each.parent, nodes.section)), None)
    text = " ".join(paragraph.astext().split()) if paragraph is not None else ""
    return text if len(text) <= LONGEST else f"{text[:LONGEST].rpartition(' ')[0]} …"


def add_meta(app: Sphinx, page: str, template: str, context: dict[str, Any], tree: nodes.document | None) -> None:
    """Called by Sphinx for each page."""
    if tree is None:
        return
    told = {
        "og:type": "article",
        "og:site_name": app.config.project,
        "og:title": context["title"],
        "og:description": description_of(tree),
    }
    lines = [f'<meta name="description" content="{escape(told["og:description"])}">']
    lines += [f'<meta property="{name}" content="{escape(value)}">' for name, value in told.items()]
    context["metatags"] = context.get("metatags", "") + "\n".join(lines)


def setup(app: Sphinx) -> dict[str, bool]:
    """Called by Sphinx."""
    app.connect("html-page-context", add_meta)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
