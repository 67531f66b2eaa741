"""Draws the sidebar once, and marks each page's own place in a copy.

Furo shows the titles of all pages on every page. Drawn anew for each page, that takes more than half of the build's time.
"""

from __future__ import annotations

import re
from typing import Any

from docutils import nodes
from furo.navigation import get_navigation_tree
from sphinx.application import Sphinx
from sphinx.builders.html import StandaloneHTMLBuilder
from sphinx.environment.adapters.toctree import global_toctree_for_doc

BEFORE_FURO, AFTER_FURO = 400, 600
"""Handlers are called in the order of these numbers; Furo's has 500."""
ITEM = re.compile(r'<li class="toctree-l(\d+)([^"]*)"><a class="reference internal" href="([^"#]*)">(?:([^\n]*?</a>)<input )?')
"""A page in the sidebar: its level, its other classes, its address, and its title if pages below it can be folded away."""


class Sidebar:
    """The titles of all pages, drawn for the first page."""

    def __init__(self) -> None:
        self.html = ""
        self.chains: list[tuple[int, ...]] = []
        """Of each item, itself and those that it lies below."""
        self.items: dict[str, list[int]] = {}
        """By address; a page may stand in several places."""

    def draw(self, app: Sphinx) -> None:
        """Draw it as Sphinx and Furo do."""
        assert isinstance(app.builder, StandaloneHTMLBuilder)
        titles = global_toctree_for_doc(
            app.env, app.config.root_doc, app.builder, tags=app.tags, maxdepth=-1, titles_only=True, includehidden=True
        )
        self.take(get_navigation_tree(app.builder.render_partial(titles)["fragment"]))

    def take(self, html: str) -> None:
        """Find the items in what was drawn."""
        self.html = html
        above: tuple[int, ...] = ()
        for number, item in enumerate(ITEM.finditer(self.html)):
            above = (*above[: int(item[1]) - 1], number)
            self.chains.append(above)
            self.items.setdefault(item[3], []).append(number)

    def of(self, app: Sphinx, page: str) -> str:
        """The sidebar of one page."""
        names = {app.builder.get_target_uri(name): name for name in app.env.found_docs}
        own = self.items.get(app.builder.get_target_uri(page), [])
        current = {number for place in own for number in self.chains[place]}
        numbers = iter(range(len(self.chains)))

        def item(found: re.Match[str]) -> str:
            level, classes, address, title = found.groups()
            number = next(numbers)
            link, folded = "reference internal", ""
            if number in current:
                classes, folded = f" current{classes}", 'checked="" '
            if number in own:
                classes, link = f"{classes} current-page", f"current {link}"
            to = "#" if number in own else app.builder.get_relative_uri(page, names[address])
            start = f'<li class="toctree-l{level}{classes}"><a class="{link}" href="{to}">'
            return start if title is None else f"{start}{title}<input {folded}"

        return ITEM.sub(item, self.html)

    def hide(self, app: Sphinx, page: str, template: str, context: dict[str, Any], tree: nodes.document | None) -> None:
        """Called by Sphinx for each page: Furo draws nothing where there is nothing to draw."""
        context.pop("toctree", None)

    def show(self, app: Sphinx, page: str, template: str, context: dict[str, Any], tree: nodes.document | None) -> None:
        """Called by Sphinx for each page, after Furo."""
        if not self.html:
            self.draw(app)
        context["furo_navigation_tree"] = self.of(app, page)


def setup(app: Sphinx) -> dict[str, bool]:
    """Called by Sphinx."""
    sidebar = Sidebar()
    app.connect("html-page-context", sidebar.hide, priority=BEFORE_FURO)
    app.connect("html-page-context", sidebar.show, priority=AFTER_FURO)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
