"""Teams that do something else than they would in one of their turns."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Any

from tiltyard_engine.records import TankTeam, TurnTeam
from tiltyard_engine.tanks import ActionRequest, TankAlgorithm
from tiltyard_engine.turns import TurnAlgorithm
from tiltyard_kit.game_check.bench.parts import Team


@dataclass
class _Meddling(TurnAlgorithm[Any, Any]):
    """Answers as another algorithm does, but for one turn."""

    inner: TurnAlgorithm[Any, Any]
    turn: int
    """From 0; -1: already at the start."""
    act: Callable[[], Any]
    questions: int = field(default=0, init=False)

    @property
    def rules(self) -> Any:
        """The other algorithm's: it is the one that uses them."""
        return self.inner.rules

    @rules.setter
    def rules(self, rules: Any) -> None:
        self.inner.rules = rules

    def start(self, position: Any) -> None:
        if self.turn < 0:
            self.act()
        self.inner.start(position)

    def choose(self, position: Any) -> Any:
        own = self.inner.choose(position)
        self.questions += 1
        return self.act() if self.questions == self.turn + 1 else own


@dataclass
class _MeddlingTank(TankAlgorithm):
    inner: TankAlgorithm
    turn: int
    act: Callable[[], Any]
    questions: int = field(default=0, init=False)

    def get_action(self) -> ActionRequest:
        own = self.inner.get_action()
        self.questions += 1
        return self.act() if self.questions == self.turn + 1 else own

    def update_battle_info(self, info: Any) -> None:
        self.inner.update_battle_info(info)


def meddling(team: Team, turn: int, act: Callable[[], Any]) -> Team:
    """The team, but for one turn of it, in which ``act`` is called and its value is the answer.

    Args:
        team: whom to copy.
        turn: from 0; -1: at the start, where the value counts for nothing.
        act: may raise, too.
    """
    if isinstance(team, TurnTeam):
        create = team.create
        return replace(team, create=lambda seat: _Meddling(create(seat), turn, act))

    def tank(player_index: int, tank_index: int, /) -> TankAlgorithm:
        assert isinstance(team, TankTeam)
        if turn < 0:
            act()
        inner = team.tank(player_index, tank_index)
        return _MeddlingTank(inner, turn, act) if tank_index == 0 else inner

    return replace(team, tank=tank)
