"""What the next rounds may bring near one tank: where shells strike, where enemies will be, where their guns reach.

Everything is indexed by ``n``: the end of the n-th round after the newest view, or that round itself.
"""

from __future__ import annotations

from tiltyard_dragoon.torus import WALL, Torus
from tiltyard_dragoon.world import Enemy, Unit, World

HORIZON = 11
"""Rounds that a plan may look ahead, counted from the view."""
SIGHT = 15
"""Enemies further away than this do not matter yet."""
MOST_ENEMIES = 5
MOST_SHELLS = 60
GUN_REACH = 13
GUN_RISK = (0.0, 0.40, 0.40, 0.36, 0.32, 0.26, 0.20, 0.12, 0.08, 0.06, 0.05, 0.04, 0.03, 0.02)
"""By distance: how likely a round in an enemy's line of fire costs the tank."""
POINTING = 1.3
"""Factor on the risk where the gun points already."""
SURPRISE = 0.3
"""Factor on the risk of entering a line of a gun that points anywhere."""
FIRST_IDLE = 2
"""Rounds between the view and the first action it can guide."""
LEAST_CHANCE = 0.02
TURRET_MOBILITY = 0.15
"""An enemy that moves less, but shoots, is taken for a turret: it shoots at shells that come along its line."""
TARGETED = 0.3
"""What an enemy that an own shell already flies towards is still worth."""

Strike = tuple[float, int]
"""How likely a shell comes, and its heading."""


class Forecast:
    """The outlook of one tank, worked out once and read by every step of its plan."""

    def __init__(self, world: World, unit: Unit) -> None:
        self.world = world
        self.torus: Torus = world.torus
        self.unit = unit
        self.first: list[dict[int, list[Strike]]] = [{} for _ in range(HORIZON + 1)]
        """Squares that shells enter in the first half of a round."""
        self.second: list[dict[int, list[Strike]]] = [{} for _ in range(HORIZON + 1)]
        """Squares that shells enter in the second half."""
        self.crossings: list[dict[int, float]] = [{} for _ in range(HORIZON + 1)]
        """``square * 8 + heading`` of a tank's step that would meet a shell half-way."""
        self.presence: list[dict[int, float]] = [{} for _ in range(HORIZON + 1)]
        """How likely an enemy stands there at the end of a round."""
        self.worth: list[dict[int, float]] = [{} for _ in range(HORIZON + 1)]
        """The same, less for enemies that a shell already flies towards."""
        self.gun_entry: dict[int, float] = {}
        """Risk by square in the round of getting there out of cover: only guns that already point there matter."""
        self.gun_steady: dict[int, float] = {}
        """Risk by square of a further round there: guns have had time to turn."""
        self.friends: list[dict[int, bool]] = [{} for _ in range(HORIZON + 1)]
        """Squares of own tanks at the end of a round."""
        self.answering: dict[int, float] = {}
        """By an enemy's square: how readily it meets a shell with one of its own."""
        self.nearest = 1000
        """Steps to the nearest enemy."""
        self.shells_near = False
        self._targeted: dict[int, bool] = {}
        self._follow_shells()
        self._follow_friends()
        self._follow_enemies()

    def _follow_shells(self) -> None:
        world, torus = self.world, self.torus
        here = self.unit.square
        near: list[tuple[int, int, int, float]] = []
        for (square, heading), weight in world.shells.guesses.items():
            gap = torus.gap(here, square)
            if gap <= 2 * HORIZON + 4:
                near.append((gap, square, heading, weight))
        near.sort()
        for gap, square, heading, weight in near[:MOST_SHELLS]:
            if gap <= 8:
                self.shells_near = True
            self._fly(square, heading, weight, 1)
        for friend in world.units.values():
            if not friend.alive or friend is self.unit:
                continue
            for shot_round, square, heading in friend.shots:
                birth = shot_round - world.now
                if 1 <= birth <= HORIZON and torus.gap(here, square) <= 2 * HORIZON + 4:
                    born = torus.ahead[heading][square]
                    self.second[birth].setdefault(born, []).append((1.0, heading))
                    if world.ground[born] != WALL:
                        self._fly(born, heading, 1.0, birth + 1)

    def _fly(self, square: int, heading: int, weight: float, start: int) -> None:
        """Enter one guess's way into the tables, up to the first wall."""
        table = self.torus.ahead[heading]
        ground = self.world.ground
        for n in range(start, HORIZON + 1):
            middle = table[square]
            if ground[middle] == WALL:
                return
            self.first[n].setdefault(middle, []).append((weight, heading))
            square = table[middle]
            crossing = middle * 8 + (heading ^ 4)
            self.crossings[n][crossing] = self.crossings[n].get(crossing, 0.0) + weight
            if ground[square] == WALL:
                return
            self.second[n].setdefault(square, []).append((weight, heading))
            if weight >= 0.5:
                self._targeted[middle] = True
                self._targeted[square] = True

    def struck(self, square: int, start: int, rounds: int) -> bool:
        """Whether a shell probably comes to a square within so many rounds."""
        for n in range(start, min(start + rounds, HORIZON + 1)):
            strikes = [*self.first[n].get(square, ()), *self.second[n].get(square, ())]
            if sum(weight for weight, _ in strikes) >= 0.3:
                return True
        return False

    def _follow_friends(self) -> None:
        world = self.world
        here = self.unit.square
        for friend in world.units.values():
            if friend is self.unit or not friend.alive or self.torus.gap(here, friend.square_at(world.now)) > SIGHT + HORIZON:
                continue
            for n in range(HORIZON + 1):
                self.friends[n][friend.square_at(world.now + n)] = True
        for square in world.strangers:
            for n in range(HORIZON + 1):
                self.friends[n][square] = True

    def _follow_enemies(self) -> None:
        world, torus = self.world, self.torus
        here = self.unit.square
        near = sorted((torus.gap(here, enemy.square), enemy.square, number) for number, enemy in enumerate(world.enemies))
        if near:
            self.nearest = near[0][0]
        for gap, _, number in near[:MOST_ENEMIES]:
            if gap <= SIGHT:
                self._expect(world.enemies[number])
                self._fear(world.enemies[number])

    def _expect(self, enemy: Enemy) -> None:
        """Spread an enemy over the squares it may drive to."""
        world, torus = self.world, self.torus
        ground = world.ground
        if enemy.ammo > 0 and enemy.fired and enemy.mobility < TURRET_MOBILITY and enemy.ready <= world.now + 4:
            self.answering[enemy.square] = 1.0
        worth = TARGETED if enemy.square in self._targeted and enemy.mobility < 0.3 else 1.0
        trust = enemy.trust(world.now)
        mobility = enemy.mobility
        lanes: list[tuple[float, list[int]]] = []
        for heading in range(8):
            share = (1 - trust) / 8 + (trust if heading == enemy.heading else 0.0)
            lane = [enemy.square]
            table = torus.ahead[heading]
            for _ in range(HORIZON):
                square = table[lane[-1]]
                if ground[square]:
                    break
                lane.append(square)
            lanes.append((share, lane))
        steps = [1.0]
        for n in range(HORIZON + 1):
            present = self.presence[n]
            for share, lane in lanes:
                end = len(lane) - 1
                for distance, chance in enumerate(steps):
                    weight = share * chance
                    if weight >= LEAST_CHANCE / 4:
                        square = lane[distance if distance < end else end]
                        present[square] = present.get(square, 0.0) + weight
            for square in (enemy.square, *(lane[min(len(lane) - 1, n)] for _, lane in lanes)):
                if worth < 1.0:
                    self.worth[n][square] = worth
            following = [0.0] * (len(steps) + 1)
            for distance, chance in enumerate(steps):
                following[distance] += chance * (1 - mobility)
                following[distance + 1] += chance * mobility
            steps = following

    def _fear(self, enemy: Enemy) -> None:
        """Enter the squares in an enemy's eight lines of fire, from where it stands and from where it seems to go."""
        world, torus = self.world, self.torus
        if enemy.ammo <= 0:
            return
        trust = enemy.trust(world.now)
        onward = 0.5 * enemy.mobility * trust
        self._fear_from(enemy, enemy.square, trust, 1 - onward)
        if onward > 0.15:
            table = torus.ahead[enemy.heading]
            square = enemy.square
            for _ in range(2):
                if not world.ground[table[square]]:
                    square = table[square]
            self._fear_from(enemy, square, trust, onward)

    def _fear_from(self, enemy: Enemy, origin: int, trust: float, share: float) -> None:
        world, torus = self.world, self.torus
        ground = world.ground
        idle_rounds = max(0, enemy.ready - world.now - FIRST_IDLE)
        for heading in range(8):
            turn = abs((heading - enemy.heading + 4) % 8 - 4) if enemy.heading >= 0 else 2
            entry = trust * (POINTING if turn == 0 else 0.05) + (1 - trust) * SURPRISE
            steady = trust * (POINTING if turn == 0 else 0.8) + (1 - trust) * 0.8
            if idle_rounds:
                entry = 0.0
                steady *= 0.1 if idle_rounds >= 2 else 0.4
            entry *= share
            steady *= share
            square = origin
            for distance in range(1, GUN_REACH + 1):
                square = torus.ahead[heading][square]
                if ground[square] == WALL:
                    break
                risk = GUN_RISK[distance]
                self.gun_entry[square] = self.gun_entry.get(square, 0.0) + risk * entry
                self.gun_steady[square] = self.gun_steady.get(square, 0.0) + risk * steady
