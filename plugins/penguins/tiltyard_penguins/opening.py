"""The champion's placement: where territory is gained, and where the next moves take many fish."""

from __future__ import annotations

from typing import Final

from tiltyard_penguins.territory import Ice, each_bit, nearer, spread

NEXT_SHARE: Final = 0.5
"""What fish one slide away count, besides being territory."""
LATER_SHARE: Final = 0.3
"""Likewise two slides away, as far as they are territory."""


def best_placement(ice: Ice, own: int, rivals: int, floes: int) -> int:
    """The bit of a floe with one fish; there must be one."""
    stride = ice.stride
    best, best_value = 0, float("-inf")
    for target in each_bit(floes & ice.odd & ~ice.many):
        left = floes ^ target
        mine, theirs = nearer(own | target, rivals, left, stride)
        near = spread(target, left, stride)
        later = spread(near, left, stride) & mine
        value = ice.fish(mine) - ice.fish(theirs) + NEXT_SHARE * ice.fish(near) + LATER_SHARE * ice.fish(later)
        if value > best_value:
            best, best_value = target, value
    return best
