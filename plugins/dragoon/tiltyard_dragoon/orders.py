"""What Player and tank say to each other when the tank asks: a report one way, orders the other."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from tiltyard_engine import ActionRequest, BattleInfo


@dataclass(frozen=True)
class Report:
    """What a tank says about itself when it asks: its number, the round, and how it stands."""

    index: int
    """Its number within the team, from 0."""
    round: int
    """The round in which it asked."""
    heading: int
    shots: int
    """Shells fired so far."""
    ready: int
    """The first round in which it may shoot."""


class Briefing(BattleInfo):
    """The tank reports through it and gets its orders back; both stay within the one call."""

    def __init__(self, answer: Callable[[Report], list[ActionRequest]]) -> None:
        self._answer = answer

    def orders(self, report: Report) -> list[ActionRequest]:
        """The actions for the coming rounds; none means: ask again."""
        return self._answer(report)
