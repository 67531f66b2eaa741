"""The search: the best way to spend the next rounds, over square, heading and whether the gun was fired.

Round by round a bounded number of the best states is kept, so that the work never exceeds
``ROUNDS * WIDTH`` states whatever the board.
"""

from __future__ import annotations

from dataclasses import dataclass
from heapq import nlargest
from operator import itemgetter

from tiltyard_dragoon.aim import KILL, Aim
from tiltyard_dragoon.forecast import Forecast
from tiltyard_dragoon.routes import FAR, Routes
from tiltyard_dragoon.torus import WALL
from tiltyard_dragoon.world import Unit
from tiltyard_engine import ActionRequest

ROUNDS = 8
WIDTH = 90
"""States kept a round."""
FIRST_ROUND = 2
"""The first round to plan for, counted from the view: the round of asking lies between."""

TURN_COST = 0.05
STEP_COST = 0.02
DELAY = 4.0
"""What a shot at an enemy that stays loses with every round: without it a plan would put it off to its own end for ever."""
COVERED = 0.25
"""Factor on the risk of guns once the own shell flies: what they shoot along the same line meets it."""
MEETING = 0.8
"""How much of an enemy's expected presence on the own square counts as a collision."""


@dataclass(frozen=True, kw_only=True)
class Mood:
    """How the balance between danger and haste is struck."""

    loss: float
    """What losing the tank costs, where an enemy's loss is worth 100."""
    caution: float
    """Factor on the risk of guns that have not fired yet."""
    progress: float
    """What a step nearer to a firing position is worth."""
    haste: float
    """What being away from a firing position costs a round, for each unit of distance; negative: better to wait first."""
    may_ram: bool
    """Whether to drive into an enemy: one for one pays."""
    wall_cost: int
    break_walls: bool


Entry = tuple[float, int, int]
"""Score, state and number of the link that led to it."""


class Planner:
    """Plans for one tank at one moment."""

    def __init__(self, forecast: Forecast, aim: Aim, routes: Routes, mood: Mood) -> None:
        self.forecast = forecast
        self.aim = aim
        self.routes = routes
        self.mood = mood
        self.ground = forecast.world.ground
        self.ahead = forecast.torus.ahead
        self.links: list[tuple[int, ActionRequest]] = []
        self._following: dict[int, tuple[float, int, ActionRequest]] = {}
        self._costs: dict[int, float] = {}

    def plan(self, unit: Unit) -> list[ActionRequest]:
        """The best actions for the coming rounds."""
        area8 = self.forecast.torus.area * 8
        now = self.forecast.world.now
        layer: list[Entry] = [(0.0, unit.square * 8 + unit.heading, -1)]
        for n in range(FIRST_ROUND, FIRST_ROUND + ROUNDS):
            self._following = {}
            may_shoot = unit.ammo > 0 and now + n >= unit.ready
            for entry in layer:
                self._expand(entry, n, area8, may_shoot)
            candidates = [(score, state, link, action) for state, (score, link, action) in self._following.items()]
            if len(candidates) > WIDTH:
                candidates = nlargest(WIDTH, candidates, key=itemgetter(0, 1))
            layer = []
            for score, state, link, action in candidates:
                self.links.append((link, action))
                layer.append((score, state, len(self.links) - 1))
        actions: list[ActionRequest] = []
        _, _, link = max(layer)
        while link >= 0:
            link, action = self.links[link]
            actions.append(action)
        actions.reverse()
        return actions

    def _distance_cost(self, square: int) -> float:
        cost = self._costs.get(square)
        if cost is None:
            distance = self.routes.distance(square)
            if distance >= FAR:
                distance = self._crow_distance(square)
            cost = self._costs[square] = distance * self.mood.progress
        return cost

    def _crow_distance(self, square: int) -> int:
        enemies = self.forecast.world.enemies
        return min((self.forecast.torus.gap(square, enemy.square) for enemy in enemies[:6]), default=0) * 2

    def _offer(self, state: int, score: float, link: int, action: ActionRequest) -> None:
        best = self._following.get(state)
        if best is None or score > best[0]:
            self._following[state] = (score, link, action)

    def _strikes(self, strikes: list[tuple[float, int]], fired: int) -> float:
        """How likely one of these shells kills; those that fly against an own shot are met by it."""
        chance = 0.0
        for weight, heading in strikes:
            if not fired or heading != (fired - 1) ^ 4:
                chance += weight
        return min(1.0, chance)

    def _expand(self, entry: Entry, n: int, area8: int, may_shoot: bool) -> None:
        """Offer every state that one more round may lead to."""
        score, state, link = entry
        forecast, mood = self.forecast, self.mood
        fired = state // area8
        square, heading = state % area8 >> 3, state & 7
        base = state - (state & 7)
        score -= mood.haste * self._distance_cost(square)
        strikes = forecast.first[n].get(square)
        if strikes:
            score -= mood.loss * self._strikes(strikes, fired)
        guns = forecast.gun_steady
        caution = mood.caution * mood.loss * (COVERED if fired else 1.0)
        second = forecast.second[n]

        # Staying: to wait, to turn, to shoot.
        exposure = caution * guns.get(square, 0.0)
        stay = score - exposure
        strikes = second.get(square)
        staying_loss = 0.0
        if strikes:
            staying_loss = mood.loss * self._strikes(strikes, fired)
        present = forecast.presence[n].get(square, 0.0)
        if present > 0.05:
            staying_loss += mood.loss * MEETING * present
        if square in forecast.friends[n]:
            staying_loss += mood.loss
        following = self._following
        for action, heading_after, value in (
            (ActionRequest.DO_NOTHING, heading, stay - staying_loss),
            (ActionRequest.ROTATE_LEFT_45, (heading - 1) & 7, stay - staying_loss - TURN_COST),
            (ActionRequest.ROTATE_RIGHT_45, (heading + 1) & 7, stay - staying_loss - TURN_COST),
            (ActionRequest.ROTATE_LEFT_90, (heading - 2) & 7, stay - staying_loss - TURN_COST),
            (ActionRequest.ROTATE_RIGHT_90, (heading + 2) & 7, stay - staying_loss - TURN_COST),
        ):
            reached = base + heading_after
            best = following.get(reached)
            if best is None or value > best[0]:
                following[reached] = (value, link, action)
        if may_shoot and not fired:
            self._shoot(score, exposure, state=state, link=link, n=n, area8=area8, strikes=strikes)

        # Driving on.
        target = self.ahead[heading][square]
        if self.ground[target] or target in forecast.friends[n] or target in forecast.friends[n - 1]:
            return
        if exposure == 0.0:
            guns = forecast.gun_entry
        value = score - STEP_COST - caution * guns.get(target, 0.0) + self._distance_cost(square) - self._distance_cost(target)
        strikes = second.get(target)
        if strikes:
            value -= mood.loss * self._strikes(strikes, fired)
        crossing = forecast.crossings[n].get(target * 8 + heading)
        if crossing and not (fired and fired - 1 == heading):
            value -= mood.loss * min(1.0, crossing)
        present = forecast.presence[n].get(target, 0.0) + forecast.presence[n - 1].get(target, 0.0) * 0.5
        if present > 0.0:
            value += min(1.0, present) * ((KILL if mood.may_ram else 0.0) - mood.loss * (0.8 if mood.may_ram else 1.0))
        self._offer(target * 8 + heading + fired * area8, value, link, ActionRequest.MOVE_FORWARD)

    def _shoot(
        self, score: float, exposure: float, *, state: int, link: int, n: int, area8: int, strikes: list[tuple[float, int]] | None
    ) -> None:
        """Offer a shot if it may hit an enemy, meet a shell that comes straight on, or open a wall on the way."""
        square, heading = state >> 3, state & 7
        mood = self.mood
        value = score
        worthwhile = False
        if strikes:
            value -= mood.loss * self._strikes(strikes, heading + 1)
        if state in self.aim.spots:
            worth, chance = self.aim.shot(square, heading, n)
            if mood.haste > 0.0:
                worth -= DELAY * (n - FIRST_ROUND)
            value += worth - exposure * (COVERED if chance > 0.1 else 1.0)
            worthwhile = worth > 0.0
        elif self._opens_wall(square, heading):
            value += mood.progress * mood.wall_cost / 2 * 0.9 - exposure
            worthwhile = True
        else:
            value -= self.aim.shell_cost + exposure
        if worthwhile or self._meets_shell(square, heading, n):
            self._offer(state + (heading + 1) * area8, value, link, ActionRequest.SHOOT)

    def _opens_wall(self, square: int, heading: int) -> bool:
        """Whether the square ahead is a wall that the shortest way leads through."""
        if not self.mood.break_walls:
            return False
        target = self.ahead[heading][square]
        if self.ground[target] != WALL:
            return False
        beyond = self.routes.distance(target)
        return beyond < self.routes.distance(square) and beyond < FAR

    def _meets_shell(self, square: int, heading: int, n: int) -> bool:
        """Whether a shell comes straight towards the gun."""
        opposite = heading ^ 4
        ahead = self.ahead[heading]
        for _ in range(4):
            square = ahead[square]
            for weight, direction in self.forecast.first[n].get(square, ()):
                if direction == opposite and weight >= 0.4:
                    return True
            if self.ground[square] == WALL:
                return False
        return False
