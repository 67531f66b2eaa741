"""Event loops of tests: in a thread of their own, because that of the browser's tests stays in the main thread."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any, TypeVar

T = TypeVar("T")


def in_own_thread(work: Callable[..., T], *arguments: Any) -> T:
    """What ``work`` returns or raises."""
    with ThreadPoolExecutor(1) as pool:
        return pool.submit(work, *arguments).result()
