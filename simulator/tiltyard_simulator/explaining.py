"""Where two GameManagers part: the first round in which their logs, views or boards differ, and what was asked for in it.

A manager that feeds the recorder shows every board in one run. Of any other, the board after round k is the final
state of a run that ends after k rounds, while the players are told the true limit. That needs a manager that gives
the same result twice, which is tried first.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from typing import Final

from tiltyard_engine.registry import Reference
from tiltyard_engine.replay import Replay
from tiltyard_simulator.comparative import Comparison
from tiltyard_simulator.playing import Arena
from tiltyard_simulator.specs import MatchOutcome

Board = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Difference:
    """The first round in which two managers differ."""

    left: str
    right: str
    round: int
    """0: already before the first round; -1: no difference was found round by round."""
    boards: tuple[Board, Board]
    """After that round."""
    tokens: tuple[list[str], list[str]]
    """The same boards square by square: replay tokens where both managers record, else plain characters."""
    kinds: tuple[str, ...]
    """What differs in that round: ``board``, ``log``, or ``view of player 1 tank 0`` and the like."""
    actions: tuple[tuple[str, str, str], ...]
    """(tank, what the left side made of its request, the right side) in this round."""
    note: str = ""


@dataclass(frozen=True, slots=True)
class _Run:
    """One manager's whole match: enough to look at any round of it."""

    name: str
    outcome: MatchOutcome
    board_after: Callable[[int], Board]
    log: tuple[str, ...]
    """Its output file's lines without the last; empty if it keeps none of a line a round."""
    deterministic: bool
    recorded: bool
    """Whether its replay shows the board after every round."""

    def tokens_after(self, number: int) -> list[str]:
        """The recorded board."""
        assert self.outcome.replay is not None
        return self.outcome.replay.squares_after(number)


def explain(comparison: Comparison, left: Reference, right: Reference) -> Difference:
    """Find where ``left`` and ``right`` part on this comparison's match."""
    with Arena() as arena:
        return _explain(arena, comparison, left, right)


def _explain(arena: Arena, comparison: Comparison, left: Reference, right: Reference) -> Difference:
    one, other = _observe(arena, comparison, left), _observe(arena, comparison, right)
    last = max(one.outcome.claim.rounds, other.outcome.claim.rounds)
    unsure = [run.name for run in (one, other) if not run.deterministic]
    note = f"{' and '.join(unsure)} gave another result when run again: the round may be wrong" if unsure else ""
    found = _first_different(one, other, last)
    if not found:
        ends = (one.outcome.claim.final_state, other.outcome.claim.final_state)
        return Difference(
            one.name, other.name, -1, ends, _plain(ends), (), (), note or "no round differs, only the claimed results"
        )
    number = min(found.values())
    kinds = tuple(kind for kind, first in found.items() if first == number)
    boards = (one.board_after(number), other.board_after(number))
    tokens = (one.tokens_after(number), other.tokens_after(number)) if one.recorded and other.recorded else _plain(boards)
    return Difference(one.name, other.name, number, boards, tokens, kinds, _actions(one, other, number), note)


def _plain(boards: tuple[Board, Board]) -> tuple[list[str], list[str]]:
    return list("".join(boards[0])), list("".join(boards[1]))


def _observe(arena: Arena, comparison: Comparison, manager: Reference) -> _Run:
    spec = comparison.spec(manager, verbose=True, record=True, trace=True)
    outcome = arena.play(spec)
    again = arena.play(comparison.spec(manager))
    deterministic = again.claim.final_state == outcome.claim.final_state and again.claim.rounds == outcome.claim.rounds
    replay = outcome.replay
    lines = tuple(outcome.claim.log.splitlines()[:-1])
    log = lines if len(lines) == outcome.claim.rounds else ()
    if replay is not None and len(replay.frames) == outcome.claim.rounds and _ends_as_claimed(replay, outcome):
        return _Run(manager.name, outcome, replay.rows_after, log, deterministic, recorded=True)

    @cache
    def board_after(rounds: int) -> Board:
        return arena.play(comparison.spec(manager, rounds=rounds)).claim.final_state

    return _Run(manager.name, outcome, board_after, log, deterministic, recorded=False)


def _ends_as_claimed(replay: Replay, outcome: MatchOutcome) -> bool:
    """Whether a recording can be believed: its last board is the final state."""
    return replay.rows_after(outcome.claim.rounds) == outcome.claim.final_state


def _first_different(one: _Run, other: _Run, last: int) -> dict[str, int]:
    """The first round in which each kind of thing differs; a kind that never does is left out."""
    found: dict[str, int | None] = {}
    if one.log and other.log:
        found["log"] = next((number for number, pair in enumerate(zip(one.log, other.log), start=1) if pair[0] != pair[1]), None)
    found |= _first_views(one, other)
    bound = min((number for number in found.values() if number is not None), default=last)
    found["board"] = _first_in_replays(one, other) if one.recorded and other.recorded else _first_by_looking(one, other, bound)
    if not any(found.values()) and found["board"] is None and one.outcome.claim.rounds != other.outcome.claim.rounds:
        found["length of the match"] = min(one.outcome.claim.rounds, other.outcome.claim.rounds) + 1
    return {kind: number for kind, number in found.items() if number is not None}


def _first_views(one: _Run, other: _Run) -> dict[str, int | None]:
    """The first view that one of them answered otherwise, or alone."""
    left, right = dict(one.outcome.views), dict(other.outcome.views)
    different = [key for key in left.keys() | right.keys() if left.get(key) != right.get(key)]
    if not different:
        return {}
    number, seat, tank_index = min(different)
    return {f"view of player {seat} tank {tank_index}": number}


def _first_in_replays(one: _Run, other: _Run) -> int | None:
    left, right = one.outcome.replay, other.outcome.replay
    assert left is not None
    assert right is not None
    return next((number for number, pair in enumerate(zip(left.all_rows(), right.all_rows())) if pair[0] != pair[1]), None)


LOOKED_AT_ONE_BY_ONE: Final = 60
"""Rounds; halving alone named a later round in a fifth of random games, as boards part and become equal again."""


def _first_by_looking(one: _Run, other: _Run, high: int) -> int | None:
    """The first round up to ``high`` after which the boards differ; each look costs a run.

    The first rounds are looked at one by one, as their runs are short; the others by halving. Boards that part later
    and become equal again can escape the halving; then a later round is named.
    """

    def differ(number: int) -> bool:
        return one.board_after(number) != other.board_after(number)

    # A manager that cannot play no rounds at all says nothing of the start board.
    first = 0 if one.board_after(0) and other.board_after(0) else 1
    low = min(high, LOOKED_AT_ONE_BY_ONE) + 1
    for number in range(first, low):
        if differ(number):
            return number
    if low > high or not differ(high):
        return None
    while low < high:
        middle = (low + high) // 2
        if differ(middle):
            high = middle
        else:
            low = middle + 1
    return low


def _actions(one: _Run, other: _Run, number: int) -> tuple[tuple[str, str, str], ...]:
    """What each tank did in that round: from the logs where both keep them, else what the seats were asked."""
    if number < 1:
        return ()
    if number <= len(one.log) and number <= len(other.log):
        left, right = one.log[number - 1].split(", "), other.log[number - 1].split(", ")
        if len(left) == len(right):
            return tuple((f"tank {index}", *pair) for index, pair in enumerate(zip(left, right), start=1))
    asked: dict[tuple[int, int], list[str]] = {}
    for column, run in enumerate((one, other)):
        for seat, tank_index, requests in run.outcome.requests:
            cells = asked.setdefault((seat, tank_index), ["", ""])
            cells[column] = requests[number - 1] if number <= len(requests) else "not asked"
    return tuple((f"player {seat} tank {tank}", *cells) for (seat, tank), cells in sorted(asked.items()))  # type: ignore[misc]
