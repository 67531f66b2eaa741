"""The Player: finds what the asking tank could hit from where it stands."""

from __future__ import annotations

from dataclasses import dataclass

from tiltyard_bramble.lines import STEPS, find_self, first_object
from tiltyard_engine import BattleInfo, Player, SatelliteView, TankAlgorithm


@dataclass(frozen=True)
class Target:
    """An enemy that stands in line with a tank, with nothing in between."""

    heading: int
    distance: int


@dataclass(frozen=True)
class Scan(BattleInfo):
    """What the eight lines of fire show."""

    targets: tuple[Target, ...]
    open_headings: tuple[int, ...]
    """Headings in which the next square is empty."""


class BramblePlayer(Player):
    """Scans along the lines of whichever tank asks."""

    def __init__(self, player_index: int, x: int, y: int, max_steps: int, num_shells: int) -> None:
        self.own_digit = str(player_index)
        self.width, self.height = x, y
        self.reach = max(x, y) - 1

    def update_tank_with_battle_info(self, tank: TankAlgorithm, satellite_view: SatelliteView) -> None:
        """Tell the tank its targets and its ways out."""
        rows = satellite_view.get_rows(self.width, self.height)
        x, y = find_self(rows)
        targets: list[Target] = []
        open_headings: list[int] = []
        for heading, (step_x, step_y) in enumerate(STEPS):
            square, distance = first_object(rows, x, y, heading, self.reach)
            if square.isdigit() and square != self.own_digit:
                targets.append(Target(heading, distance))
            if rows[(y + step_y) % self.height][(x + step_x) % self.width] == " ":
                open_headings.append(heading)
        tank.update_battle_info(Scan(tuple(targets), tuple(open_headings)))
