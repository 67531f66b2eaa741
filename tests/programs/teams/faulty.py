"""Teams that break the contract in the third round, each in its own way."""

from __future__ import annotations

import os
from collections.abc import Iterator
from typing import Any, cast

from tiltyard_engine import ActionRequest, BattleInfo, Player, SatelliteView, TankAlgorithm, TankTeam, hookimpl

BAD_ROUND = 3


class QuietPlayer(Player):
    def update_tank_with_battle_info(self, tank: TankAlgorithm, satellite_view: SatelliteView) -> None:
        tank.update_battle_info(BattleInfo())


class Faulty(TankAlgorithm):
    def __init__(self, player_index: int, tank_index: int) -> None:
        self.rounds = 0

    def get_action(self) -> ActionRequest:
        self.rounds += 1
        return self.misbehave() if self.rounds == BAD_ROUND else ActionRequest.DO_NOTHING

    def misbehave(self) -> ActionRequest:
        raise NotImplementedError

    def update_battle_info(self, info: BattleInfo) -> None:
        return


class Crasher(Faulty):
    def misbehave(self) -> ActionRequest:
        raise ValueError("two lines:\nthis is the second")


class Liar(Faulty):
    def misbehave(self) -> ActionRequest:
        return cast(Any, "SHOOT")  # type: ignore[no-any-return]


class Dier(Faulty):
    def misbehave(self) -> ActionRequest:
        os._exit(7)


class Printer(Faulty):
    def misbehave(self) -> ActionRequest:
        print("a team's own words")
        return ActionRequest.DO_NOTHING


@hookimpl
def algorithms() -> Iterator[TankTeam]:
    yield TankTeam("crasher", player=QuietPlayer, tank=Crasher)
    yield TankTeam("liar", player=QuietPlayer, tank=Liar)
    yield TankTeam("dier", player=QuietPlayer, tank=Dier)
    yield TankTeam("printer", player=QuietPlayer, tank=Printer)
