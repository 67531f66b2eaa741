"""What is drawn by lot from a tournament's seed: the same in every version of Python and on every machine."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from typing import Final

SEED_BITS: Final = 48
"""Small enough to be exact as a number in JSON."""


def drawn_order(seed: int, names: Sequence[str]) -> list[int]:
    """The places of ``names`` in an order drawn by lot. An added or removed name leaves the order of the others as it is."""
    return sorted(range(len(names)), key=lambda place: (drawn_number("lot", seed, names[place]), place))


def drawn_number(*values: object) -> int:
    """A number of ``SEED_BITS`` bits that these values give, by hashing."""
    digest = hashlib.blake2b("\0".join(map(str, values)).encode(), digest_size=SEED_BITS // 8).digest()
    return int.from_bytes(digest, "big")
