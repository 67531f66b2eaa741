"""An algorithm's file as an ordinary team: its Player and its tanks, each a thin cover of the C++ object."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import Final

from tiltyard_engine.records import TankTeam
from tiltyard_engine.tanks import ActionRequest, BattleInfo, Player, SatelliteView, TankAlgorithm
from tiltyard_tanks_native.library import FAILED, library, open_file

_ACTIONS: Final = tuple(ActionRequest)


class NativeTank(TankAlgorithm):
    """A tank whose brain is a C++ object."""

    def __init__(self, path: Path, player_index: int, tank_index: int) -> None:
        self._library = library()
        self._act = self._library.act
        self.address: int = self._library.tank(open_file(path), player_index, tank_index) or self._library.fail()

    def get_action(self) -> ActionRequest:
        """What ``getAction`` returned. A number that is not an action is returned as it is, for the seat to reject."""
        number: int = self._act(self.address)
        if 0 <= number < len(_ACTIONS):
            return _ACTIONS[number]
        if number == FAILED:
            self._library.fail()
        return number  # type: ignore[return-value]

    def update_battle_info(self, info: BattleInfo) -> None:
        """What a GameManager that speaks to the tank itself gets through: a BattleInfo with nothing in it."""
        if self._library.inform(self.address) == FAILED:
            self._library.fail()


class NativePlayer(Player):
    """A Player that is a C++ object. It and its tanks meet in C++; no BattleInfo is seen here."""

    def __init__(  # noqa: PLR0917 -- the contract gives a Player these
        self, path: Path, player_index: int, x: int, y: int, max_steps: int, num_shells: int
    ) -> None:
        self._library = library()
        self._size = x, y
        self._address: int = (
            self._library.player(open_file(path), player_index, x, y, max_steps, num_shells) or self._library.fail()
        )

    def update_tank_with_battle_info(self, tank: TankAlgorithm, satellite_view: SatelliteView) -> None:
        """Copy the view for the C++ Player and let it speak to the tank's C++ object."""
        assert isinstance(tank, NativeTank)
        rows = "".join(satellite_view.get_rows(*self._size)).encode("latin-1", "replace")
        if self._library.brief(self._address, tank.address, rows, *self._size) == FAILED:
            self._library.fail()


def team_of(path: Path, name: str, description: str = "") -> TankTeam:
    """The record of an algorithm's file, which is loaded when the first Player or tank is made."""
    return TankTeam(name, partial(NativePlayer, path), partial(NativeTank, path), description=description)
