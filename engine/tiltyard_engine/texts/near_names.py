"""The names that somebody may have meant who wrote another one: only what is alike."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Final

MOST_NEAR: Final = 3
LONGEST_COMPARED: Final = 100
"""Letters of a name; nobody mistypes a longer one."""
LEAST_LETTERS: Final = 3
"""With fewer any two names are alike."""
LEAST_FOR_BEGINNINGS: Final = 6
"""Letters of a mistyped beginning; with fewer it is that of too many names."""


def did_you_mean(name: str, names: Iterable[str]) -> str:
    """``did you mean acorn or bramble?``, of the names that ``name`` may be a slip of; empty if none is."""
    near = near_names(name, names)
    return f"did you mean {' or '.join(near)}?" if near else ""


def near_names(name: str, names: Iterable[str]) -> list[str]:
    """Those of ``names`` that ``name`` may be a slip of, the nearest first; at most MOST_NEAR.

    Up to one letter in four may be wrong, missing, too many or swapped with the next one, and one of three. Capitals and the
    signs between words don't count, nor does a family before a slash that is shorter than the name after it.
    """
    letters = _letters(name)
    if len(letters) > LONGEST_COMPARED:
        return []
    slips: list[tuple[int, bool, int, str]] = []
    for place, other in enumerate(names):
        last = other.rpartition("/")[2]
        ways = [_slips(letters, _letters(part)) for part in (other, last) if 2 * len(part) >= len(other)]
        fewest = min((count for count in ways if count is not None), default=None)
        if fewest is not None:
            # Of a hundred numbered names one that has no number is most likely meant.
            slips.append((fewest, any(map(str.isdigit, other)), place, other))
    return [other for *_, other in sorted(slips)[:MOST_NEAR]]


def _letters(name: str) -> str:
    return re.sub(r"[-_. ]+", "-", name.casefold())


def _slips(name: str, other: str) -> int | None:
    """How many letters differ, None if more do than anybody mistypes; one name may be the beginning of the other one."""
    short, long = sorted((name, other), key=len)
    most = max(len(long) // 4, 1) if len(short) >= LEAST_LETTERS else 0
    if len(long) - len(short) <= most and (count := _differing_letters(short, long)) <= most:
        return count
    head = long[: len(short)]
    is_beginning = head == short or (LEAST_FOR_BEGINNINGS <= len(name) < len(other) and _differing_letters(short, head) <= most)
    return most + 1 if most and is_beginning and 2 * len(short) >= len(long) else None


def _differing_letters(one: str, other: str) -> int:
    """How many letters to add, remove, replace or swap with their neighbour. Source: Damerau 1964, optimal string alignment."""
    before: list[int] = []
    row = list(range(len(other) + 1))
    for here, letter in enumerate(one, 1):
        next_row = [here]
        for there, other_letter in enumerate(other, 1):
            least = min(row[there] + 1, next_row[-1] + 1, row[there - 1] + (letter != other_letter))
            if here > 1 and there > 1 and letter == other[there - 2] and one[here - 2] == other_letter:
                least = min(least, before[there - 2] + 1)
            next_row.append(least)
        before, row = row, next_row
    return row[-1]
