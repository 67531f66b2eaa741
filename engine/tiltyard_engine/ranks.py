"""From scores to ranks and a winner, for games that count."""

from __future__ import annotations

from collections.abc import Collection, Sequence


def ranks_of(scores: Sequence[float], failed: Collection[int] = ()) -> tuple[int, ...]:
    """The place of each seat: 1 is best, and equal scores share a place, as in 1, 2, 2, 4.

    Args:
        scores: one a seat, seat 1 first; more is better.
        failed: the numbers of seats that have failed. They come after all others, whatever their scores.
    """
    order = [(seat not in failed, score) for seat, score in enumerate(scores, start=1)]
    return tuple(1 + sum(other > own for other in order) for own in order)


def winner_of(ranks: Sequence[int]) -> int:
    """The seat that is alone in the first place; 0 if several share it."""
    return ranks.index(1) + 1 if ranks.count(1) == 1 else 0
