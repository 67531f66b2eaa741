"""Patterns of paths, as recipes write them: ``*`` and ``?`` within a folder, ``**/`` for any folders, ``a|b`` for either."""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import lru_cache


def matching(pattern: str, names: Iterable[str]) -> list[str]:
    """The names that match, in their order. Names are relative paths with slashes."""
    compiled = _compiled(pattern)
    return [name for name in names if compiled.fullmatch(name)]


def matches(pattern: str, name: str) -> bool:
    """Whether one name matches."""
    return _compiled(pattern).fullmatch(name) is not None


@lru_cache(maxsize=1024)
def _compiled(pattern: str) -> re.Pattern[str]:
    return re.compile("|".join(f"(?:{_translated(each)})" for each in pattern.split("|")), re.DOTALL)


def _translated(pattern: str) -> str:
    words: list[str] = []
    place = 0
    while place < len(pattern):
        if pattern.startswith("**/", place):
            words.append("(?:[^/]+/)*")
            place += 3
            continue
        sign = pattern[place]
        words.append({"*": "[^/]*", "?": "[^/]"}.get(sign, re.escape(sign)))
        place += 1
    return "".join(words)
