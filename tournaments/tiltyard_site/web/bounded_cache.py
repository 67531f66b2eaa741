"""Values by name, up to so many bytes in all, or so many values."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Hashable
from typing import Generic, TypeVar

T = TypeVar("T")


class BoundedCache(Generic[T]):
    """Values by name. If there are too many bytes, those that nobody has asked for the longest go first. Threads may share it.

    Args:
        most: bytes of all values together; or how many values, where each counts as one byte.
    """

    def __init__(self, most: int) -> None:
        self._most = most
        self._values: OrderedDict[Hashable, tuple[T, int]] = OrderedDict()
        self._size = 0
        self._lock = threading.Lock()

    def find(self, name: Hashable) -> T | None:
        """The value, if it is still here."""
        with self._lock:
            entry = self._values.get(name)
            if entry is None:
                return None
            self._values.move_to_end(name)
            return entry[0]

    def keep(self, name: Hashable, value: T, size: int) -> None:
        """Keep a value of ``size`` bytes, in place of the one of this name; not one that is larger than all may be."""
        with self._lock:
            self._size -= self._values.pop(name, (None, 0))[1]
            if size > self._most:
                return
            self._values[name] = value, size
            self._size += size
            while self._size > self._most:
                self._size -= self._values.popitem(last=False)[1][1]
