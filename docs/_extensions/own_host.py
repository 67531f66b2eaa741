"""The site loads nothing from other hosts: neither fonts nor scripts nor pictures. Whatever would is a warning."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

from sphinx.application import Sphinx
from sphinx.util.logging import getLogger

ADDRESS = r"""["']?((?:https?:)?//[^"')\s]+)"""
IN_STYLES = re.compile(rf"(?:url\(\s*|@import\s+){ADDRESS}")
LOADS = {
    ".html": re.compile(r'<(?:script|img|iframe|source|link(?! rel="canonical"))\b[^>]*\b(?:src|srcset|href)=' + ADDRESS),
    ".css": IN_STYLES,
    ".svg": re.compile(rf"{IN_STYLES.pattern}|\bhref={ADDRESS}"),
}
"""What a browser fetches by itself, by the kind of file. Links that people click are not among it."""


def loaded(folder: Path) -> Iterator[tuple[Path, str]]:
    """The files that load something from another host, and what."""
    for file in sorted(folder.rglob("*.*")):
        pattern = LOADS.get(file.suffix)
        if pattern is not None:
            found = pattern.finditer(file.read_text(encoding="utf-8"))
            yield from ((file, next(filter(None, match.groups()))) for match in found)


def check(app: Sphinx, error: Exception | None) -> None:
    """Called by Sphinx in the end."""
    if error is None:
        for file, address in loaded(Path(app.outdir)):
            getLogger(__name__).warning("%s loads %s, which is on another host", file.relative_to(app.outdir), address)


def setup(app: Sphinx) -> dict[str, bool]:
    """Called by Sphinx."""
    app.connect("build-finished", check)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
