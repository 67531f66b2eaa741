"""Where two GameManagers part: the first round in which their logs or boards differ, and what was asked for in it.

A manager that feeds the recorder shows every board in one run. Of any other, the board after round k is the final
state of a run that ends after k rounds, while the players are told the true limit; halving finds the round. That
needs a manager which gives the same result twice, which is tried first.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache

from tiltyard_engine.registry import Reference
from tiltyard_simulator.comparative import Comparison
from tiltyard_simulator.playing import play_match
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
    before: Board
    """The board both had after the round before; empty for round 0."""
    actions: tuple[tuple[str, str, str], ...]
    """(tank, what the left side made of its request, the right side) in this round."""
    note: str = ""

    @property
    def squares(self) -> list[tuple[int, int]]:
        """(x, y) of the squares that differ."""
        left, right = self.boards
        return [
            (x, y)
            for y, (left_row, right_row) in enumerate(zip(left, right))
            for x, (one, other) in enumerate(zip(left_row, right_row))
            if one != other
        ]


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


def explain(comparison: Comparison, left: Reference, right: Reference) -> Difference:
    """Find where ``left`` and ``right`` part on this comparison's match."""
    one, other = _observe(comparison, left), _observe(comparison, right)
    last = max(one.outcome.claim.rounds, other.outcome.claim.rounds)
    unsure = [run.name for run in (one, other) if not run.deterministic]
    note = f"{' and '.join(unsure)} gave another result when run again: the round may be wrong" if unsure else ""
    found = _first_different(one, other, last)
    if found is None:
        empty: tuple[Board, Board] = (one.outcome.claim.final_state, other.outcome.claim.final_state)
        return Difference(one.name, other.name, -1, empty, (), (), note or "no round differs; only the claimed results do")
    before = one.board_after(found - 1) if found > 0 else ()
    boards = (one.board_after(found), other.board_after(found))
    return Difference(one.name, other.name, found, boards, before, _actions(one, other, found), note)


def _observe(comparison: Comparison, manager: Reference) -> _Run:
    spec = comparison.spec(manager, verbose=True, record=True, trace=True)
    outcome = play_match(spec)
    again = play_match(comparison.spec(manager))
    deterministic = again.claim.final_state == outcome.claim.final_state and again.claim.rounds == outcome.claim.rounds
    replay = outcome.replay
    lines = tuple(outcome.claim.log.splitlines()[:-1])
    log = lines if len(lines) == outcome.claim.rounds else ()
    if replay is not None and len(replay.frames) == outcome.claim.rounds:
        return _Run(manager.name, outcome, replay.rows_after, log, deterministic, recorded=True)

    @cache
    def board_after(rounds: int) -> Board:
        return play_match(comparison.spec(manager, rounds=rounds)).claim.final_state

    return _Run(manager.name, outcome, board_after, log, deterministic, recorded=False)


def _first_different(one: _Run, other: _Run, last: int) -> int | None:
    """The smallest round in which a board or a log line differs; None if no round does."""
    in_logs = None
    if one.log and other.log:
        in_logs = next((number for number, pair in enumerate(zip(one.log, other.log), start=1) if pair[0] != pair[1]), None)
    if one.recorded and other.recorded:
        in_boards = _first_in_replays(one, other)
    else:
        in_boards = _first_by_halving(one, other, last if in_logs is None else in_logs)
    found = [number for number in (in_logs, in_boards) if number is not None]
    if not found and one.outcome.claim.rounds != other.outcome.claim.rounds:
        return min(one.outcome.claim.rounds, other.outcome.claim.rounds) + 1
    return min(found, default=None)


def _first_in_replays(one: _Run, other: _Run) -> int | None:
    left, right = one.outcome.replay, other.outcome.replay
    assert left is not None
    assert right is not None
    return next((number for number, pair in enumerate(zip(left.all_rows(), right.all_rows())) if pair[0] != pair[1]), None)


def _first_by_halving(one: _Run, other: _Run, high: int) -> int | None:
    """The first round up to ``high`` after which the boards differ; each look costs a run.

    Boards that part and become equal again before ``high`` can escape: rare, and then a later round is named.
    """

    def differ(number: int) -> bool:
        return one.board_after(number) != other.board_after(number)

    if not differ(high):
        return None
    low = 0
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
