"""The champion. Plain typed Python that mypyc compiles as it is."""

from __future__ import annotations

from tiltyard_advance.rules import Board


def choose_as_champion(board: Board, side: int, candidates: list[int]) -> int:
    """The best of the candidates."""
    return candidates[0]
