"""The Player: one world for all its tanks, and a plan for each that asks."""

from __future__ import annotations

from tiltyard_dragoon.aim import KILL, Aim
from tiltyard_dragoon.forecast import Forecast
from tiltyard_dragoon.orders import Briefing, Report
from tiltyard_dragoon.planner import FIRST_ROUND, Mood, Planner
from tiltyard_dragoon.routes import Routes
from tiltyard_dragoon.torus import EIGHTHS, WALL, Torus
from tiltyard_dragoon.world import Enemy, Unit, World
from tiltyard_engine import ActionRequest, Player, SatelliteView, TankAlgorithm

STAND_OFF = 4
"""The distance to shoot from that a tank drives to; on its way it takes what chances there are."""
LATEST_SHOT = 4
"""A shot that is further off is planned again after another look."""
LONGEST_DODGE = 4
"""Actions by which orders are made longer so as not to end in a shell's way."""
ROUNDS_TO_LEAVE = 3
"""A look, a turn and a step."""
PROGRESS = 2.0
"""What a step nearer to a firing position is worth."""
UNREADY_PROGRESS = 0.0
"""The same while the gun reloads and a moving enemy is near."""
RELOADING = 2
"""Rounds until the gun is ready from which that holds."""
HASTE = 0.004
BOREDOM = 60
"""Rounds without news after which no enemy is waited for any longer."""
WANDERING = 0.2
"""Squares a round from which an enemy is taken to come by itself."""
AMBUSH = 14
"""Steps within which it is waited for."""
PATIENCE = 120
"""Rounds without news after which caution has fallen by half."""


class DragoonPlayer(Player):
    """Sees for its tanks, remembers, and thinks for them."""

    def __init__(self, player_index: int, x: int, y: int, max_steps: int, num_shells: int) -> None:
        self.torus = Torus(x, y)
        self.max_steps = max_steps
        self.world = World(player_index, self.torus, num_shells)
        self.routes = Routes(self.torus)
        self._routed = -1

    def update_tank_with_battle_info(self, tank: TankAlgorithm, satellite_view: SatelliteView) -> None:
        """Read the whole view now, before it expires, and let the tank ask for its orders."""
        text = "".join(satellite_view.get_rows(self.torus.width, self.torus.height))
        tank.update_battle_info(Briefing(lambda report: self._answer(report, text)))

    def _answer(self, report: Report, text: str) -> list[ActionRequest]:
        world = self.world
        world.observe(report.round - 1, text)
        unit = world.report(report.index, text.index("%"), report.heading, report.shots, report.ready)
        orders = self._orders(unit, report.round) if world.enemies else []
        unit.command(self.torus, report.round, orders)
        return orders

    def _orders(self, unit: Unit, request_round: int) -> list[ActionRequest]:
        world = self.world
        unit.shots = []
        mood = self._mood(unit, request_round)
        self._find_ways(mood)
        forecast = Forecast(world, unit)
        aim = Aim(forecast, self._shell_cost(unit, request_round))
        planner = Planner(forecast, aim, self.routes, mood)
        actions = planner.plan(unit)
        return self._commit(forecast, unit, actions)

    def _mood(self, unit: Unit, request_round: int) -> Mood:
        world = self.world
        own, enemies = world.own_count(), len(world.enemies)
        quiet = request_round - world.news_round
        rounds_left = self.max_steps - request_round
        caution = 1.0 / (1.0 + quiet / PATIENCE)
        if rounds_left < 60:
            caution *= 0.5
        loss = 110.0 if own <= 2 else 90.0
        if own == 1 and enemies > 1:
            loss = 120.0
        may_ram = unit.ammo == 0 and own > enemies
        wall_cost = 16 if unit.ammo > 4 else 40
        return Mood(
            loss=loss,
            caution=caution,
            progress=self._progress(unit, request_round) if unit.ammo or may_ram else 0.0,
            haste=self._haste(unit, quiet),
            may_ram=may_ram,
            wall_cost=wall_cost,
            break_walls=unit.ammo > 2,
        )

    def _progress(self, unit: Unit, request_round: int) -> float:
        """With an empty gun there is no hurry to be near an enemy that moves."""
        if unit.ready - request_round > RELOADING:
            near = self._nearest(unit)
            if near.mobility >= WANDERING and self.torus.gap(unit.square, near.square) <= 8:
                return UNREADY_PROGRESS
        return PROGRESS

    def _nearest(self, unit: Unit) -> Enemy:
        return min(self.world.enemies, key=lambda enemy: (self.torus.gap(unit.square, enemy.square), enemy.square))

    def _haste(self, unit: Unit, quiet: int) -> float:
        """Let enemies that come come; go and get those that stay."""
        near = self._nearest(unit)
        if quiet > BOREDOM or near.mobility < WANDERING or self.torus.gap(unit.square, near.square) > AMBUSH:
            return HASTE
        return 0.0

    def _shell_cost(self, unit: Unit, request_round: int) -> float:
        """What a shell is worth keeping for: the scarcer they are, the better a shot must be."""
        world = self.world
        shells = sum(friend.ammo for friend in world.units.values() if friend.alive)
        cost = KILL * min(0.45, 0.9 * len(world.enemies) / max(1, shells))
        rounds_left = self.max_steps - request_round
        return max(4.0, cost * min(1.0, rounds_left / (8.0 * max(1, unit.ammo))))

    def _find_ways(self, mood: Mood) -> None:
        """Bring the distances to the enemies' surroundings up to date, once a view."""
        world = self.world
        if self._routed == world.now:
            return
        self._routed = world.now
        ahead = self.torus.ahead
        sources: dict[int, bool] = {}
        for enemy in world.enemies:
            for heading in range(8):
                square = enemy.square
                for _ in range(STAND_OFF):
                    square = ahead[heading][square]
                    if world.ground[square] == WALL:
                        break
                    if not world.ground[square]:
                        sources[square] = True
        self.routes.restart(
            world.ground, sorted(world.shells.weak_walls), list(sources), [enemy.square for enemy in world.enemies], mood.wall_cost
        )
        self.routes.work()

    def _commit(self, forecast: Forecast, unit: Unit, actions: list[ActionRequest]) -> list[ActionRequest]:
        """As much of the plan as is worth carrying out before looking again."""
        if forecast.shells_near or forecast.nearest <= 8:
            most = 2
        elif forecast.nearest <= 14:
            most = 3
        else:
            most = min(6, forecast.nearest // 3)
        if ActionRequest.SHOOT in actions[:LATEST_SHOT]:
            most = actions.index(ActionRequest.SHOOT) + 1
        elif forecast.shells_near:
            most = self._safe_end(forecast, unit, actions, most)
        return self._before_waiting(actions[:most])

    def _safe_end(self, forecast: Forecast, unit: Unit, actions: list[ActionRequest], most: int) -> int:
        """Where the orders may end: looking takes a round in which the tank stands, so no shell may come just then."""
        square, heading = unit.square, unit.heading
        for number, action in enumerate(actions[: most + LONGEST_DODGE], start=1):
            if action is ActionRequest.MOVE_FORWARD:
                square = self.torus.ahead[heading][square]
            heading = (heading + EIGHTHS.get(action, 0)) & 7
            if number >= most and not forecast.struck(square, FIRST_ROUND + number, ROUNDS_TO_LEAVE):
                return number
        return most

    @staticmethod
    def _before_waiting(actions: list[ActionRequest]) -> list[ActionRequest]:
        """A round of waiting is better spent on a look."""
        return actions[: actions.index(ActionRequest.DO_NOTHING)] if ActionRequest.DO_NOTHING in actions else actions
