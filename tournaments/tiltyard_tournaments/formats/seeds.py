"""Seeds and lots: numbers drawn by hashing, the same in every version of Python and on every machine."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from typing import Final

SEED_BITS: Final = 48
"""Small enough to be exact as a number in JSON."""


def match_seed(seed: int, map: str, game: int) -> int:  # noqa: A002 -- the field's word
    """The seed of a match, from the tournament's seed, what names the map, and the number of the game on it.

    It knows nothing of the teams: all pairings meet the same seeds, and in swapped seats the same again. ``map`` is a name or a
    hash, not the map's place in the file, so that adding a map changes no match on another one.
    """
    return _drawn("match", seed, map, game)


def drawn_order(seed: int, names: Sequence[str]) -> list[int]:
    """The places of ``names`` in an order drawn by lot. An added or removed name leaves the order of the others as it is."""
    return sorted(range(len(names)), key=lambda place: (_drawn("lot", seed, names[place]), place))


def _drawn(*values: object) -> int:
    digest = hashlib.blake2b("\0".join(map(str, values)).encode(), digest_size=SEED_BITS // 8).digest()
    return int.from_bytes(digest, "big")
