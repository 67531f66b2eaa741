"""Faults overrule claims: a seat that failed comes after every seat that did not."""

from __future__ import annotations

from collections.abc import Sequence
from math import inf
from typing import Any

from tiltyard_engine.results import Fault, GameResult


def judge(claim: GameResult, faults: Sequence[Fault], seats: int) -> tuple[int, tuple[int, ...]]:
    """Winner and ranks after the faults that the host saw.

    Sound seats come first, in the claimed order; failed ones after them, whoever failed later before whoever
    failed earlier, because a manager that knows of faults would have ended the match for the earlier one.
    """
    ranks = claim.ranks_for(seats)
    failed = {fault.seat: fault for fault in reversed(faults) if fault.seat > 0}
    if not failed:
        return claim.winner, ranks

    def place(seat: int) -> tuple[float, int]:
        fault = failed.get(seat)
        return (inf, -ranks[seat - 1]) if fault is None else (fault.round, 0)

    places = [place(seat) for seat in range(1, seats + 1)]
    judged = tuple(1 + sum(1 for other in places if other > own) for own in places)
    firsts = [seat for seat, rank in enumerate(judged, start=1) if rank == 1]
    return (firsts[0] if len(firsts) == 1 else 0), judged


def claim_problem(claim: object, seats: int) -> str:
    """What is wrong with what a GameManager returned, or an empty string."""
    if not isinstance(claim, GameResult):
        return f"run() returned {type(claim).__name__}, not a GameResult"
    if not (_is_count(claim.winner) and claim.winner <= seats):
        return f"winner is {claim.winner!r}, expected 0 (tie) or a seat from 1 to {seats}"
    if not _is_count(claim.rounds):
        return f"rounds is {claim.rounds!r}, expected a number from 0 up"
    rows: Any = claim.final_state
    if not (isinstance(rows, tuple) and all(isinstance(row, str) for row in rows)):
        return "final_state is not a tuple of strings, one a row of the board"
    if claim.ranks and not (len(claim.ranks) == seats and all(_is_count(rank) for rank in claim.ranks)):
        return f"ranks is {claim.ranks!r}, expected one place a seat, or none"
    if not all(isinstance(text, str) for text in (claim.reason, claim.message, claim.log)):
        return "reason, message or log is not a string"
    if not all(_is_count(tanks) for tanks in claim.remaining_tanks):
        return f"remaining_tanks is {claim.remaining_tanks!r}, expected one number a seat"
    return ""


def _is_count(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and value >= 0
