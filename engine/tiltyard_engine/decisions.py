"""What an organiser decides about games that were played, such as after a protest.

A decision never changes what is stored of a match. It is applied where outcomes are read, so it can be taken back.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Final, TypeAlias

from tiltyard_engine.match_record import Outcome, outcome_values
from tiltyard_engine.results import PairingEnding

ATTEMPT: Final = "-"
"""In the key of a match that is played again: before the number of the decision. A key has no such character itself."""


class DecisionKind(StrEnum):
    """What becomes of the games."""

    RERUN = "rerun"
    """They are played again. What was played first stays in the store."""
    VOID = "void"
    """They count for nobody."""
    AWARD = "award"
    """A team has won them, whatever came of them."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Decision:
    """A decision with its reason and its time."""

    number: int
    """From 1, in the order in which they were made."""
    kind: DecisionKind
    about: str
    """Which games, in words, such as ``game 17: ann - bob on m1``."""
    why: str
    made_at: str
    """ISO 8601, UTC."""
    games: tuple[tuple[str, int], ...]
    """The key of each match, and the seat that wins it, from 1; 0: none."""
    team: str = ""
    """Who has won by it."""
    taken_back_at: str = ""
    """As ``made_at``; empty: it is in force."""


Rulings: TypeAlias = Mapping[str, tuple[Decision, int]]
"""By the key of a match: what was decided about its result, and which seat wins."""


@dataclass(frozen=True, slots=True, kw_only=True)
class DecidedOutcome(Outcome):
    """An outcome as it counts by a decision."""

    decision: Decision

    @property
    def ending(self) -> PairingEnding:
        """Awarded or void."""
        return PairingEnding.AWARDED if self.winner else PairingEnding.VOID


def rulings_of(decisions: Iterable[Decision]) -> Rulings:
    """What is in force about results; a later decision about a match stands in place of an earlier one."""
    return {
        key: (each, seat)
        for each in decisions
        if not each.taken_back_at and each.kind is not DecisionKind.RERUN
        for key, seat in each.games
    }


def as_decided(outcome: Outcome, decision: Decision, seat: int) -> Outcome:
    """The outcome by a decision. Faults count no more, as if nothing but the decision had ended the match."""
    if isinstance(outcome, DecidedOutcome):
        return outcome
    what = f"Awarded to {outcome.teams[seat - 1]}" if seat else "Void"
    as_played = f" (as played: {outcome.message})" if outcome.message else ""
    changed = replace(
        outcome,
        winner=seat,
        ranks=tuple([1 if seat in (0, each) else 2 for each in range(1, len(outcome.teams) + 1)]),
        scores=(),
        message=" ".join(f"{what} by decision {decision.number}: {decision.why}{as_played}".split()),
        faults=(),
        no_contest=not seat,
        digest="",
    )
    return DecidedOutcome(**outcome_values(changed), decision=decision)


def first_attempt(key: str) -> str:
    """The key that a match had before it was played again."""
    return key.partition(ATTEMPT)[0]


def decision_about(outcome: Outcome) -> int:
    """The number of the decision by which a match counts as it does, or was played again; 0: there is none."""
    if isinstance(outcome, DecidedOutcome):
        return outcome.decision.number
    again = re.fullmatch(rf"[0-9a-f]{{16,}}{ATTEMPT}([0-9]+)", outcome.key)
    return int(again[1]) if again else 0


def attempts(decisions: Iterable[Decision]) -> Mapping[str, str]:
    """By the key of each match that is to be played again: the key under which that is stored."""
    chain = {
        key: f"{first_attempt(key)}{ATTEMPT}{each.number}"
        for each in decisions
        if not each.taken_back_at and each.kind is DecisionKind.RERUN
        for key, _ in each.games
    }
    latest: dict[str, str] = {}
    for first in chain:
        key = first
        while key in chain:
            key = chain[key]
        latest[first] = key
    return latest
