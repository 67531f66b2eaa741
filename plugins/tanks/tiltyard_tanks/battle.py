"""The state of a tank battle and what a round does to it: the rules, and nothing of files or seats.

Plain typed Python on flat lists of small integers, so that mypyc can compile it unchanged. A round
touches only what moves in it: its cost does not depend on the size of the board.

A square is ``y * width + x``. Headings count clockwise from 0, up; ``heading ^ 4`` is the opposite one.
Tanks are numbered from 0 in birth order: row by row from the top, left to right.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Any, Final

from tiltyard_tanks.rules import Order, Rules

EMPTY: Final = 0
MINE: Final = 1
WEAK_WALL: Final = 2
WALL: Final = 3

MOVE_FORWARD: Final = 0
MOVE_BACKWARD: Final = 1
SHOOT: Final = 6
GET_BATTLE_INFO: Final = 7
DO_NOTHING: Final = 8
TURNS: Final = [0, 0, -2, 2, -1, 1, 0, 0, 0]
"""By action number: eighths of a turn clockwise."""

START_HEADINGS: Final = [0, 6, 2, 0, 4, 7, 3, 1, 5, 6]
"""By player number, from 1: left, right, up, down, then the diagonals, and left again."""

STEP_X: Final = [0, 1, 1, 1, 0, -1, -1, -1]
STEP_Y: Final = [-1, -1, 0, 1, 1, 1, 0, -1]

OPPOSITE: Final[list[Any]] = [4, 5, 6, 7, 0, 1, 2, 3]

Boxed = dict[Any, Any]
"""A dict of ints whose keys and values the compiled build leaves as they are. A number above 256 that went through a C integer
is a new object; on large boards that cost more than all the rest, and the compiled build was slower than the pure one."""

GROUND_CHARACTERS: Final = [" ", "@", "#", "#"]
GROUND_TOKENS: Final = [" ", "@", "#w", "#"]
"""Replay tokens: a weakened wall is told from a whole one."""


@lru_cache(maxsize=8)
def neighbours(width: int, height: int) -> list[list[int]]:
    """``[heading][square]``: the square one step on, on a board whose edges join."""
    table: list[list[int]] = []
    for heading in range(8):
        dx, dy = STEP_X[heading], STEP_Y[heading]
        column: list[int] = []
        for y in range(height):
            row = (y + dy) % height * width
            column.extend([row + (x + dx) % width for x in range(width)])
        table.append(column)
    return table


class Battle:
    """A board with its tanks and shells. ``grid`` holds only the characters of a map file."""

    def __init__(self, grid: tuple[str, ...], num_shells: int, players: int, rules: Rules) -> None:
        self.rules = rules
        self.together = rules.order == Order.TOGETHER
        self.meetings = rules.half_way_meetings
        self.height = len(grid)
        self.width = len(grid[0])
        self.players = players
        self.next_square = neighbours(self.width, self.height)
        cells = "".join(grid)
        self.ground = [WALL if cell == "#" else MINE if cell == "@" else EMPTY for cell in cells]
        self.shells: dict[int, int] = {}
        """Square to heading; after each half-step a square holds at most one shell."""
        self.resting: set[int] = set()
        """Squares of shells born in this round that do not move yet."""
        self.square = [square for square, cell in enumerate(cells) if "1" <= cell <= "9"]
        self.owner = [int(cells[square]) for square in self.square]
        tanks = len(self.owner)
        self.tank_at = {self.square[tank]: tank for tank in range(tanks)}
        self.heading = [START_HEADINGS[player] for player in self.owner]
        self.ammo = [num_shells] * tanks
        self.ready = [0] * tanks
        """The first round in which the tank may shoot."""
        self.phase = [0] * tanks
        """Progress towards backing up: 0 at rest, 3 once it has stepped back."""
        self.died = [0] * tanks
        """The round of death, 0 while alive."""
        self.round = 0
        self.steps: list[tuple[int, int]] = []
        """(tank, heading of the step) of this round, as judged."""
        self.fires: list[int] = []
        self.asks: list[int] = []
        self.ignored: set[int] = set()
        self.deaths: list[int] = []
        """Tanks that died in this round."""
        self.tracking = False
        self.dirty: set[int] = set()
        """While tracking: squares that may look different since the picture was last brought up to date."""
        self.picture: list[str] = []
        self.living = [sum(1 for owner in self.owner if owner == player) for player in range(players + 1)]
        """Living tanks by player number."""
        self.shells_left = num_shells * tanks
        """Unfired shells of living tanks."""
        self.shells_lost = 0
        """Unfired shells of dead tanks."""

    def begin_round(self) -> None:
        """Forget the last round's requests."""
        self.round += 1
        if self.steps:
            self.steps = []
        if self.fires:
            self.fires = []
        if self.asks:
            self.asks = []
        if self.ignored:
            self.ignored = set()
        if self.deaths:
            self.deaths = []

    # Judging

    def judge(self, tanks: list[int], requests: list[int]) -> None:
        """Judge one request a tank on the board as it stands; turns are made at once, nobody can tell."""
        phase = self.phase
        heading = self.heading
        for position in range(len(tanks)):
            tank = tanks[position]
            request = requests[position]
            if phase[tank]:
                self._judge_backing(tank, request)
                continue
            turn = TURNS[request]
            if turn:
                heading[tank] = (heading[tank] + turn) & 7
            elif request == SHOOT:
                self._judge_shot(tank)
            elif request == MOVE_FORWARD:
                self._judge_forward(tank)
            elif request == MOVE_BACKWARD:
                phase[tank] = 1
            elif request == GET_BATTLE_INFO:
                self.asks.append(tank)

    def _judge_backing(self, tank: int, request: int) -> None:
        """A tank that waits to back up (phase 1, 2) or that just did (phase 3)."""
        phase = self.phase[tank]
        if phase == 3:
            if request == MOVE_BACKWARD:
                self._judge_back(tank)
                return
            self.phase[tank] = 0
            self.judge([tank], [request])
        elif request == MOVE_FORWARD:
            self.phase[tank] = 0
        else:
            self.ignored.add(tank)
            if phase == 2:
                self._judge_back(tank)
            else:
                self.phase[tank] = 2

    def _judge_back(self, tank: int) -> None:
        heading = self.heading[tank] ^ 4
        if self.ground[self.next_square[heading][self.square[tank]]] >= WEAK_WALL:
            self.ignored.add(tank)
            self.phase[tank] = 0
        else:
            self.steps.append((tank, heading))
            self.phase[tank] = 3

    def _judge_forward(self, tank: int) -> None:
        heading = self.heading[tank]
        if self.ground[self.next_square[heading][self.square[tank]]] >= WEAK_WALL:
            self.ignored.add(tank)
        else:
            self.steps.append((tank, heading))

    def _judge_shot(self, tank: int) -> None:
        if self.round < self.ready[tank] or not self.ammo[tank]:
            self.ignored.add(tank)
        else:
            self.fires.append(tank)

    # Moving

    def first_half(self) -> None:
        """What happens before the views of this round are handed out."""
        if self.together:
            if self.rules.shell_start >= 2 and self.fires:
                fires = self.fires
                self.fires = []
                self.half_step(True, [], fires)
            elif self.shells:
                self.half_step(True, [], [])

    def second_half(self) -> None:
        """The rest of the round. Tanks that died in the meantime neither step nor fire."""
        steps, fires = self.steps, self.fires
        if self.deaths:
            steps = [step for step in steps if not self.died[step[0]]]
            fires = [tank for tank in fires if not self.died[tank]]
        if self.together:
            if steps or fires or self.shells:
                self.half_step(True, steps, fires)
            return
        if self.rules.order == Order.TANKS_FIRST and (steps or fires):
            self.half_step(False, steps, fires)
        self._fly_on()

    def act_alone(self, tank: int, request: int) -> None:
        """ONE_BY_ONE: judge and perform one tank's request before the next tank is looked at."""
        self.judge([tank], [request])
        if self.steps or self.fires:
            steps, fires = self.steps, self.fires
            self.steps, self.fires = [], []
            self.half_step(False, steps, fires)

    def _fly_on(self) -> None:
        """TANKS_FIRST and ONE_BY_ONE: the shells' two half-steps, new shells joining late."""
        start = self.rules.shell_start
        if start >= 3:
            self.resting = set()
        elif self.resting:
            # A shell spent as soon as it was born leaves its square to others that may fly through.
            self.resting.intersection_update(self.shells)
        if self.shells:
            self.half_step(True, [], [])
        if start >= 2:
            self.resting = set()
        if self.shells:
            self.half_step(True, [], [])
        self.resting = set()

    def half_step(self, shells_move: bool, steps: list[tuple[int, int]], fires: list[int]) -> None:
        """Move all that moves by one square at the same time, then resolve every square that something entered."""
        movers = self._movers(shells_move, steps, fires)
        shells_after: dict[int, int] = {}
        crowds: dict[int, int] = {}
        if shells_move:
            self._fly(movers, shells_after, crowds)
        else:
            shells_after.update(self.shells)
        for tank in fires:
            self._fire(tank, movers, shells_after, crowds)
        if self.tracking:
            self.dirty.update(self.shells)
            self.dirty.update(shells_after)
        self.shells = shells_after
        if steps:
            self._step(steps, movers)
        self._resolve_shells(shells_after, crowds)

    def _fly(self, movers: Boxed, shells_after: Boxed, crowds: Boxed) -> None:
        """Move every shell that flies; shells that meet half-way are gone."""
        next_square: Any = self.next_square
        shells: Boxed = self.shells
        resting: Any = self.resting
        target: Any
        for square, heading in shells.items():
            if resting and square in resting:
                target = square
            else:
                target = next_square[heading][square]
                if target in movers and movers[target] == OPPOSITE[heading]:
                    continue
            if target in shells_after:
                crowds[target] = crowds.get(target, 1) + 1
            else:
                shells_after[target] = heading

    def _movers(self, shells_move: bool, steps: list[tuple[int, int]], fires: list[int]) -> dict[int, int]:
        """Square to heading of everything that leaves its square and could be met half-way."""
        if not self.meetings:
            return {}
        if not shells_move:
            movers: dict[int, int] = {}
        elif steps or fires or self.resting:
            movers = dict(self.shells)
            for square in self.resting:
                movers.pop(square, None)
        else:
            return self.shells
        for tank, heading in steps:
            movers[self.square[tank]] = heading
        for tank in fires:
            movers[self.square[tank]] = self.heading[tank]
        return movers

    def spend_shell(self, tank: int) -> None:
        """What a shot costs the tank: one shell, and the time to reload."""
        self.ammo[tank] -= 1
        self.shells_left -= 1
        self.ready[tank] = self.round + self.rules.reload_rounds

    def _fire(self, tank: int, movers: dict[int, int], shells_after: dict[int, int], crowds: dict[int, int]) -> None:
        self.spend_shell(tank)
        heading = self.heading[tank]
        target = self.next_square[heading][self.square[tank]]
        if movers.get(target, -1) == heading ^ 4:
            return
        if target in shells_after:
            crowds[target] = crowds.get(target, 1) + 1
        else:
            shells_after[target] = heading
        if not self.together:
            self.resting.add(target)

    def _step(self, steps: list[tuple[int, int]], movers: dict[int, int]) -> None:
        """Move tanks, all at once; those that meet half-way or find another tank die."""
        tank_at = self.tank_at
        entering: dict[int, list[int]] = {}
        for tank, heading in steps:
            square = self.square[tank]
            target = self.next_square[heading][square]
            del tank_at[square]
            if self.tracking:
                self.dirty.add(square)
                self.dirty.add(target)
            if movers.get(target, -1) == heading ^ 4:
                self._die(tank)
            elif target in entering:
                entering[target].append(tank)
            else:
                entering[target] = [tank]
        for target, tanks in entering.items():
            staying = tank_at.pop(target, -1)
            if staying >= 0:
                tanks.append(staying)
            if len(tanks) == 1:
                self.square[tanks[0]] = target
                tank_at[target] = tanks[0]
                # Under a shell the mine goes with the tank anyway: shell and tank are already two.
                if self.ground[target] == MINE and target not in self.shells:
                    self.kill_at(target)
                    self.ground[target] = EMPTY
            else:
                for tank in tanks:
                    self._die(tank)
                self.ground[target] = EMPTY
                self.shells.pop(target, None)

    def _resolve_shells(self, shells_after: Boxed, crowds: Boxed) -> None:
        ground = self.ground
        tank_at: Boxed = self.tank_at
        impacts: list[Any] = []
        for square in shells_after:
            kind = ground[square]
            if kind >= WEAK_WALL:
                ground[square] = WEAK_WALL if kind == WALL and square not in crowds else EMPTY
                impacts.append(square)
            elif square in tank_at:
                self.kill_at(square)
                ground[square] = EMPTY
                impacts.append(square)
            elif square in crowds:
                ground[square] = EMPTY
                impacts.append(square)
        for square in impacts:
            del shells_after[square]

    def kill_at(self, square: int) -> None:
        """Kill the tank that stands there and take it off the board."""
        self._die(self.tank_at.pop(square))

    def _die(self, tank: int) -> None:
        self.died[tank] = self.round
        self.deaths.append(tank)
        self.living[self.owner[tank]] -= 1
        self.shells_left -= self.ammo[tank]
        self.shells_lost += self.ammo[tank]

    def remove(self, tanks: list[int]) -> None:
        """Take a faulted team's tanks off the board; nothing else happens on their squares."""
        for tank in tanks:
            if not self.died[tank]:
                if self.tracking:
                    self.dirty.add(self.square[tank])
                self.kill_at(self.square[tank])

    # Looking

    def players_left(self) -> int:
        """How many players have living tanks."""
        return sum(1 for player in range(1, self.players + 1) if self.living[player])

    def character(self, square: int) -> str:
        """What a view shows there."""
        if square in self.shells:
            return "*"
        tank = self.tank_at.get(square, -1)
        if tank >= 0:
            return str(self.owner[tank])
        return GROUND_CHARACTERS[self.ground[square]]

    def token(self, square: int) -> str:
        """What a replay holds there: headings are told, and a shell hides a mine."""
        if square in self.shells:
            return "*" + str(self.shells[square])
        tank = self.tank_at.get(square, -1)
        if tank >= 0:
            return str(self.owner[tank]) + str(self.heading[tank])
        return GROUND_TOKENS[self.ground[square]]

    def look(self) -> list[str]:
        """The characters of all squares; after the first call only what changed since is looked at again."""
        if self.tracking:
            for square in self.dirty:
                self.picture[square] = self.character(square)
            self.dirty.clear()
        else:
            self.tracking = True
            self.picture = [self.character(square) for square in range(len(self.ground))]
        return self.picture

    def rows(self) -> tuple[str, ...]:
        """The board as strings, a row each."""
        whole = "".join([self.character(square) for square in range(len(self.ground))])
        return tuple([whole[start : start + self.width] for start in range(0, len(whole), self.width)])
