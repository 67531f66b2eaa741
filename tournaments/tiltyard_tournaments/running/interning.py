"""Values that are equal in many matches, kept once in memory."""

from __future__ import annotations

from collections.abc import Hashable
from typing import TypeVar, cast

H = TypeVar("H", bound=Hashable)


class Interned:
    """Remembers each value that it was given, and returns the first one that is equal."""

    def __init__(self) -> None:
        self._same: dict[Hashable, Hashable] = {}

    def one(self, value: H) -> H:
        """The value, or an equal one that was there before. Give one object values of types that are never equal to each other."""
        return cast(H, self._same.setdefault(value, value))
