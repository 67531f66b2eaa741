"""Games of chance: what another answer comes to where the dice fall otherwise after it.

A referee of a game by its rules takes all chance from one generator, which it hands to ``Rules.start`` first. There it is noted, so
that it can be given another seed at a turn: all before it stays as it was.
"""

from __future__ import annotations

import math
from copy import copy
from dataclasses import dataclass, replace
from functools import partial
from random import Random
from typing import Any, Final

from tiltyard_engine.errors import UserError
from tiltyard_engine.records import Manager
from tiltyard_engine.registry.loading import give_records, take_back
from tiltyard_engine.results import MANAGER_SEAT
from tiltyard_engine.rules import Rules
from tiltyard_engine.rules.referee import RulesGameManager
from tiltyard_simulator.match.isolation import Isolation
from tiltyard_simulator.match.spec import MatchSpec

CONFIDENCE: Final = 1.96
"""Standard deviations of an interval that holds in 95 of 100 cases."""


@dataclass(frozen=True, slots=True)
class Frequency:
    """How often a team won."""

    wins: int
    games: int

    @property
    def interval(self) -> tuple[float, float]:
        """The interval of Wilson (1927) for the share of victories, with 95 % confidence."""
        share, square = self.wins / self.games, CONFIDENCE**2
        middle = (share + square / (2 * self.games)) / (1 + square / self.games)
        half = CONFIDENCE * math.sqrt(share * (1 - share) / self.games + square / (4 * self.games**2)) / (1 + square / self.games)
        return max(0.0, middle - half), min(1.0, middle + half)

    def __str__(self) -> str:
        low, high = self.interval
        return f"won {self.wins} of {self.games} ({low:.0%} to {high:.0%})"


class ChanceTap:
    """Makes a match whose referee tells of its chance; close it when the match is not played any more.

    Raises:
        UserError: the referee has a chance of its own, or isn't in this process.
    """

    def __init__(self, spec: MatchSpec) -> None:
        record = spec.input.manager.load_as(Manager)
        create: Any = record.create
        is_own = isinstance(create, partial) and create.func is RulesGameManager
        if not is_own or spec.isolation_of(MANAGER_SEAT) is not Isolation.INLINE:
            why = "runs in a process of its own" if is_own else "has a chance of its own"
            raise UserError(
                f"--seeds: the GameManager {record.name} {why}, which can't be changed in the middle of a match: only games that"
                " are nothing but their rules, and that are trusted, can be played on with another chance"
            )
        self._chances: list[Random] = []
        self._first_state: Any = None
        tapped = replace(record, create=partial(RulesGameManager, self._tapped(create.args[0])))
        self._source = give_records(record.name, [("game_managers", tapped)])
        manager = replace(spec.input.manager, source=self._source)
        self.spec = replace(spec, input=replace(spec.input, manager=manager))

    def close(self) -> None:
        """Forget the referee: no match can be played with it any more."""
        take_back([self._source])

    def reseed(self, seed: int) -> None:
        """Let chance take another course from now on."""
        self._chances[-1].seed(seed)

    @property
    def was_used(self) -> bool:
        """Whether anything was left to chance in the last match after its start."""
        return bool(self._chances) and self._chances[-1].getstate() != self._first_state

    def _tapped(self, rules: Rules[Any, Any]) -> Rules[Any, Any]:
        tap, chances = self, self._chances

        def start(self: Any, board: Any, seats: int, chance: Random) -> Any:
            chances.append(chance)
            position = kind.start(self, board, seats, chance)
            tap._first_state = chance.getstate()
            return position

        kind = type(rules)
        tapped = copy(rules)
        tapped.__class__ = type(kind.__name__, (kind,), {"start": start})
        return tapped
