"""Playing matches again and comparing the runs: where they first differ, and who caused it.

Two runs are the same if their replays are the same byte for byte, every tank made the same requests and saw the same views, and
the GameManager reported the same result. Where several runs differ, the first one is compared with the first that differs.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import zip_longest
from typing import Final

from tiltyard_checks.runs.difference import Difference, first_unequal, plain_tokens, unequal_views
from tiltyard_engine.match_record import MatchRecord
from tiltyard_engine.replay import Frame, Replay
from tiltyard_engine.results import MANAGER_SEAT, Fault, Termination
from tiltyard_simulator.match.spec import MatchSpec
from tiltyard_simulator.play.executor import Finished, record_refusal
from tiltyard_simulator.play.local_matches import play_matches
from tiltyard_simulator.replays.encoding import encode
from tiltyard_simulator.replays.files import record_replay

MOST_ACTIONS: Final = 20
"""Tanks whose requests are shown; where there are more, those alone that differ."""
NEVER: Final = 1 << 60
"""In place of a round that is not known."""


@dataclass(frozen=True, slots=True)
class Divergence:
    """Two runs of one match that were not the same."""

    run: int
    """The first run, from 2, that differs from run 1."""
    round: int
    """The first round that differs; 0: already the start; -1: no round, only the result."""
    suspects: tuple[int, ...]
    """Seats that made other requests although they had seen the same; 0 is the GameManager, empty: unknown."""
    difference: Difference
    """Both boards after that round, and what was asked for."""


@dataclass(frozen=True, slots=True)
class Verified:
    """One match that was played several times."""

    spec: MatchSpec
    divergence: Divergence | None = None
    void: str = ""
    """Why the runs cannot be compared, if the machine failed during one of them."""

    @property
    def is_same(self) -> bool:
        """Whether all runs were the same."""
        return self.divergence is None and not self.void


def verify(specs: Sequence[MatchSpec], times: int, workers: int, finished: Finished | None = None) -> list[Verified]:
    """Play each match ``times`` times, on all workers, and compare the runs. A match that cannot be set up is void."""
    watched = [replace(spec, recording=replace(spec.recording, replay=True, trace=True, log=True)) for spec in specs]
    records = play_matches([spec for _ in range(times) for spec in watched], workers, finished, record_refusal)
    return [_verified(spec, records[place :: len(specs)]) for place, spec in enumerate(specs)]


def verified_against(spec: MatchSpec, stored: MatchRecord, now: MatchRecord) -> Verified:
    """A match that was played before and again now, both without a trace, so that nobody can be suspected."""
    if now.outcome.is_void:
        return Verified(spec, void=next(fault.message for fault in now.outcome.faults if fault.termination is Termination.VOID))
    divergence = compare(stored, now)
    if divergence is None and _replay_bytes(stored) != _replay_bytes(now):
        difference = _difference(stored, now, -1, ("replay",), 2)
        divergence = Divergence(run=2, round=-1, suspects=(), difference=difference)
    if divergence is None:
        return Verified(spec)
    return Verified(
        spec, replace(divergence, suspects=(), difference=replace(divergence.difference, left="stored", right="played again"))
    )


def _replay_bytes(record: MatchRecord) -> bytes:
    """A replay but for the names of its players, who may be called otherwise now."""
    replay = record_replay(record)
    return b"" if replay is None else encode(replace(replay, seats=("",) * len(replay.seats)))


def _verified(spec: MatchSpec, runs: Sequence[MatchRecord]) -> Verified:
    void = next((fault.message for run in runs for fault in run.outcome.faults if fault.termination is Termination.VOID), "")
    if void:
        return Verified(spec, void=void)
    for number, run in enumerate(runs[1:], start=2):
        divergence = compare(runs[0], run, number)
        if divergence is not None:
            return Verified(spec, divergence)
    return Verified(spec)


def compare(one: MatchRecord, other: MatchRecord, number: int = 2) -> Divergence | None:
    """The first difference of two runs that were played with ``record``, ``trace`` and ``verbose``; None if there is none."""
    firsts = _firsts(one, other)
    if not firsts:
        return None
    by_replay = [first for kind, first in firsts.items() if kind in REPLAY_PARTS]
    rounds = by_replay or [first for first in firsts.values() if first >= 0]
    first = min(rounds, default=-1)
    kinds = tuple(kind for kind, when in firsts.items() if when == first)
    suspects = _suspects(one, other)
    difference = _difference(one, other, first, kinds, number)
    return Divergence(number, first, suspects, difference)


REPLAY_PARTS: Final = ("board", "actions", "scores", "notes", "panels")


def _firsts(one: MatchRecord, other: MatchRecord) -> dict[str, int]:
    """Each kind of thing that differs, with its first round; -1 for what has none."""
    firsts: dict[str, int] = (
        {} if one.evidence.replay == other.evidence.replay else dict(_replay_firsts(*map(record_replay, (one, other))))
    )
    for seat, round_number in _request_firsts(one, other).items():
        firsts[f"requests of player {seat}"] = round_number
    views = unequal_views(one.evidence, other.evidence)
    if views:
        firsts["views"] = min(views)[0]
    log = first_unequal(zip_longest(one.evidence.claim.log.splitlines(), other.evidence.claim.log.splitlines()))
    if log is not None:
        firsts["log"] = log
    faults = {_fault_key(fault) for fault in one.outcome.faults} ^ {_fault_key(fault) for fault in other.outcome.faults}
    if faults:
        firsts["faults"] = min(round_number for _, _, round_number in faults)
    if _result(one) != _result(other):
        firsts["result"] = -1
    return firsts


def _replay_firsts(one: Replay | None, other: Replay | None) -> Iterator[tuple[str, int]]:
    if one is None or other is None:
        if one is not other:
            yield "board", 0
        return
    if (one.width, one.height, one.squares) != (other.width, other.height, other.squares):
        yield "board", 0
    same_so_far = list(REPLAY_PARTS)
    if one.panels != other.panels:
        same_so_far.remove("panels")
        yield "panels", 0
    for number, (left, right) in enumerate(zip_longest(one.frames, other.frames, fillvalue=Frame((), ("the end",))), start=1):
        for part in tuple(same_so_far):
            attribute = "changes" if part == "board" else part
            if getattr(left, attribute) != getattr(right, attribute):
                same_so_far.remove(part)
                yield part, number


def _request_firsts(one: MatchRecord, other: MatchRecord) -> dict[int, int]:
    """The first round in which a seat made another request, by seat."""
    firsts: dict[int, int] = {}
    left = {(seat, tank): requests for seat, tank, requests in one.evidence.requests}
    right = {(seat, tank): requests for seat, tank, requests in other.evidence.requests}
    for seat, tank in sorted(left.keys() | right.keys()):
        first = first_unequal(zip_longest(left.get((seat, tank), ()), right.get((seat, tank), ())))
        if first is not None:
            firsts[seat] = min(first, firsts.get(seat, first))
    return firsts


def _suspects(one: MatchRecord, other: MatchRecord) -> tuple[int, ...]:
    """The seats that acted or failed differently although they were shown the same; the GameManager if there are none."""
    views = unequal_views(one.evidence, other.evidence)
    firsts = _request_firsts(one, other)
    for fault in {_fault_key(fault) for fault in one.outcome.faults} ^ {_fault_key(fault) for fault in other.outcome.faults}:
        when = fault[2] if fault[2] >= 0 else NEVER
        firsts[fault[0]] = min(when, firsts.get(fault[0], when))
    earliest = min(firsts.values(), default=None)

    def was_shown_the_same(seat: int, round_number: int) -> bool:
        return not any(shown_to == seat and number < round_number for number, shown_to, _ in views)

    seats = [seat for seat, first in sorted(firsts.items()) if first == earliest and was_shown_the_same(seat, first)]
    return tuple(seats) or (MANAGER_SEAT,)


def _fault_key(fault: Fault) -> tuple[int, str, int]:
    """What must be the same in two faults. Their messages may contain times and addresses."""
    return fault.seat, fault.termination.value, fault.round


def _result(record: MatchRecord) -> object:
    claim, outcome = record.evidence.claim, record.outcome
    claimed = (claim.winner, claim.reason, claim.rounds, claim.final_state, claim.remaining_tanks, claim.ranks, claim.scores)
    return claimed, claim.message, outcome.winner, outcome.ranks


def _difference(one: MatchRecord, other: MatchRecord, first: int, kinds: tuple[str, ...], number: int) -> Difference:
    boards = (one.evidence.claim.final_state, other.evidence.claim.final_state)
    tokens = plain_tokens(boards)
    left, right = map(record_replay, (one, other))
    if left is not None and right is not None and left.squares and first >= 0:
        boards = (left.rows_after(first), right.rows_after(first))
        tokens = (left.squares_after(first), right.squares_after(first))
    note = f"only these differ: {', '.join(kinds)}" if first < 0 else ""
    return Difference(
        left="run 1",
        right=f"run {number}",
        round=first,
        boards=boards,
        tokens=tokens,
        kinds=kinds,
        actions=_actions(left, right, first),
        note=note,
    )


def _actions(one: Replay | None, other: Replay | None, number: int) -> tuple[tuple[str, str, str], ...]:
    if one is None or other is None or number < 1:
        return ()
    frames = [run.frames[number - 1].actions if number <= len(run.frames) else () for run in (one, other)]
    rows = [(str(place), mine, theirs) for place, (mine, theirs) in enumerate(zip_longest(*frames, fillvalue="not there"), start=1)]
    return tuple(rows if len(rows) <= MOST_ACTIONS else [row for row in rows if row[1] != row[2]][:MOST_ACTIONS])
