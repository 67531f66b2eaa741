"""Two dialects by strangers who show or write something else, but decide nothing else."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from functools import partial
from typing import Any

from tiltyard_engine import (
    GameManager,
    GameResult,
    Manager,
    Match,
    NullRecorder,
    Player,
    SatelliteView,
    TankAlgorithm,
    TankSeat,
    hookimpl,
)
from tiltyard_tanks.manager import TanksGameManager
from tiltyard_tanks.maps import TankMap
from tiltyard_tanks.rules import DIALECTS, Rules


class Hidden(SatelliteView):
    def __init__(self, view: SatelliteView) -> None:
        self.view = view

    def get_object_at(self, x: int, y: int) -> str:
        return self.view.get_object_at(x, y).replace("@", " ")


class HidingPlayer(Player):
    def __init__(self, player: Player) -> None:
        self.player = player

    def update_tank_with_battle_info(self, tank: TankAlgorithm, satellite_view: SatelliteView) -> None:
        self.player.update_tank_with_battle_info(tank, Hidden(satellite_view))


class MutePlayer(Player):
    def __init__(self) -> None:
        """It stands in front of one that was told everything."""

    def update_tank_with_battle_info(self, tank: TankAlgorithm, satellite_view: SatelliteView) -> None:
        pass


class OtherSeat:
    """A seat with another Player in front of its own."""

    def __init__(self, seat: TankSeat, player: Player) -> None:
        self.seat = seat
        self.player = player

    def __getattr__(self, name: str) -> Any:
        return getattr(self.seat, name)


class Ruled(GameManager[TankMap, TankSeat]):
    def __init__(self, rules: Rules) -> None:
        self.inner = TanksGameManager(rules)


class Hiding(Ruled):
    """Shows no mines to its players."""

    def run(self, match: Match[TankMap, TankSeat]) -> GameResult:
        seats = [OtherSeat(seat, HidingPlayer(seat.player)) for seat in match.seats]
        return self.inner.run(replace(match, seats=seats))  # type: ignore[arg-type]


class Mute(Ruled):
    """Shows nothing to its players."""

    def run(self, match: Match[TankMap, TankSeat]) -> GameResult:
        seats = [OtherSeat(seat, MutePlayer()) for seat in match.seats]
        return self.inner.run(replace(match, seats=seats))  # type: ignore[arg-type]


class Spelling(Ruled):
    """Writes its log in other words."""

    def run(self, match: Match[TankMap, TankSeat]) -> GameResult:
        result = self.inner.run(match)
        return replace(result, log=result.log.replace("GetBattleInfo", "Get Battle Info").replace("(ignored)", "( Ignored)"))


class Blind(Ruled):
    """Keeps its boards to itself."""

    def run(self, match: Match[TankMap, TankSeat]) -> GameResult:
        return replace(self.inner.run(replace(match, recorder=NullRecorder(), verbose=False)), final_state=())


class Wrong(Ruled):
    """Reports another reason and other tanks."""

    def run(self, match: Match[TankMap, TankSeat]) -> GameResult:
        return replace(self.inner.run(match), reason="OTHER", remaining_tanks=(7, 7))


@hookimpl
def game_managers() -> Iterator[Manager]:
    for name in ("reference", "two-ahead"):
        rules = DIALECTS[name][0]
        for word, kind in (("blind", Blind), ("hiding", Hiding), ("mute", Mute), ("spelling", Spelling), ("wrong", Wrong)):
            yield Manager(name=f"{word}-{name}", game="tanks", create=partial(kind, rules))
