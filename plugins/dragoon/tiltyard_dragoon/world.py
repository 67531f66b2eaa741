"""What the Player believes: ground, own tanks, enemies; brought up to date by every view."""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from tiltyard_dragoon.shells import ShellTracker
from tiltyard_dragoon.torus import EIGHTHS, FREE, MINE, RELOAD_ROUNDS, START_HEADINGS, WALL, Torus
from tiltyard_engine import ActionRequest

_GROUND = bytes(MINE if code == ord("@") else WALL if code == ord("#") else FREE for code in range(256))
_MOBILE = re.compile(r"[1-9%*]")

FIRST_MOBILITY = 0.45
"""Squares a round that an enemy is taken to move before it was watched."""
SLOWEST, FASTEST = 0.02, 0.95


@dataclass(kw_only=True)
class Unit:
    """An own tank. Its orders are carried out to the letter, so its whole way is known in advance."""

    index: int
    square: int
    heading: int
    ammo: int
    ready: int = 0
    """The first round in which it may shoot."""
    alive: bool = True
    since: int = 0
    """The round at whose end it stood at the start of ``trail``."""
    trail: list[int] = field(default_factory=list)
    """Squares at the ends of the rounds from ``since`` on."""
    shots: list[tuple[int, int, int]] = field(default_factory=list)
    """Ordered shots: round, square and heading."""

    def square_at(self, end_of_round: int) -> int:
        """Where it stands at the end of a round."""
        if not self.trail:
            return self.square
        return self.trail[max(0, min(end_of_round - self.since, len(self.trail) - 1))]

    def command(self, torus: Torus, request_round: int, actions: list[ActionRequest]) -> None:
        """Note what the tank will do in the rounds after ``request_round``."""
        square, heading = self.square, self.heading
        self.since = request_round
        self.trail = [square]
        self.shots = []
        for number, action in enumerate(actions, start=1):
            if action is ActionRequest.MOVE_FORWARD:
                square = torus.ahead[heading][square]
            elif action is ActionRequest.SHOOT:
                self.shots.append((request_round + number, square, heading))
            heading = (heading + EIGHTHS.get(action, 0)) & 7
            self.trail.append(square)


@dataclass(kw_only=True)
class Enemy:
    """A hostile tank as last seen."""

    square: int
    digit: int
    ammo: int
    heading: int = -1
    """The last heading that it showed by moving or shooting; -1 unknown."""
    heading_round: int = 0
    mobility: float = FIRST_MOBILITY
    """Squares a round."""
    ready: int = 0
    """The first round in which it may shoot, as far as known."""
    fired: int = 0
    """Shots known to be its own."""

    def trust(self, now: int) -> float:
        """How likely its heading is still what it was."""
        if self.heading < 0:
            return 0.0
        return float(0.75 ** min(now - self.heading_round, 20))


class World:
    """Everything seen and worked out so far."""

    def __init__(self, player_index: int, torus: Torus, num_shells: int) -> None:
        self.torus = torus
        self.own_digit = str(player_index)
        self.num_shells = num_shells
        self.now = -1
        """The round at whose end the newest view was taken."""
        self.ground = bytes(torus.area)
        self.text = ""
        self.units: dict[int, Unit] = {}
        self.enemies: list[Enemy] = []
        self.shells = ShellTracker(torus)
        self.strangers: list[int] = []
        """Squares of own tanks that have not been matched with a tank yet."""
        self.news_round = 0
        """The last round in which the number of enemies changed, or in which anybody shot."""

    def observe(self, end_of_round: int, text: str) -> None:
        """Take in a view; views of the same moment say the same."""
        if end_of_round <= self.now:
            return
        ground = bytearray(text.encode("latin-1", "replace").translate(_GROUND))
        own: list[int] = []
        enemies_in_view: list[tuple[int, int]] = []
        flying: list[int] = []
        for match in _MOBILE.finditer(text):
            square, character = match.start(), match.group()
            if character == "*":
                flying.append(square)
                if self.ground[square] == MINE:
                    ground[square] = MINE
            elif character in ("%", self.own_digit):
                own.append(square)
            else:
                enemies_in_view.append((square, int(character)))
        self._muster(end_of_round, own)
        before = self.now
        shots = [shot for unit in self.units.values() for shot in unit.shots]
        self.shells.advance(before, end_of_round, self.ground if self.text else bytes(ground), shots)
        self.ground, self.text, self.now = bytes(ground), text, end_of_round
        count = len(self.enemies)
        self._match_enemies(before, enemies_in_view)
        new_shells = self.shells.match(flying)
        self._attribute(new_shells, max(1, end_of_round - before))
        if count != len(self.enemies) or new_shells:
            self.news_round = end_of_round

    def _muster(self, end_of_round: int, own: list[int]) -> None:
        """Find out which own tanks live. In the initial view they stand in the order of their indices."""
        if self.now < 0 and end_of_round == 0:
            heading = START_HEADINGS[int(self.own_digit)]
            self.units = {
                index: Unit(index=index, square=square, heading=heading, ammo=self.num_shells) for index, square in enumerate(own)
            }
        standing = set(own)
        for unit in self.units.values():
            if unit.alive:
                unit.alive = unit.square_at(end_of_round) in standing
                standing.discard(unit.square_at(end_of_round))
        self.strangers = sorted(standing)

    def report(self, index: int, square: int, heading: int, shots: int, ready: int) -> Unit:
        """Take in what a tank says about itself."""
        unit = self.units.get(index)
        if unit is None:
            unit = self.units[index] = Unit(index=index, square=square, heading=heading, ammo=self.num_shells)
        unit.square, unit.heading, unit.ready, unit.alive = square, heading, ready, True
        unit.ammo = max(0, self.num_shells - shots)
        if square in self.strangers:
            self.strangers.remove(square)
        return unit

    def own_count(self) -> int:
        """How many of the team's own tanks are alive."""
        return sum(1 for unit in self.units.values() if unit.alive) + len(self.strangers)

    # Enemies

    def _match_enemies(self, before: int, enemies_in_view: list[tuple[int, int]]) -> None:
        """Carry what is known of each enemy over to where it stands now."""
        if before < 0:
            self.enemies = [
                Enemy(
                    square=square,
                    digit=digit,
                    ammo=self.num_shells,
                    heading=START_HEADINGS[digit] if self.now == 0 else -1,
                    heading_round=self.now,
                )
                for square, digit in enemies_in_view
            ]
            return
        rounds = self.now - before
        here = {enemy.square: enemy for enemy in self.enemies}
        matched: list[Enemy] = []
        new_enemies: list[tuple[int, int]] = []
        for square, digit in enemies_in_view:
            enemy = here.get(square)
            if enemy is not None and enemy.digit == digit:
                del here[square]
                self._watch(enemy, square, rounds)
                matched.append(enemy)
            else:
                new_enemies.append((square, digit))
        missing = list(here.values())
        for square, digit in new_enemies:
            best: Enemy | None = None
            best_gap = rounds + 1
            for enemy in missing:
                gap = self.torus.gap(enemy.square, square)
                if gap < best_gap and enemy.digit == digit:
                    best, best_gap = enemy, gap
            if best is None:
                best = Enemy(square=square, digit=digit, ammo=self.num_shells)
            else:
                missing.remove(best)
                self._watch(best, square, rounds)
            matched.append(best)
        matched.sort(key=lambda enemy: enemy.square)
        self.enemies = matched

    def _watch(self, enemy: Enemy, square: int, rounds: int) -> None:
        """Learn from where an enemy went in so many rounds."""
        gap = self.torus.gap(enemy.square, square)
        fresh = 1 - 0.8**rounds
        enemy.mobility += fresh * (min(1.0, gap / rounds) - enemy.mobility)
        enemy.mobility = min(FASTEST, max(SLOWEST, enemy.mobility))
        bearing = self.torus.bearing(enemy.square, square)
        if bearing >= 0:
            enemy.heading = bearing
            enemy.heading_round = self.now - (rounds - gap)
        elif gap:
            enemy.heading = -1
        enemy.square = square

    def _attribute(self, new_shells: list[int], rounds: int) -> None:
        """Find the gun behind each new shell; without one the shell may fly anywhere."""
        ahead = self.torus.ahead
        by_square = {enemy.square: enemy for enemy in self.enemies}
        for shell in new_shells:
            sources: list[tuple[int, int, Enemy]] = []
            for heading in range(8):
                square = shell
                for distance in range(1, 2 * rounds + 2):
                    square = ahead[heading ^ 4][square]
                    if self.ground[square] == WALL:
                        break
                    # An odd distance: the gun still stands where it shot from. An even one: it moved after its shot.
                    enemy = by_square.get(square)
                    if enemy is not None and distance <= 2 * rounds and self.now - distance // 2 >= enemy.ready:
                        sources.append((distance % 2 == 0, heading, enemy))
                        self._gun_fired(enemy, self.now - distance // 2, heading, len(sources) == 1)
                        break
            exact = [heading for even, heading, _ in sources if not even]
            headings = exact or [heading for _, heading, _ in sources] or list(range(8))
            if exact and any(enemy.mobility > 0.3 for enemy in self.enemies[:8]):
                headings = headings * 2 + [other for other in range(8) if other not in headings]
            self.shells.add(shell, headings)

    def _gun_fired(self, enemy: Enemy, shot_round: int, heading: int, sure: bool) -> None:
        if sure:
            enemy.ready = shot_round + RELOAD_ROUNDS
            enemy.ammo = max(0, enemy.ammo - 1)
            enemy.fired += 1
        if shot_round >= enemy.heading_round:
            enemy.heading, enemy.heading_round = heading, shot_round
