"""What came of a match, in sentences for whoever wrote a team."""

from __future__ import annotations

from tiltyard_engine.match_record import Outcome


def place_in_words(value: float, ranks: tuple[int, ...], seat: int) -> str:
    """What a match came to for a seat: ``won``, ``lost``, or its place."""
    if len(ranks) == 2:
        return "won" if value == 1 else "lost" if value == 0 else "tied"
    rank = ranks[seat - 1]
    shared = "shared " if ranks.count(rank) > 1 else ""
    return f"came {shared}{rank}. of {len(ranks)}"


def result_in_words(outcome: Outcome, seat: int) -> str:
    """Such as ``ann lost: Player 2 won with four in a line``."""
    rank = outcome.ranks[seat - 1]
    value = 1.0 if outcome.ranks.count(1) == 1 and rank == 1 else 0.5 if rank == 1 else 0.0
    return f"{outcome.teams[seat - 1]} {place_in_words(value, outcome.ranks, seat)}: {outcome.message}"
