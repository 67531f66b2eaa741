"""Stores that somebody edited: a row tells most things more than once, so an edit contradicts what stands beside it.

A row has columns for people and other programs, the match that was to be played (``SpecForm``), and what came of it
(``StoredResult``). Replays are not read for this: ``tiltyard verify`` plays matches again and compares those too.
"""

from __future__ import annotations

from collections.abc import Sequence

from tiltyard_engine.results import MANAGER_SEAT, claim_problem
from tiltyard_simulator.match.spec import MatchInput
from tiltyard_simulator.match.verdict import verdict
from tiltyard_simulator.output.spec_form import SpecForm
from tiltyard_tournaments.store.row_form import COLUMNS, StoredResult, StoredSpec, columns_of


def contradiction(key: str, columns: tuple[object, ...], spec: SpecForm | StoredSpec, result: StoredResult) -> str:
    """What contradicts what in a row with these values of ``COLUMNS``, in one sentence; empty if nothing does."""
    expected = columns_of(spec, result.held, result.faults)
    if columns != expected:
        name, stored, expected_value = next(each for each in zip(COLUMNS, columns, expected, strict=True) if each[1] != each[2])
        return f"its column '{name}' says {stored!r}, but its match and result say {expected_value!r}"
    return _labels(key, spec, result) or _result(spec, result)


def _labels(key: str, spec: SpecForm | StoredSpec, result: StoredResult) -> str:
    """Where the result is called otherwise than the spec. What was stored without a key has no labels."""
    for where, other in (("match", spec.key), ("result", result.key)):
        if other and other != key:
            return f"its {where} has the key {other}"
    labels = (result.teams, result.map, result.manager, result.seed)
    expected_labels = (spec.names, spec.map.name, spec.manager.label, spec.seed)
    if not result.key or labels == expected_labels:
        return ""
    pairs = zip(("teams", "map", "GameManager", "seed"), labels, expected_labels, strict=True)
    what, ours, theirs = next(each for each in pairs if each[1] != each[2])
    return f"its result is of the {what} {_text(ours)}, but its match has {_text(theirs)}"


def _result(spec: SpecForm | StoredSpec, result: StoredResult) -> str:
    """What of the result does not follow from the claim and the faults."""
    seats = len(spec.teams)
    if result.is_void:
        return "it was spoilt by the machine, but is stored as played"
    if result.forfeited:
        return "it counts as a forfeit, but is stored as played"
    if len(result.accounts) not in (0, seats):
        return f"it has {len(result.accounts)} seats' accounts, but {seats} seats"
    blamed = {fault.seat for fault in result.faults}
    if outside := [seat for seat in sorted(blamed) if not MANAGER_SEAT <= seat <= seats]:
        return f"it has a fault of player {outside[0]}, but {seats} players"
    if problem := claim_problem(result.claim, seats):
        return f"the GameManager's claim: {problem}"
    missing = [fault.seat for fault in result.claim.faults if 0 < fault.seat <= seats and fault.seat not in blamed]
    if missing:
        return f"the GameManager's claim has a fault of player {missing[0]}, but the result has none"
    expected = verdict(result.claim, result.faults, seats, spec.on_crash)
    stored = result.winner, result.ranks, result.no_contest
    if stored != expected:
        return f"its result says {_verdict(*stored)}, but the GameManager's claim and the faults give {_verdict(*expected)}"
    return ""


def of_another_match(spec: StoredSpec, match: MatchInput) -> str:
    """What differs where another match than the wanted one is stored under its key; names in tables may differ."""
    pairs = (
        ("game", spec.game.name, match.game.name),
        ("GameManager", spec.manager.name, match.manager.name),
        ("map", spec.map.name, match.map.name),
        ("teams", tuple(team.name for team in spec.teams), tuple(team.name for team in match.teams)),
        ("seed", spec.seed, match.seed),
        ("on-crash", spec.on_crash, match.on_crash),
    )
    for what, stored, needed in pairs:
        if stored != needed:
            return f"its key is that of the {what} {_text(needed)}, but it has {_text(stored)}"
    return ""


def _verdict(winner: int, ranks: Sequence[int], no_contest: bool) -> str:
    who = "no result" if no_contest else f"player {winner} won" if winner else "no winner"
    return f"{who} (ranks {', '.join(map(str, ranks))})"


def _text(value: object) -> str:
    return " - ".join(map(str, value)) if isinstance(value, tuple) else str(value)
