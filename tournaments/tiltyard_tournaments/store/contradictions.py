"""Stores that somebody edited: a row tells most things more than once, so an edit contradicts what stands beside it.

A row has columns for people and other programs, the match that was to be played (``MatchSpec``), and what came of it
(``MatchRecord``). Replays are not read for this: ``tiltyard verify`` plays matches again and compares those too.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Final

import msgspec

from tiltyard_engine.claims import claim_problem
from tiltyard_engine.match_record import MatchRecord
from tiltyard_engine.results import MANAGER_SEAT
from tiltyard_simulator.match.on_crash import OnCrash
from tiltyard_simulator.match.spec import MatchSpec
from tiltyard_simulator.match.verdict import verdict


class Named(msgspec.Struct, frozen=True):
    """Of a ``Reference`` or a ``MapSource`` what it is called."""

    name: str
    shown: str = ""

    @property
    def label(self) -> str:
        """What tables show."""
        return self.shown or self.name


class SpecNames(msgspec.Struct, frozen=True):
    """The part of a ``MatchSpec`` that is compared: to read all of it, map and limits included, takes several times as long."""

    game: Named
    manager: Named
    map: Named
    algorithms: tuple[Named, ...]
    seed: int = 0
    on_crash: OnCrash = OnCrash.FORFEIT
    key: str = ""

    @property
    def names(self) -> tuple[str, ...]:
        """As a ``MatchSpec`` has them."""
        return tuple(team.label for team in self.algorithms)


COLUMNS: Final = ("game", "manager", "map", "teams", "seed", "held", "faults")
"""The columns of a row that repeat what its match and its result say, beside the key."""


def columns_of(spec: MatchSpec | SpecNames, record: MatchRecord) -> tuple[str, str, str, str, int, str, int]:
    """The values of ``COLUMNS`` for a match; ``teams`` is JSON, ``faults`` counts those of seats."""
    faults = sum(1 for fault in record.faults if fault.seat)
    names = spec.game.name, spec.manager.name, spec.map.name, json.dumps(spec.names)
    return *names, spec.seed, "; ".join([account.held for account in record.accounts]), faults


def contradiction(key: str, columns: tuple[object, ...], spec: MatchSpec | SpecNames, record: MatchRecord) -> str:
    """What contradicts what in a row with these values of ``COLUMNS``, in one sentence; empty if nothing does."""
    made = columns_of(spec, record)
    if columns != made:
        name, stored, said = next(each for each in zip(COLUMNS, columns, made, strict=True) if each[1] != each[2])
        return f"its column '{name}' says {stored!r}, but its match and result say {said!r}"
    return _labels(key, spec, record) or _result(spec, record)


def _labels(key: str, spec: MatchSpec | SpecNames, record: MatchRecord) -> str:
    """Where the record is called otherwise than the spec. What was stored without a key has no labels."""
    for where, other in (("match", spec.key), ("result", record.key)):
        if other and other != key:
            return f"its {where} has the key {other}"
    told = (record.teams, record.map, record.manager, record.seed)
    wanted = (spec.names, spec.map.name, spec.manager.label, spec.seed)
    if not record.key or told == wanted:
        return ""
    pairs = zip(("teams", "map", "GameManager", "seed"), told, wanted, strict=True)
    what, ours, theirs = next(each for each in pairs if each[1] != each[2])
    return f"its result is of the {what} {_text(ours)}, but its match has {_text(theirs)}"


def _result(spec: MatchSpec | SpecNames, record: MatchRecord) -> str:
    """What of the result does not follow from the claim and the faults."""
    seats = len(spec.algorithms)
    if record.is_void:
        return "it was spoilt by the machine, but is stored as played"
    if record.forfeited:
        return "it counts as a forfeit, but is stored as played"
    if len(record.accounts) not in (0, seats):
        return f"it has {len(record.accounts)} seats' accounts, but {seats} seats"
    blamed = {fault.seat for fault in record.faults}
    if outside := [seat for seat in sorted(blamed) if not MANAGER_SEAT <= seat <= seats]:
        return f"it has a fault of player {outside[0]}, but {seats} players"
    if problem := claim_problem(record.claim, seats):
        return f"the GameManager's claim: {problem}"
    missing = [fault.seat for fault in record.claim.faults if 0 < fault.seat <= seats and fault.seat not in blamed]
    if missing:
        return f"the GameManager's claim has a fault of player {missing[0]}, but the result has none"
    found = verdict(record.claim, record.faults, seats, spec.on_crash)
    stored = record.winner, record.ranks, record.no_contest
    if stored != found:
        return f"its result says {_verdict(*stored)}, but the GameManager's claim and the faults give {_verdict(*found)}"
    return ""


def of_another_match(spec: SpecNames, wanted: MatchSpec) -> str:
    """What differs where another match than the wanted one is stored under its key; names in tables may differ."""
    pairs = (
        ("game", spec.game.name, wanted.game.name),
        ("GameManager", spec.manager.name, wanted.manager.name),
        ("map", spec.map.name, wanted.map.name),
        ("teams", tuple(team.name for team in spec.algorithms), tuple(team.name for team in wanted.algorithms)),
        ("seed", spec.seed, wanted.seed),
        ("on-crash", spec.on_crash, wanted.on_crash),
    )
    found = next(((what, stored, needed) for what, stored, needed in pairs if stored != needed), None)
    return "" if found is None else f"its key is that of the {found[0]} {_text(found[2])}, but it has {_text(found[1])}"


def _verdict(winner: int, ranks: Sequence[int], no_contest: bool) -> str:
    who = "no result" if no_contest else f"player {winner} won" if winner else "no winner"
    return f"{who} (ranks {', '.join(map(str, ranks))})"


def _text(value: object) -> str:
    return " - ".join(map(str, value)) if isinstance(value, tuple) else str(value)
