"""Two runs of one match that should have been the same: where they part, and their boards beside each other."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from tiltyard_engine.match_record import Evidence

Board = tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class FirstRounds:
    """The first round in which each kind of thing differs; None: it never does."""

    view: int | None
    """What a tank was shown."""
    actions: int | None
    """What a tank did."""
    board: int | None
    """0: already before the first round."""
    result: int | None
    """From this round on, the results could no longer be the same."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Difference:
    """The first round in which two managers differ."""

    left: str
    right: str
    round: int
    """0: already before the first round; -1: no difference was found round by round."""
    boards: tuple[Board, Board]
    """After that round, or after the first one in which they differ."""
    tokens: tuple[list[str], list[str]]
    """The same boards square by square: replay tokens where both managers record, else plain characters."""
    kinds: tuple[str, ...]
    """What differs in that round: ``board``, ``log``, ``requests``, or ``view of player 1 tank 0`` and the like."""
    actions: tuple[tuple[str, str, str], ...]
    """(tank, what the left side made of its request, the right side) in that round, or in the first one in which these differ."""
    note: str = ""
    board_round: int = -1
    """The round of ``boards``."""
    action_round: int = -1
    """The round of ``actions``."""
    views: tuple[Board, Board] | None = None
    """The views that differ in that round, if any do. One that only the other side gave has no rows."""
    firsts: FirstRounds | None = None


def plain_tokens(boards: tuple[Board, Board]) -> tuple[list[str], list[str]]:
    """Boards square by square, where nothing but their characters is known."""
    return list("".join(boards[0])), list("".join(boards[1]))


def first_unequal(pairs: Iterable[tuple[object, object]], start: int = 1) -> int | None:
    """The number of the first pair whose two sides differ; None if there is none."""
    return next((number for number, (left, right) in enumerate(pairs, start) if left != right), None)


def unequal_views(one: Evidence, other: Evidence) -> list[tuple[int, int, int]]:
    """The round, seat and tank of each view that only one of them was shown, or that was not the same."""
    left, right = dict(one.views), dict(other.views)
    return [key for key in left.keys() | right.keys() if left.get(key) != right.get(key)]
