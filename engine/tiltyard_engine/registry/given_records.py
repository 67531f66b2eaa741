"""Records that a program gives instead of naming a plugin, such as a class in a notebook. They are known in this process alone."""

from __future__ import annotations

import secrets
from collections.abc import Sequence
from typing import Any, Final

from tiltyard_engine.registry.sources import Origin, Source

_GIVEN: Final[dict[str, tuple[tuple[str, Any], ...]]] = {}


def give_records(name: str, records: Sequence[tuple[str, Any]]) -> Source:
    """A source for these records, until ``take_back``.

    Args:
        name: what messages call it.
        records: each with the hook that would yield it, such as ``algorithms``. They are checked when the source is loaded.
    """
    value = secrets.token_hex(16)
    _GIVEN[value] = tuple(records)
    return Source(name=name, origin=Origin.GIVEN, value=value)


def take_back(sources: Sequence[Source]) -> None:
    """Forget what was given."""
    for source in sources:
        _GIVEN.pop(source.value, None)


def given_records(source: Source) -> tuple[tuple[str, Any], ...] | None:
    """The records of a source, each with its hook; None in any other process than the one that was given them."""
    return _GIVEN.get(source.value)
