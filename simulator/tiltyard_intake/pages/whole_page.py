"""Pages for organisers that are whole in one file: they need no script and no other file, and open from a disk or a mail."""

from __future__ import annotations

import base64
import hashlib
from importlib.resources import files
from typing import Final

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

from tiltyard_intake.report.team_report import time_in_words
from tiltyard_intake.similarity.likeness import percent
from tiltyard_site.pages.labels import harmless, line

STYLES: Final = (("tiltyard_site.pages", "site.css"), (__package__, "intake.css"))
"""The packages that they lie in, and their files."""


def whole_page(template: str, **values: object) -> str:
    """A page as HTML.

    Args:
        template: its file, which extends ``whole.html``.
        values: for the template.
    """
    environment = Environment(
        loader=PackageLoader(__package__), autoescape=True, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True
    )
    environment.filters.update(line=line, text=harmless, when=time_in_words, percent=percent)
    style = "\n".join((files(package) / "assets" / name).read_text(encoding="utf-8") for package, name in STYLES)
    digest = base64.b64encode(hashlib.sha256(style.encode()).digest()).decode()
    # Our own files.
    return environment.get_template(template).render(style=Markup(style), digest=digest, **values)  # noqa: S704
