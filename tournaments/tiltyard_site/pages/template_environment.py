"""The environment of all templates: what strangers call themselves is escaped."""

from __future__ import annotations

from jinja2 import Environment, PackageLoader, StrictUndefined

from tiltyard_site.pages.labels import harmless, line


def template_environment() -> Environment:
    """A new one, with the filters that make strangers' texts fit for a page."""
    environment = Environment(
        loader=PackageLoader(__package__), autoescape=True, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True
    )
    environment.filters.update(line=line, text=harmless, whole=whole_number)
    return environment


def whole_number(value: float) -> str:
    """A number without its fraction, with a minus sign that is as wide as a digit."""
    return str(round(value)).replace("-", "\u2212")
