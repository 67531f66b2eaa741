"""Random maps to order: of any size, density and symmetry, and always the same one for the same seed."""

from __future__ import annotations

import random
from dataclasses import dataclass
from typing import Final, Literal

from tiltyard_engine.errors import MapError
from tiltyard_tanks.battle import START_HEADINGS, STEP_X, STEP_Y
from tiltyard_tanks.maps import MAX_SQUARES, TankMap, write_map
from tiltyard_tanks.survey import LAST_DEADLY_DISTANCE, find_regions
from tiltyard_tanks.symmetry import FAIR, Symmetry, fair_groups, orbit, player_images

ATTEMPTS: Final = 60
"""Boards tried before a wish is called impossible: enough where one board in ten would do."""
FEWEST_ATTEMPTS: Final = 3
MOST_WORK: Final = 2_000_000
"""Squares filled in all attempts together: large boards of one density are all alike, and more of them only take time."""
LARGEST_LIMIT: Final = 999_999_999_999
"""The reader takes numbers of up to twelve digits."""


@dataclass(frozen=True, slots=True)
class MapWishes:
    """What a tournament may ask of its generated maps."""

    rows: int = 15
    cols: int = 25
    shells: int = 10
    """NumShells: shells a tank."""
    steps: int = 500
    """MaxSteps: rounds until a tie."""
    tanks: int = 3
    """Tanks a player."""
    walls: float = 0.2
    """Share of the board that is wall."""
    mines: float = 0.03
    """Share of the board that is mined."""
    symmetry: Literal["none", "half-turn", "mirror", "quarter-turn"] | None = None
    """By default half-turn, or none for an odd number of players."""


def default_symmetry(players: int) -> Symmetry:
    """What is fair to most numbers of players."""
    return Symmetry.NONE if players % 2 else Symmetry.HALF_TURN


def generate_by_wishes(wishes: MapWishes, seed: int, players: int) -> bytes:
    """The map file of ``generate_map``; errors as there."""
    symmetry = Symmetry(wishes.symmetry) if wishes.symmetry else default_symmetry(players)
    made = generate_map(
        wishes.rows,
        wishes.cols,
        wishes.shells,
        wishes.steps,
        wishes.tanks,
        wishes.walls,
        wishes.mines,
        symmetry,
        seed,
        players,
    )
    return write_map(made).encode("utf-8")


def generate_map(
    rows: int,
    cols: int,
    shells: int,
    steps: int,
    tanks: int,
    walls: float,
    mines: float,
    symmetry: Symmetry,
    seed: int,
    players: int = 2,
    title: str = "",
) -> TankMap:
    """A random map with ``tanks`` tanks a player.

    ``walls`` and ``mines`` are shares of the board from 0 to 1; a symmetric board may have up to three squares
    fewer than that. Every tank can drive to every other one without touching a mine, and no first shot hits an
    enemy that could not have left in time (see ``survey.LAST_DEADLY_ROUND``).

    Raises:
        MapError: the wish cannot be met; says which part of it to change.
    """
    _check_numbers(rows, cols, shells, steps, tanks, players)
    _check_symmetry(symmetry, rows, cols, players)
    wall_count, mine_count = _check_densities(rows * cols, walls, mines, tanks * players)
    title = title or f"Generated {rows} x {cols}, {symmetry}, seed {seed}"
    if not title.isprintable():
        raise MapError("the title must be one line of printable characters")
    chance = random.Random(seed)
    attempts = max(FEWEST_ATTEMPTS, min(ATTEMPTS, MOST_WORK // (rows * cols)))
    for _ in range(attempts):
        board = _Board(rows, cols, symmetry, players, chance)
        board.scatter("#", wall_count)
        board.scatter("@", mine_count)
        if board.place_tanks(tanks):
            return TankMap(title, steps, shells, board.rows(), players)
    raise MapError(
        f"no board found in {attempts} tries on which all {tanks * players} tanks reach each other by driving and none is"
        f" shot at once; ask for fewer walls (now {walls:g}), mines (now {mines:g}) or tanks, or a larger board"
    )


def _check_numbers(rows: int, cols: int, shells: int, steps: int, tanks: int, players: int) -> None:
    for what, value, least in (
        ("rows", rows, 1),
        ("cols", cols, 1),
        ("shells", shells, 0),
        ("steps", steps, 0),
        ("tanks", tanks, 1),
    ):
        if not least <= value <= LARGEST_LIMIT:
            raise MapError(f"{what} must be from {least} to {LARGEST_LIMIT:,}, not {value}")
    if not 2 <= players <= 9:
        raise MapError(f"players must be from 2 to 9, not {players}")
    if rows * cols > MAX_SQUARES:
        raise MapError(f"a board of {rows} x {cols} squares is too large; at most {MAX_SQUARES:,} squares are supported")


def _check_symmetry(symmetry: Symmetry, rows: int, cols: int, players: int) -> None:
    if player_images(symmetry, players) is None:
        fitting = [Symmetry.NONE, *(other for other in FAIR if player_images(other, players) is not None)]
        raise MapError(
            f"{symmetry} is not fair to {players} players, whose start headings it does not exchange;"
            f" for {players} players there is {' or '.join(fitting)}"
        )
    if symmetry is Symmetry.QUARTER_TURN and rows != cols:
        raise MapError(f"{symmetry} needs as many rows as cols, not {rows} x {cols}")


def _check_densities(squares: int, walls: float, mines: float, tanks: int) -> tuple[int, int]:
    """How many walls and mines that makes."""
    for what, share in (("walls", walls), ("mines", mines)):
        if not 0 <= share <= 1:
            raise MapError(f"{what} must be a share from 0 to 1, not {share}")
    wall_count, mine_count = round(squares * walls), round(squares * mines)
    if wall_count + mine_count + tanks > squares:
        raise MapError(
            f"{wall_count} walls, {mine_count} mines and {tanks} tanks need more than the {squares} squares of the board;"
            " ask for fewer of them or a larger board"
        )
    return wall_count, mine_count


class _Board:
    """One attempt."""

    def __init__(self, rows: int, cols: int, symmetry: Symmetry, players: int, chance: random.Random) -> None:
        self.width, self.height = cols, rows
        self.symmetry = symmetry
        self.groups = fair_groups(symmetry, players)
        self.players = players
        self.cells = [" "] * (rows * cols)
        self.order = list(range(rows * cols))
        """All squares, in the order in which they are taken."""
        chance.shuffle(self.order)

    def rows(self) -> tuple[str, ...]:
        whole = "".join(self.cells)
        return tuple(whole[start : start + self.width] for start in range(0, len(whole), self.width))

    def scatter(self, character: str, count: int) -> None:
        """Put up to ``count`` of them on free squares, each with all its images; what is left over would not be symmetric."""
        for square in self.order:
            if not count:
                return
            if self.cells[square] == " ":
                images = self.images(square)
                if len(images) <= count:
                    count -= len(images)
                    for image in images:
                        self.cells[image] = character

    def images(self, square: int) -> list[int]:
        return orbit(self.symmetry, square, self.width, self.height)

    def place_tanks(self, tanks: int) -> bool:
        """Put the tanks of all players into the largest part of the board; False if they do not fit."""
        regions = find_regions(self.rows())
        if not regions.sizes:
            return False
        home = regions.sizes.index(max(regions.sizes))
        missing = [group for group in self.groups for _ in range(tanks)]
        for square in self.order:
            if not missing:
                break
            if self.cells[square] != " " or regions.part[square] != home:
                continue
            group = missing[-1]
            images = self.images(square)
            if (
                len(images) == len(group)
                and all(regions.part[image] == home for image in images)
                and self._try_group(group, images)
            ):
                missing.pop()
        return not missing

    def _try_group(self, group: list[int], squares: list[int]) -> bool:
        for player, square in zip(group, squares, strict=True):
            self.cells[square] = str(player)
        if not any(self._is_in_danger(square) for square in squares):
            return True
        for square in squares:
            self.cells[square] = " "
        return False

    def _is_in_danger(self, square: int) -> bool:
        """Whether the tank there could be shot at once, or shoot an enemy at once."""
        own = int(self.cells[square])
        ahead = self._first_tank(square, START_HEADINGS[own])
        if ahead not in (0, own):
            return True
        enemies = (player for player in range(1, self.players + 1) if player != own)
        return any(self._first_tank(square, START_HEADINGS[enemy] ^ 4) == enemy for enemy in enemies)

    def _first_tank(self, square: int, heading: int) -> int:
        """Whose tank comes first in that direction within deadly distance; 0 if a wall or nothing does."""
        y, x = divmod(square, self.width)
        for _ in range(LAST_DEADLY_DISTANCE):
            x, y = (x + STEP_X[heading]) % self.width, (y + STEP_Y[heading]) % self.height
            character = self.cells[y * self.width + x]
            if character == "#":
                return 0
            if character.isdigit():
                return int(character)
        return 0
