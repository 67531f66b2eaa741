"""Algorithms that play what they are told, and tank teams of chance: opponents for the tests of a game.

All of them are records whose parts can be pickled, so that the same ones play in this process and in others.
"""

from __future__ import annotations

import pickle
import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from tiltyard_engine.errors import UserError
from tiltyard_engine.records import TankTeam, TurnTeam
from tiltyard_engine.tanks import ActionRequest, BattleInfo, Player, SatelliteView, TankAlgorithm
from tiltyard_engine.turns import TurnAlgorithm

WANDERING: Final[list[ActionRequest]] = [
    *ActionRequest,
    ActionRequest.MOVE_FORWARD,
    ActionRequest.SHOOT,
    ActionRequest.GET_BATTLE_INFO,
]


class ScriptEndedError(Exception):
    """A script was asked for more answers than it has."""


@dataclass(frozen=True)
class Script:
    """Makes an algorithm that gives these answers, one a turn, and fails when it is asked for more."""

    pickled: bytes
    """The answers. They are unpickled when a match begins: only then is the game loaded that has their types."""

    def __call__(self, seat: int) -> TurnAlgorithm[Any, Any]:
        return _Scripted(pickle.loads(self.pickled))  # noqa: S301 -- pickled by the test itself


class _Scripted(TurnAlgorithm[Any, Any]):
    def __init__(self, answers: Sequence[Any]) -> None:
        self._answers = answers
        self._next = 0

    def choose(self, position: Any) -> Any:
        if self._next == len(self._answers):
            raise ScriptEndedError(f"the script has {self._next} answers, and was asked for another one")
        self._next += 1
        return self._answers[self._next - 1]


def scripted(*answers: Any, name: str = "scripted") -> TurnTeam:
    """An algorithm for any turn-based game that gives these answers, one a turn. Asked for more, it crashes.

    Raises:
        UserError: an answer cannot be pickled, such as one of a class inside a function.
    """
    return TurnTeam(name, "", Script(_pickled(answers)))


@dataclass(frozen=True)
class TankScript:
    """Makes tanks that play these actions; after them they do nothing."""

    actions: Mapping[int, Sequence[ActionRequest]]

    def __call__(self, seat: int, tank_index: int, /) -> TankAlgorithm:
        return _ScriptedTank(self.actions.get(tank_index, ()))


class _ScriptedTank(TankAlgorithm):
    def __init__(self, actions: Sequence[ActionRequest]) -> None:
        self._actions = iter(actions)

    def get_action(self) -> ActionRequest:
        return next(self._actions, ActionRequest.DO_NOTHING)

    def update_battle_info(self, info: BattleInfo) -> None:
        pass


class ReadingPlayer(Player):
    """Looks at the whole board, and tells its tanks nothing."""

    def __init__(self, player_index: int, x: int, y: int, max_steps: int, num_shells: int) -> None:
        self._size = x, y

    def update_tank_with_battle_info(self, tank: TankAlgorithm, satellite_view: SatelliteView) -> None:
        satellite_view.get_rows(*self._size)
        tank.update_battle_info(BattleInfo())


def scripted_tanks(*actions: Sequence[ActionRequest], name: str = "scripted") -> TankTeam:
    """A tank team whose tank 0 plays the first sequence of actions, tank 1 the second, and so on. Then they do nothing."""
    return TankTeam(name, player=ReadingPlayer, tank=TankScript(dict(enumerate(map(tuple, actions)))), game="")


class WanderingTank(TankAlgorithm):
    """A tank that does what comes to its mind: always the same for the same seat and index."""

    def __init__(self, player_index: int, tank_index: int) -> None:
        self._lots = random.Random(player_index * 1000 + tank_index)

    def get_action(self) -> ActionRequest:
        return self._lots.choice(WANDERING)

    def update_battle_info(self, info: BattleInfo) -> None:
        pass


def wanderer(game: str = "") -> TankTeam:
    """A tank team without any plan, which does all that tanks can."""
    return TankTeam("wanderer", player=ReadingPlayer, tank=WanderingTank, game=game)


def _pickled(value: object) -> bytes:
    try:
        return pickle.dumps(value)
    except Exception as error:
        raise UserError(f"a script cannot be pickled: {error}; its answers need classes at the top of a module") from error
