"""The reference rules once more: slow, literal, looking at the whole board; shares no code with the fast ones."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import NamedTuple

NAMES = {
    "F": "MoveForward",
    "B": "MoveBackward",
    "L": "RotateLeft90",
    "R": "RotateRight90",
    "l": "RotateLeft45",
    "r": "RotateRight45",
    "S": "Shoot",
    "G": "GetBattleInfo",
    "D": "DoNothing",
}
COMPASS = ["up", "up-right", "right", "down-right", "down", "down-left", "left", "up-left"]
START = ["left", "right", "up", "down", "up-left", "down-right", "up-right", "down-left", "left"]
TURNS = {"L": -2, "R": 2, "l": -1, "r": 1}


class Place(NamedTuple):
    x: int
    y: int


def vector(heading: str) -> tuple[int, int]:
    dx = 1 if "right" in heading else -1 if "left" in heading else 0
    dy = 1 if "down" in heading else -1 if "up" in heading else 0
    return dx, dy


def turned(heading: str, eighths: int) -> str:
    return COMPASS[(COMPASS.index(heading) + eighths) % 8]


def opposite(heading: str) -> str:
    return turned(heading, 4)


@dataclass
class Tank:
    player: int
    place: Place
    heading: str
    shells: int
    cooldown: int = 0
    backing: int = 0
    """The phase b of the rules."""
    died: int = 0
    # What became of this round's request:
    request: str = ""
    ignored: bool = False
    step: str = ""
    """The heading of this round's step, if there is one."""
    fires: bool = False
    asks: bool = False
    backing_grows: bool = False


@dataclass
class Shell:
    place: Place
    heading: str


@dataclass
class Mover:
    """Something that leaves its square for the next one in this half-step."""

    place: Place
    heading: str
    thing: Tank | Shell
    is_shot: bool = False
    met: bool = False


@dataclass
class SlowGame:
    rows: list[str]
    scripts: list[str]
    """By birth."""
    max_steps: int
    num_shells: int
    players: int
    rounds: int = 0
    log: list[str] = field(default_factory=list)
    views: list[list[str]] = field(default_factory=list)
    zero_shells_after: int | None = None

    def __post_init__(self) -> None:
        self.height, self.width = len(self.rows), len(self.rows[0])
        self.ground: dict[Place, str] = {}
        self.tanks: list[Tank] = []
        self.shells: list[Shell] = []
        for y, row in enumerate(self.rows):
            for x, character in enumerate(row):
                place = Place(x, y)
                self.ground[place] = {"#": "wall", "@": "mine"}.get(character, "empty")
                if character.isdigit():
                    player = int(character)
                    self.tanks.append(Tank(player, place, START[player - 1], self.num_shells))

    # The game

    def play(self) -> str:
        """Play to the end; the whole output file."""
        while True:
            result = self.result()
            if result is not None:
                return "\n".join([*self.log, result]) + "\n"
            self.play_round()

    def living(self) -> list[Tank]:
        return [tank for tank in self.tanks if not tank.died]

    def remaining(self) -> list[int]:
        return [sum(tank.player == player for tank in self.living()) for player in range(1, self.players + 1)]

    def result(self) -> str | None:
        who = "both" if self.players == 2 else "all"
        alive = {tank.player for tank in self.living()}
        if not alive:
            return f"Tie, {who} players have zero tanks"
        if len(alive) == 1:
            return f"Player {min(alive)} won with {len(self.living())} tanks still alive"
        if self.rounds == self.max_steps:
            counts = [f"player {player} has {count} tanks" for player, count in enumerate(self.remaining(), start=1)]
            return f"Tie, reached max steps = {self.max_steps}, {', '.join(counts)}"
        if self.rounds > 0 and all(tank.shells == 0 for tank in self.living()):
            if self.zero_shells_after is None:
                self.zero_shells_after = self.rounds
            if self.rounds == self.zero_shells_after + 40:
                return f"Tie, {who} players have zero shells for 40 steps"
        return None

    def play_round(self) -> None:
        before = self.board()
        self.rounds += 1
        asked = self.living()
        for number, tank in enumerate(self.tanks):
            if tank in asked:
                script = self.scripts[number]
                self.judge(tank, script[self.rounds - 1] if self.rounds <= len(script) else "D")
        self.half_step([], [])
        for tank in self.living():
            if tank.asks:
                rows = [list(row) for row in before]
                rows[tank.place.y][tank.place.x] = "%"
                self.views.append(["".join(row) for row in rows])
        self.half_step([tank for tank in self.living() if tank.step], [tank for tank in self.living() if tank.fires])
        for tank in self.living():
            tank.cooldown = max(0, tank.cooldown - 1)
            if tank.backing_grows:
                tank.backing = min(3, tank.backing + 1)
        self.log.append(", ".join(self.describe(tank) for tank in self.tanks))

    def describe(self, tank: Tank) -> str:
        if tank.died and tank.died < self.rounds:
            return "killed"
        return NAMES[tank.request] + " (ignored)" * tank.ignored + " (killed)" * (tank.died == self.rounds)

    # One round

    def judge(self, tank: Tank, request: str) -> None:
        tank.request, tank.ignored, tank.step, tank.fires, tank.asks = request, False, "", False, False
        waiting = tank.backing in (1, 2)
        backs_up = (tank.backing == 3 and request == "B") or (tank.backing == 2 and request != "F")
        stopped = accepted_backing = False
        if waiting:
            if request == "F":
                tank.backing = 0
            else:
                tank.ignored = True
        elif request == "F":
            tank.backing = 0
            if self.is_wall(self.beside(tank.place, tank.heading)):
                tank.ignored = True
            else:
                tank.step = tank.heading
        elif request == "S":
            tank.backing = 0
            if tank.cooldown > 0 or tank.shells == 0:
                tank.ignored = True
            else:
                tank.fires = True
        elif request == "B":
            accepted_backing = tank.backing == 0
        else:
            tank.backing = 0
            tank.asks = request == "G"
            tank.heading = turned(tank.heading, TURNS.get(request, 0))
        if backs_up:
            if self.is_wall(self.beside(tank.place, opposite(tank.heading))):
                tank.ignored = True
                tank.backing = 0
                stopped = True
            else:
                tank.step = opposite(tank.heading)
        tank.backing_grows = not stopped and (tank.backing > 0 or accepted_backing)

    def half_step(self, steppers: list[Tank], shooters: list[Tank]) -> None:
        movers = [Mover(shell.place, shell.heading, shell) for shell in self.shells]
        movers += [Mover(tank.place, tank.step, tank) for tank in steppers]
        movers += [Mover(tank.place, tank.heading, tank, is_shot=True) for tank in shooters]
        for one in movers:
            for other in movers:
                towards = (
                    self.beside(one.place, one.heading) == other.place and self.beside(other.place, other.heading) == one.place
                )
                if one is not other and towards and one.heading == opposite(other.heading):
                    one.met = True
        self.shells = []
        for mover in movers:
            target = self.beside(mover.place, mover.heading)
            if isinstance(mover.thing, Tank) and mover.is_shot:
                mover.thing.shells -= 1
                mover.thing.cooldown = 5
                if not mover.met:
                    self.shells.append(Shell(target, mover.heading))
            elif isinstance(mover.thing, Tank):
                if mover.met:
                    mover.thing.died = self.rounds
                mover.thing.place = target
            elif not mover.met:
                self.shells.append(Shell(target, mover.heading))
        for place in self.ground:
            self.resolve(place)

    def resolve(self, place: Place) -> None:
        tanks = [tank for tank in self.living() if tank.place == place]
        shells = [shell for shell in self.shells if shell.place == place]
        gone = False
        if self.is_wall(place):
            if len(shells) >= 2 or (shells and self.ground[place] == "weak wall"):
                self.ground[place] = "empty"
            elif shells:
                self.ground[place] = "weak wall"
            gone = True
        elif len(tanks) + len(shells) >= 2 or (tanks and self.ground[place] == "mine"):
            self.ground[place] = "empty"
            gone = True
        if gone:
            for tank in tanks:
                tank.died = self.rounds
            self.shells = [shell for shell in self.shells if shell.place != place]

    # The board

    def beside(self, place: Place, heading: str) -> Place:
        dx, dy = vector(heading)
        return Place((place.x + dx) % self.width, (place.y + dy) % self.height)

    def is_wall(self, place: Place) -> bool:
        return self.ground[place] in ("wall", "weak wall")

    def board(self) -> list[str]:
        rows = [
            [{"empty": " ", "mine": "@"}.get(self.ground[Place(x, y)], "#") for x in range(self.width)] for y in range(self.height)
        ]
        for tank in self.living():
            rows[tank.place.y][tank.place.x] = str(tank.player)
        for shell in self.shells:
            rows[shell.place.y][shell.place.x] = "*"
        return ["".join(row) for row in rows]
