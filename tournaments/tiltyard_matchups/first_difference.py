"""Where two GameManagers differ: the first round in which their logs, views or boards are not the same, and its requests."""

from __future__ import annotations

from itertools import zip_longest
from typing import Final

from tiltyard_checks.runs.difference import Difference, FirstRounds, first_unequal, plain_tokens, unequal_views
from tiltyard_engine.registry import Reference
from tiltyard_matchups.comparison import ManagerComparison, unequal_fields
from tiltyard_matchups.observed_run import ObservedRun, ViewKey, observe, plain_words
from tiltyard_simulator.match.spec import Recording
from tiltyard_simulator.play.arena import Arena

MOST_SPELLINGS: Final = 3
"""Pairs of words for the same action that a note lists."""


def explain(comparison: ManagerComparison, left: Reference, right: Reference) -> Difference:
    """Find where ``left`` and ``right`` first differ in this comparison's match."""
    with Explainer(comparison) as explainer:
        return explainer.explain(left, right)


class Explainer:
    """Finds the first differences of many pairs; each manager's match is observed once."""

    def __init__(self, comparison: ManagerComparison) -> None:
        self._comparison = comparison
        self._arena = Arena()
        self._arena.preload(comparison.players)
        self._runs: dict[Reference, ObservedRun] = {}

    def __enter__(self) -> Explainer:
        return self

    def __exit__(self, *_: object) -> None:
        self._arena.close()

    def explain(self, left: Reference, right: Reference) -> Difference:
        """Find where two managers first differ."""
        return _explain(self._observed(left), self._observed(right))

    def log(self, manager: Reference) -> str:
        """What a manager writes to its output file; empty where it writes none, or fails when it should."""
        if manager in self._runs:
            return self._runs[manager].record.evidence.claim.log
        return self._arena.play(self._comparison.spec(manager, recording=Recording(log=True))).evidence.claim.log

    def _observed(self, manager: Reference) -> ObservedRun:
        if manager not in self._runs:
            self._runs[manager] = observe(self._arena, self._comparison, manager)
        return self._runs[manager]


def _explain(one: ObservedRun, other: ObservedRun) -> Difference:
    view = _first_view(one, other)
    rounds: dict[str, int | None] = {}
    if one.log and other.log:
        rounds["log"] = _first_in_logs(one, other)
    if view is not None:
        rounds[f"view of player {view[1]} tank {view[2]}"] = view[0]
    if not (one.log and other.log):
        rounds["requests"] = _first_in_requests(one, other)
    actions = rounds.get("log", rounds.get("requests"))
    rounds["board"] = board = _first_board(one, other)
    if not any(rounds.values()) and board is None and one.rounds != other.rounds:
        rounds["length of the match"] = min(one.rounds, other.rounds) + 1
    firsts = {kind: number for kind, number in rounds.items() if number is not None}
    number = min(firsts.values(), default=-1)
    board_round = number if board is None else board
    recorded = one.recorded and other.recorded and board_round >= 0
    if firsts:
        boards = (one.board_after(board_round), other.board_after(board_round))
    else:
        boards = (one.record.evidence.claim.final_state, other.record.evidence.claim.final_state)
    acted = board_round if actions is None else actions
    return Difference(
        left=one.name,
        right=other.name,
        round=number,
        boards=boards,
        board_round=board_round,
        tokens=(one.tokens_after(board_round), other.tokens_after(board_round)) if recorded else plain_tokens(boards),
        views=(one.view(view), other.view(view)) if view is not None and view[0] == number else None,
        kinds=tuple(kind for kind, first in firsts.items() if first == number),
        actions=_actions(one, other, acted),
        action_round=acted,
        firsts=FirstRounds(
            view=None if view is None else view[0],
            actions=actions,
            board=board,
            result=_first_apart(one, other, board),
        ),
        note="; ".join(_notes(one, other, bool(firsts))),
    )


def _notes(one: ObservedRun, other: ObservedRun, is_found: bool) -> list[str]:
    unsure = [run.name for run in (one, other) if not run.deterministic]
    notes = [f"{' and '.join(unsure)} gave another result when run again: the round may be wrong"] if unsure else []
    blind = [run.name for run in (one, other) if not run.shows_boards]
    if blind and one.record.outcome.counts and other.record.outcome.counts:
        notes.append(f"boards can't be compared: no final board of {' and '.join(blind)}")
    boasting = [(run, run.record.evidence.claim.rounds) for run in (one, other) if run.rounds != run.record.evidence.claim.rounds]
    notes += [f"{run.name} claims {claimed} rounds, the teams were asked in {run.rounds}" for run, claimed in boasting]
    spellings = _spellings(one, other)
    if spellings:
        pairs = ", ".join(f"'{left}' and '{right}'" for left, right in spellings)
        notes.append(f"only the spelling differs, which doesn't count: {pairs}")
    if not is_found and not unsure:
        fields = unequal_fields(one.record.evidence.claim, other.record.evidence.claim)
        notes.insert(0, "no round differs; only the reported results do" + (f" ({'; '.join(fields)})" if fields else ""))
    return notes


# The first rounds


def _first_in_logs(one: ObservedRun, other: ObservedRun) -> int | None:
    last = min(len(one.log), len(other.log))
    rounds = range(1, last + 1)
    return first_unequal(([*map(plain_words, one.logged(each))], [*map(plain_words, other.logged(each))]) for each in rounds)


def _spellings(one: ObservedRun, other: ObservedRun) -> list[tuple[str, str]]:
    """The words with which their logs say the same thing in different ways."""
    spellings: dict[tuple[str, str], None] = {}
    for number in range(1, min(len(one.log), len(other.log)) + 1):
        for left, right in zip(one.logged(number), other.logged(number)):
            if left != right and plain_words(left) == plain_words(right):
                spellings[left, right] = None
        if len(spellings) >= MOST_SPELLINGS:
            break
    return list(spellings)[:MOST_SPELLINGS]


def _first_in_requests(one: ObservedRun, other: ObservedRun) -> int | None:
    """The first round in which the requests of two matches differ, while both are being played."""
    left, right = one.requests(), other.requests()
    last = min(one.rounds, other.rounds)
    firsts = [first_unequal(zip_longest(left.get(tank, ()), right.get(tank, ()))) for tank in left.keys() | right.keys()]
    return min((first for first in firsts if first is not None and first <= last), default=None)


def _first_view(one: ObservedRun, other: ObservedRun) -> ViewKey | None:
    """The first view that differs, or that only one of them gave while both played."""
    last = min(one.rounds, other.rounds)
    return min((key for key in unequal_views(one.record.evidence, other.record.evidence) if key[0] <= last), default=None)


def _first_board(one: ObservedRun, other: ObservedRun) -> int | None:
    if not (one.shows_boards and other.shows_boards):
        return None
    if one.recorded and other.recorded:
        left, right = one.replay, other.replay
        assert left is not None
        assert right is not None
        return first_unequal(zip(left.all_rows(), right.all_rows()), start=0)
    return _first_by_looking(one, other, min(one.rounds, other.rounds))


LOOKED_AT_ONE_BY_ONE: Final = 60
"""Rounds; halving alone named a later round in a fifth of random games, as boards part and become equal again."""


def _first_by_looking(one: ObservedRun, other: ObservedRun, high: int) -> int | None:
    """The first round up to ``high`` after which the boards differ; each look costs a run.

    The first rounds are looked at one by one, as their runs are short; the others by halving. Boards that part later
    and become equal again can escape the halving; then a later round is named.
    """
    # A manager that cannot play no rounds at all says nothing of the start board.
    first = 0 if one.board_after(0) and other.board_after(0) else 1
    low = min(high, LOOKED_AT_ONE_BY_ONE) + 1
    for number in range(first, low):
        if _differ(one, other, number):
            return number
    if low > high or not _differ(one, other, high):
        return None
    while low < high:
        middle = (low + high) // 2
        if _differ(one, other, middle):
            high = middle
        else:
            low = middle + 1
    return low


def _differ(one: ObservedRun, other: ObservedRun, number: int) -> bool:
    """Whether both show a board after that round, and not the same one."""
    left, right = one.board_after(number), other.board_after(number)
    return left != right and bool(left) and bool(right)


def _first_apart(one: ObservedRun, other: ObservedRun, board: int | None) -> int | None:
    """The first round after which the results could no longer be the same.

    From it on the boards are never the same again, or one match is over and the other goes on. None: the results are the same.
    Where boards are looked at, that is done in growing steps from the end: boards that become equal for a short time can escape it.
    """
    end = min(one.rounds, other.rounds)
    if not unequal_fields(one.record.evidence.claim, other.record.evidence.claim):
        return None
    if board is None or board > end or not _differ(one, other, end):
        return end if one.rounds == other.rounds else end + 1
    if one.recorded and other.recorded:
        return next((each + 1 for each in range(end - 1, board, -1) if not _differ(one, other, each)), board)
    high, step = end, 1
    while end - step > board:
        if not _differ(one, other, end - step):
            return _first_after(one, other, end - step, high)
        high, step = end - step, 2 * step
    return board


def _first_after(one: ObservedRun, other: ObservedRun, equal: int, differing: int) -> int:
    """The round after ``equal`` from which on boards differ, by halving."""
    while differing - equal > 1:
        middle = (equal + differing) // 2
        if _differ(one, other, middle):
            differing = middle
        else:
            equal = middle
    return differing


def _actions(one: ObservedRun, other: ObservedRun, number: int) -> tuple[tuple[str, str, str], ...]:
    """What each tank did in that round: from the logs where both keep them, else what the seats were asked."""
    if number < 1:
        return ()
    left, right = one.logged(number), other.logged(number)
    if left and len(left) == len(right):
        return tuple((f"tank {index}", *pair) for index, pair in enumerate(zip(left, right), start=1))
    ones, others = one.requests(), other.requests()
    return tuple(
        (f"player {key[0]} tank {key[1]}", _request_words(ones.get(key), number), _request_words(others.get(key), number))
        for key in sorted(ones.keys() | others.keys())
    )


def _request_words(requests: tuple[str, ...] | None, number: int) -> str:
    if requests is None:
        return ""
    return requests[number - 1] if number <= len(requests) else "not asked"
