"""The Player: copies the board for the tank that asked."""

from __future__ import annotations

from collections.abc import Sequence

from tiltyard_engine import BattleInfo, Player, SatelliteView, TankAlgorithm


class BoardInfo(BattleInfo):
    """The whole board, a string a row, the asking tank shown as ``%``."""

    def __init__(self, rows: Sequence[str]) -> None:
        self.rows = rows


class AcornPlayer(Player):
    """Knows no more than the size of the board."""

    def __init__(self, player_index: int, x: int, y: int, max_steps: int, num_shells: int) -> None:
        self.width, self.height = x, y

    def update_tank_with_battle_info(self, tank: TankAlgorithm, satellite_view: SatelliteView) -> None:
        """Copy the view, which expires after this call, and pass it on."""
        tank.update_battle_info(BoardInfo(satellite_view.get_rows(self.width, self.height)))
