"""Makes the sidebar from the pages' titles alone.

Furo shows the titles of all pages on every page. For that, Sphinx copies every page's headings and then throws them away, which
takes a third of the build's time.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from docutils import nodes
from sphinx import addnodes
from sphinx.application import Sphinx
from sphinx.environment import BuildEnvironment

BEFORE_FURO = 400
"""Handlers are called in the order of these numbers; Furo's has 500."""


def titles_only(headings: nodes.bullet_list) -> nodes.bullet_list:
    """A page's title, and the pages below it, without its other headings."""
    title = next(iter(headings.findall(addnodes.compact_paragraph)), None)
    item = nodes.list_item("", *([title.deepcopy()] if title is not None else []))
    below = [each.deepcopy() for each in headings.findall(addnodes.toctree)]
    if below:
        item += nodes.bullet_list("", *below)
    return nodes.bullet_list("", item)


class Sidebar:
    """The titles of all pages, once these have been read."""

    def __init__(self) -> None:
        self.titles: dict[str, nodes.bullet_list] = {}

    def read(self, app: Sphinx, env: BuildEnvironment) -> None:
        """Called by Sphinx once all pages have been read."""
        first = env.config.root_doc
        self.titles = {name: headings if name == first else titles_only(headings) for name, headings in env.tocs.items()}

    def use(self, app: Sphinx, page: str, template: str, context: dict[str, Any], tree: nodes.document | None) -> None:
        """Called by Sphinx for each page."""
        toctree: Callable[..., str] | None = context.get("toctree")
        if toctree is None:
            return

        def of_titles(**options: Any) -> str:
            whole = app.env.tocs
            app.env.tocs = self.titles
            try:
                return toctree(**options)
            finally:
                app.env.tocs = whole

        context["toctree"] = of_titles


def setup(app: Sphinx) -> dict[str, bool]:
    """Called by Sphinx."""
    sidebar = Sidebar()
    app.connect("env-check-consistency", sidebar.read)
    app.connect("html-page-context", sidebar.use, priority=BEFORE_FURO)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
