"""The table of a format's options on the reference page, from the options' dataclass."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import MISSING, fields
from typing import Any, Final, get_type_hints

from pydantic import BaseModel, ConfigDict, create_model
from pydantic import Field as ModelField

HEADERS: Final = ("option", "values", "default", "meaning")


def options_model(options: type[Any]) -> type[BaseModel]:
    """With the descriptions and bounds of the fields' metadata."""
    types = get_type_hints(options)
    keys: dict[str, Any] = {}
    for field in fields(options):
        default: Any = {"default": field.default} if field.default is not MISSING else {"default_factory": field.default_factory}
        keys[field.name] = (types[field.name], ModelField(**default, **field.metadata))
    config = ConfigDict(extra="forbid", strict=True, frozen=True)
    return create_model(options.__name__, __config__=config, __doc__=options.__doc__, **keys)


def options_table(options: type[Any]) -> list[tuple[str, str, str, str]]:
    """A row an option, in the order of the dataclass: name, values, default, meaning."""
    properties = options_model(options).model_json_schema().get("properties", {})
    return [
        (name, _values(about), _shown(about.get("default")), str(about.get("description", "")))
        for name, about in properties.items()
    ]


def _values(about: dict[str, Any]) -> str:
    """What may be written, in a few words."""
    if "enum" in about:
        return ", ".join(map(str, about["enum"]))
    kinds = {"integer": "whole number", "number": "number", "boolean": "true, false", "string": "text", "array": "list"}
    kind = kinds.get(str(about.get("type")), "any")
    if kind == "list":
        kind = f"list of {kinds.get(str(about.get('items', {}).get('type')), 'any')}"
    bounds = [f"{word} {about[name]:g}" for name, word in (("minimum", "at least"), ("maximum", "at most")) if name in about]
    return f"{kind}, {', '.join(bounds)}" if bounds else kind


def _shown(value: object) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, Sequence) and not value:
        return "none"
    return str(value)
