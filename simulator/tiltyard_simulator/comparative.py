"""Comparative mode: several GameManagers play the same match; those that agree stand together."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from tiltyard_engine.records import Game
from tiltyard_engine.registry import Reference
from tiltyard_engine.results import GameResult, Termination
from tiltyard_simulator.guard.trust import Holding
from tiltyard_simulator.loading import load
from tiltyard_simulator.playing import Arena
from tiltyard_simulator.running import Finished, run_matches
from tiltyard_simulator.specs import MapSource, MatchOutcome, MatchSpec


@dataclass(frozen=True, slots=True)
class Comparison:
    """What is compared: one map, the same algorithms, many managers."""

    game: Reference
    map: MapSource
    algorithms: tuple[Reference, ...]
    managers: tuple[Reference, ...]
    verbose: bool = False
    holding: Holding = field(default_factory=Holding)
    record: bool = False
    """Whether outcomes hold replays."""

    def spec(self, manager: Reference, **changes: Any) -> MatchSpec:
        """The match under one of the managers. Failed seats idle under all of them, so that they stay comparable.

        Raises:
            UserError: this machine cannot hold the managers or the algorithms as they must be held.
        """
        wanted = {"verbose": self.verbose, "record": self.record, **changes}
        return self.holding.apply(MatchSpec(self.game, manager, self.map, self.algorithms, idle_on_fault=True, **wanted))


@dataclass(frozen=True, slots=True)
class Group:
    """Managers with the same result; a member's outcome stands for all."""

    managers: tuple[Reference, ...]
    outcome: MatchOutcome
    message: str
    round: int
    board: tuple[str, ...]

    @property
    def names(self) -> tuple[str, ...]:
        """Registered names, sorted."""
        return tuple(manager.name for manager in self.managers)

    @property
    def failed(self) -> bool:
        """Whether these managers have no result."""
        return self.outcome.manager_fault is not None


def compare(comparison: Comparison, workers: int, finished: Finished | None = None) -> tuple[list[Group], list[MatchOutcome]]:
    """Groups, larger first, equal sizes by first name; and the outcomes in the order of the managers."""
    comparison.holding.limits.check_teams(reference.name for reference in comparison.algorithms)
    specs = [comparison.spec(manager) for manager in comparison.managers]
    outcomes = run_matches(specs, workers, finished)
    return group(comparison, outcomes), outcomes


def group(comparison: Comparison, outcomes: Sequence[MatchOutcome]) -> list[Group]:
    """Put managers with the same winner, reason, round and final board together; failed ones by how they failed."""
    game = load(comparison.game, Game)
    board = game.read_map(comparison.map.name, comparison.map.data, len(comparison.algorithms))
    members: dict[object, list[tuple[Reference, MatchOutcome]]] = {}
    for manager, outcome in zip(comparison.managers, outcomes, strict=True):
        members.setdefault(_key(outcome), []).append((manager, outcome))
    groups: list[Group] = []
    with Arena() as arena:
        for found in members.values():
            found.sort(key=lambda member: member[0].name)
            references = tuple(reference for reference, _ in found)
            outcome = found[0][1]
            claim = outcome.claim
            message, rounds = claim.message, claim.rounds
            if outcome.manager_fault is not None:
                message = outcome.message
                claim = _last_sound(arena, comparison, references[0], board)
                rounds = claim.rounds
            elif game.describe is not None:
                message = game.describe(board, claim)
            groups.append(Group(references, outcome, " ".join(message.split()), rounds, claim.final_state))
    return sorted(groups, key=lambda group: (-len(group.managers), group.names[0]))


MEASURED: Final = (Termination.TIMEOUT, Termination.STALL, Termination.OUT_OF_MEMORY)
"""Faults whose messages hold numbers that are never the same twice."""


def _key(outcome: MatchOutcome) -> object:
    fault = outcome.manager_fault
    if fault is not None:
        message = re.sub(r"[\d.]+", "", fault.message) if fault.termination in MEASURED else fault.message
        return (fault.termination, message)
    claim = outcome.claim
    return (claim.winner, claim.reason, claim.rounds, claim.final_state)


def _last_sound(arena: Arena, comparison: Comparison, manager: Reference, board: Any) -> GameResult:
    """The claim for the longest beginning of the match that a failing manager gets through; found by halving."""
    game = load(comparison.game, Game)
    best = GameResult(0, "", 0, ())
    if game.truncate is None or game.player_arguments is None:
        return best
    low, high = 0, game.player_arguments(board)[2] + 1
    while low < high:
        middle = (low + high) // 2
        outcome = arena.play(comparison.spec(manager, rounds=middle, verbose=False, record=False))
        fault = outcome.manager_fault
        if fault is None:
            best, low = outcome.claim, middle + 1
        elif fault.termination in (*MEASURED, Termination.VOID):
            return best
        else:
            high = middle
    return best


def comparative_text(header: Sequence[tuple[str, str]], groups: Sequence[Group]) -> str:
    """The results file of assignment 3; ``header`` holds game_map, algorithm1 and algorithm2 as they were given."""
    head = "\n".join(f"{key}={value}" for key, value in header)
    parts = ["\n".join([", ".join(group.names), group.message, str(group.round), *group.board]) for group in groups]
    return "\n\n".join([head, *parts]) + "\n"
