"""The switches by which tank dialects differ, and the dialects that ship.

The reference rules are those of the best-behaved family of course simulators (docs/reference/tanks-rules.md
tells each decision). A dialect changes one switch, so that a difference between two GameManagers can be
pinned to the rule that makes it.
"""

from __future__ import annotations

from enum import StrEnum
from typing import Final

from tiltyard_engine.data_classes import dataclass


class Reason(StrEnum):
    """Why a match of tanks ended; the names are those of the course's GameResult."""

    ALL_TANKS_DEAD = "ALL_TANKS_DEAD"
    MAX_STEPS = "MAX_STEPS"
    ZERO_SHELLS = "ZERO_SHELLS"


class Order(StrEnum):
    """When tanks act, within a round, against the shells in flight."""

    TOGETHER = "together"
    """Shells move half a step; then shells, steps and shots move at the same time."""
    TANKS_FIRST = "tanks first"
    """All tanks act at the same time before any shell moves."""
    ONE_BY_ONE = "one by one"
    """Tanks act in birth order, each seeing what the one before did, before any shell moves."""


class ShellCount(StrEnum):
    """Whose shells keep the game from ending in ZERO_SHELLS."""

    LIVING = "living tanks"
    ALL = "all tanks, dead ones too"
    NEVER = "nobody's: the rule is absent"


@dataclass(frozen=True, slots=True, kw_only=True)
class Rules:
    """One dialect. Rounds count from 1; a shell flies two squares a round."""

    order: Order = Order.TOGETHER
    reload_rounds: int = 5
    """A tank that shot in round t may shoot again in round t + reload_rounds."""
    shell_start: int = 1
    """Squares between a tank and its new shell at the end of the round of the shot: 1, 2 or 3."""
    half_way_meetings: bool = True
    """Movers that swap squares meet half-way; without it they pass through each other."""
    ends_mid_round: bool = False
    """The game stops at once when at most one player has tanks, the rest of the round unplayed."""
    zero_shells_count: ShellCount = ShellCount.LIVING
    zero_shells_rounds: int = 40
    """Rounds still played after the first round at whose end the count is zero."""
    info_at_once: bool = False
    """GetBattleInfo is answered when it is asked, before the next tank is asked (the text of assignment 2)."""


REFERENCE: Final = Rules()

DIALECTS: Final[dict[str, tuple[Rules, str]]] = {
    "reference": (REFERENCE, "the reference rules"),
    "short-cooldown": (Rules(reload_rounds=4), "a tank may shoot every fourth round"),
    "two-ahead": (Rules(shell_start=2), "a new shell ends its first round two squares ahead"),
    "tanks-first": (Rules(order=Order.TANKS_FIRST), "all tanks act before any shell moves"),
    "one-by-one": (Rules(order=Order.ONE_BY_ONE), "tanks act one after the other before any shell moves"),
    "sudden-end": (Rules(ends_mid_round=True), "the game stops in the middle of a round"),
    "no-meetings": (Rules(half_way_meetings=False), "movers that swap squares pass through each other"),
    "zero-shells-39": (Rules(zero_shells_rounds=39), "the 40-round rule counts the round in which shells ran out"),
    "zero-shells-all": (Rules(zero_shells_count=ShellCount.ALL), "dead tanks' shells keep the game going"),
    "no-zero-shells": (Rules(zero_shells_count=ShellCount.NEVER), "no 40-round rule"),
    "info-at-once": (Rules(info_at_once=True), "GetBattleInfo is answered when it is asked"),
}
"""Name to rules and what is different about them."""
