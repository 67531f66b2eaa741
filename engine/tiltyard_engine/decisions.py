"""What an organiser decides about games that were played, such as after a protest.

A decision never changes what is stored of a match. It is applied where outcomes are read, so it can be taken back.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from enum import StrEnum
from typing import Final, NamedTuple

from tiltyard_engine.data_classes import dataclass
from tiltyard_engine.match_record import Outcome, outcome_values
from tiltyard_engine.results import PairingEnding

ATTEMPT: Final = "-"
"""In the key of a match that is played again: before the number of the decision. A key has no such character itself."""


class DecisionKind(StrEnum):
    """What becomes of games: they are played again, count for nobody, or are won by a team whatever the results were."""

    RERUN = "rerun"
    VOID = "void"
    AWARD = "award"


class DecidedGame(NamedTuple):
    """A match that a decision is about."""

    key: str
    seat: int = 0
    """Which one wins it, from 1; 0: none."""
    pairing: str = ""
    """What the match is but for code and settings. When it is played again with others, the decision holds for it too."""


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
    games: tuple[DecidedGame, ...]
    team: str = ""
    """Who has won by it."""
    taken_back_at: str = ""
    """As ``made_at``; empty: it is in force."""

    def names(self, key: str) -> bool:
        """Whether it was made about the match with this key, and not about one with other code or settings."""
        return any(game.key == key for game in self.games)


@dataclass(frozen=True, slots=True, kw_only=True)
class DecidedOutcome(Outcome):
    """An outcome as it counts by a decision: awarded or void."""

    decision: Decision

    @property
    def ending(self) -> PairingEnding:
        """How it ended by the decision."""
        return PairingEnding.AWARDED if self.winner else PairingEnding.VOID


def rulings_of(decisions: Iterable[Decision]) -> Mapping[str, tuple[Decision, int]]:
    """By the key of a match, and by its pairing: what is in force about its result, and which seat wins.

    That is the last decision. After one that it is to be played again, there is none.
    """
    rulings: dict[str, tuple[Decision, int]] = {}
    for each in decisions:
        for key, seat, pairing in () if each.taken_back_at else each.games:
            for name in filter(None, (key, pairing)):
                rulings[name] = each, seat
                if each.kind is DecisionKind.RERUN:
                    del rulings[name]
    return rulings


def as_decided(outcome: Outcome, decision: Decision, seat: int) -> Outcome:
    """The outcome by a decision. Faults count no more, as if nothing but the decision had ended the match."""
    if isinstance(outcome, DecidedOutcome):
        return outcome
    what = f"Awarded to {outcome.teams[seat - 1]}" if seat else "Void"
    before = "" if decision.names(outcome.key) else ", which was about an earlier version of this game"
    as_played = f" (as played: {outcome.message})" if outcome.message else ""
    message = " ".join(f"{what} by decision {decision.number}{before}: {decision.why}{as_played}".split())
    ranks = tuple([1 if seat in (0, each) else 2 for each in range(1, len(outcome.teams) + 1)])
    values = outcome_values(outcome) | {"winner": seat, "ranks": ranks, "message": message, "no_contest": not seat}
    return DecidedOutcome(**values | {"scores": (), "faults": (), "digest": ""}, decision=decision)


def first_attempt(key: str) -> str:
    """The key that a match had before it was played again."""
    return key.partition(ATTEMPT)[0]


def attempts(decisions: Iterable[Decision]) -> Mapping[str, str]:
    """By the key of each match that is to be played again: the key under which that is stored."""
    chain = {
        key: f"{first_attempt(key)}{ATTEMPT}{each.number}"
        for each in decisions
        if not each.taken_back_at and each.kind is DecisionKind.RERUN
        for key, *_ in each.games
    }
    latest: dict[str, str] = {}
    for first in chain:
        latest[first] = chain[first]
        while latest[first] in chain:
            latest[first] = chain[latest[first]]
    return latest
