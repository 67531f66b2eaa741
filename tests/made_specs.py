"""Specs of matches for tests, made and changed by the names of the fields, whichever of a spec's four values has them."""

from __future__ import annotations

from dataclasses import fields, replace
from typing import Any, Final

from tiltyard_simulator.match.spec import Holding, MatchInput, MatchSpec, Place, Recording

KINDS: Final = {"input": MatchInput, "holding": Holding, "recording": Recording, "place": Place}
PARTS: Final = {field.name: part for part, kind in KINDS.items() for field in fields(kind)}
"""Each field, and which value of a spec it is of."""


def made_spec(**values: Any) -> MatchSpec:
    """A match with these values of fields."""
    return MatchSpec(**{part: KINDS[part](**named) for part, named in sorted_out(values).items()})


def spec_with(spec: MatchSpec, **values: Any) -> MatchSpec:
    """The match with other values of fields."""
    return replace(spec, **{part: replace(getattr(spec, part), **named) for part, named in sorted_out(values).items()})


def sorted_out(values: dict[str, Any]) -> dict[str, dict[str, Any]]:
    """Values by the part of a spec that has them."""
    parts: dict[str, dict[str, Any]] = {}
    for name, value in values.items():
        parts.setdefault(PARTS[name], {})[name] = value
    return parts
