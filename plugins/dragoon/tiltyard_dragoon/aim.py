"""What a shot is worth: the chance that it meets an enemy, less what it costs and whom else it may hit."""

from __future__ import annotations

from tiltyard_dragoon.forecast import HORIZON, Forecast
from tiltyard_dragoon.torus import WALL, Torus

REACH = 14
FRIEND_LOOKOUT = 40
"""How far down the line an own tank that stands still is looked for."""
ANSWER_STEP = 0.1
"""By how much each step of distance beyond two makes it likelier that the enemy shoots the shell down."""
ANSWER_MOST = 0.6
KILL = 100.0
FRIEND_LOSS = 160.0


class Aim:
    """Values of shots, remembered by square, heading and round."""

    def __init__(self, forecast: Forecast, shell_cost: float) -> None:
        self.forecast = forecast
        self.torus: Torus = forecast.torus
        self.ground = forecast.world.ground
        self.shell_cost = shell_cost
        self.spots = self._spots()
        """``square * 8 + heading`` of places from which an enemy may be hit."""
        self._worths: dict[tuple[int, int], tuple[float, float]] = {}

    def _spots(self) -> dict[int, bool]:
        """Look backwards from every square where an enemy is likely to be."""
        likely: dict[int, bool] = {}
        for present in self.forecast.presence[1:]:
            for square, chance in present.items():
                if chance >= 0.12:
                    likely[square] = True
        spots: dict[int, bool] = {}
        ground = self.ground
        for target in likely:
            for heading in range(8):
                table = self.torus.ahead[heading ^ 4]
                square = target
                for _ in range(REACH):
                    square = table[square]
                    if ground[square] == WALL:
                        break
                    spots[square * 8 + heading] = True
        return spots

    def shot(self, square: int, heading: int, n: int) -> tuple[float, float]:
        """The worth of shooting in round ``n``, and the chance of a kill."""
        key = (square * 8 + heading, n)
        worth = self._worths.get(key)
        if worth is None:
            worth = self._worths[key] = self._weigh(square, heading, n)
        return worth

    def _weigh(self, start: int, heading: int, n: int) -> tuple[float, float]:
        forecast = self.forecast
        table = self.torus.ahead[heading]
        square = start
        open_way = 1.0
        worth = 0.0
        chance = 0.0
        for distance in range(1, FRIEND_LOOKOUT):
            square = table[square]
            if self.ground[square] == WALL:
                break
            when = min(HORIZON, n + (distance - 1) // 2)
            if square == start or square in forecast.friends[when] or square in forecast.friends[min(HORIZON, when + 1)]:
                worth -= FRIEND_LOSS * open_way * (1.0 if distance <= REACH else 0.4)
                break
            if distance <= REACH:
                present = forecast.presence[when].get(square, 0.0)
                if present > 0.0:
                    hit = open_way * min(1.0, present)
                    answer = forecast.answering.get(square, 0.0) * min(ANSWER_MOST, max(0.0, ANSWER_STEP * (distance - 2)))
                    worth += KILL * hit * (1 - answer) * forecast.worth[when].get(square, 1.0)
                    chance += hit
                    open_way -= hit
                    if open_way < 0.02:
                        break
        return worth - self.shell_cost, chance
