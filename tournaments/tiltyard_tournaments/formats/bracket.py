"""The tree of a knockout: who could meet whom in which round."""

from __future__ import annotations

from typing import Final

STAGES: Final = {2: "final", 4: "semi-final", 8: "quarter-final"}


def bracket(teams: int) -> list[tuple[int, int | None]]:
    """The first round as pairs of seeds, from 0, better first; winners of neighbouring pairs meet next. None: no opponent.

    The two best can only meet in the final, the four best in the semi-finals, and so on. Where the number of teams is no power
    of two, the best seeds have no opponent in the first round.
    """
    line = [0]
    while len(line) < teams:
        line = [seed for better in line for seed in (better, 2 * len(line) - 1 - better)]
    seeds = [seed if seed < teams else None for seed in line]
    pairs: list[tuple[int, int | None]] = []
    for one, other in zip(seeds[::2], seeds[1::2]):
        low, high = (one, other) if one is not None else (other, one)
        assert low is not None
        pairs.append((low, high) if high is None or low < high else (high, low))
    return pairs


def stage_name(left: int) -> str:
    """What a round is called in which so many places of the tree are left."""
    return STAGES.get(left, f"round of {left}")
