"""GameManagers as strangers write them: readings of the rules, some of which record nothing, and one that fails late."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from tiltyard_engine import GameManager, GameResult, Manager, Match, NullRecorder, hookimpl
from tiltyard_tanks.manager import TanksGameManager
from tiltyard_tanks.rules import Order, Rules

LAST_GOOD_ROUND = 10


def at_once() -> TanksGameManager:
    """Tanks and shells move at once."""
    return TanksGameManager(Rules())


def tanks_first() -> TanksGameManager:
    """Tanks move before shells do."""
    return TanksGameManager(Rules(order=Order.TANKS_FIRST))


def two_ahead() -> TanksGameManager:
    """Shells start two squares ahead."""
    return TanksGameManager(Rules(shell_start=2))


class Silent(GameManager[Any, Any]):
    """Plays as another, and neither records nor writes an output file: what it did has to be traced."""

    inner = staticmethod(at_once)

    def run(self, match: Match[Any, Any]) -> GameResult:
        return self.inner().run(replace(match, recorder=NullRecorder(), verbose=False))


class SilentTanksFirst(Silent):
    inner = staticmethod(tanks_first)


class Failing(GameManager[Any, Any]):
    """Plays a match of up to ten rounds."""

    def run(self, match: Match[Any, Any]) -> GameResult:
        result = at_once().run(match)
        if result.rounds > LAST_GOOD_ROUND:
            raise IndexError("no room for another round")
        return result


@hookimpl
def game_managers() -> Iterator[Manager]:
    """All of them."""
    yield Manager(name="at-once", game="tanks", create=at_once, on_fault="raise")
    yield Manager(name="tanks-move-first", game="tanks", create=tanks_first, on_fault="raise")
    yield Manager(name="two-squares", game="tanks", create=two_ahead, on_fault="raise")
    yield Manager(name="silent", game="tanks", create=Silent, on_fault="raise")
    yield Manager(name="silent-tanks-first", game="tanks", create=SilentTanksFirst, on_fault="raise")
    yield Manager(name="failing", game="tanks", create=Failing, on_fault="raise")
