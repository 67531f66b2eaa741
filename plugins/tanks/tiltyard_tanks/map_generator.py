"""Random maps: of any size, density and symmetry, and always the same one for the same seed."""

from __future__ import annotations

import random
from typing import Final

from tiltyard_engine.data_classes import dataclass
from tiltyard_engine.errors import MapError
from tiltyard_engine.texts.quantities import counted
from tiltyard_tanks.battle import START_HEADINGS, STEP_X, STEP_Y
from tiltyard_tanks.maps import MAX_SQUARES, TankMap, write_map
from tiltyard_tanks.survey import LAST_DEADLY_DISTANCE, find_regions
from tiltyard_tanks.symmetry import FAIR, Symmetry, SymmetryName, fair_groups, orbit, player_images

ATTEMPTS: Final = 60
"""Boards tried before giving up: enough where one board in ten would do."""
FEWEST_ATTEMPTS: Final = 3
MOST_WORK: Final = 2_000_000
"""Squares filled in all attempts together: large boards of one density are all alike, and more of them only take time."""
LARGEST_LIMIT: Final = 999_999_999_999
"""The reader takes numbers of up to twelve digits."""


@dataclass(frozen=True, slots=True, kw_only=True)
class MapOptions:
    """What a generated map can be asked for, at the command line and in a tournament file."""

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
    symmetry: SymmetryName | None = None
    """None: half-turn, which is fair to most numbers of players, or none for an odd number."""


def generate_map_file(options: MapOptions, seed: int, players: int) -> bytes:
    """The map file of ``generate_map``; errors as there."""
    return write_map(generate_map(options, seed, players)).encode("utf-8")


def generate_map(options: MapOptions, seed: int, players: int = 2, title: str = "") -> TankMap:
    """A random map.

    A symmetric board may have up to three walls and three mines fewer than the options ask for. Every tank can drive to every
    other one without touching a mine, and no first shot hits an enemy that could not have left in time (see
    ``survey.LAST_DEADLY_ROUND``).

    Raises:
        MapError: there is no such map; says which option to change.
    """
    rows, cols, tanks = options.rows, options.cols, options.tanks
    symmetry = Symmetry(options.symmetry or ("none" if players % 2 else "half-turn"))
    _check_numbers(options, players)
    _check_symmetry(symmetry, rows, cols, players)
    wall_count, mine_count = _check_densities(options, tanks * players)
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
            return TankMap(title=title, max_steps=options.steps, num_shells=options.shells, grid=board.rows(), players=players)
    raise MapError(
        f"found no board in {attempts} tries on which all {tanks * players} tanks can drive to each other and none is shot at once;"
        f" use fewer walls (now {options.walls:g}), mines (now {options.mines:g}) or tanks, or a larger board"
    )


def _check_numbers(options: MapOptions, players: int) -> None:
    for name, least in (("rows", 1), ("cols", 1), ("shells", 0), ("steps", 0), ("tanks", 1)):
        value = getattr(options, name)
        if not least <= value <= LARGEST_LIMIT:
            raise MapError(f"{name} must be from {least} to {LARGEST_LIMIT:,}, not {value}")
    if not 2 <= players <= 9:
        raise MapError(f"players must be from 2 to 9, not {players}")
    if options.rows * options.cols > MAX_SQUARES:
        raise MapError(f"a board of {options.rows} x {options.cols} squares is too large; the limit is {MAX_SQUARES:,} squares")


def _check_symmetry(symmetry: Symmetry, rows: int, cols: int, players: int) -> None:
    if player_images(symmetry, players) is None:
        fitting = [Symmetry.NONE, *(other for other in FAIR if player_images(other, players) is not None)]
        raise MapError(
            f"{symmetry} is not fair to {players} players, because it does not swap their start headings;"
            f" for {players} players, use {' or '.join(fitting)}"
        )
    if symmetry is Symmetry.QUARTER_TURN and rows != cols:
        raise MapError(f"{symmetry} needs as many rows as columns, not {rows} x {cols}")


def _check_densities(options: MapOptions, tanks: int) -> tuple[int, int]:
    """How many walls and mines that makes."""
    for name, share in (("walls", options.walls), ("mines", options.mines)):
        if not 0 <= share <= 1:
            raise MapError(f"{name} must be a share from 0 to 1, not {share}")
    squares = options.rows * options.cols
    wall_count, mine_count = round(squares * options.walls), round(squares * options.mines)
    if wall_count + mine_count + tanks > squares:
        raise MapError(
            f"{counted(wall_count, 'wall')}, {counted(mine_count, 'mine')} and {counted(tanks, 'tank')} need more than"
            f" the {counted(squares, 'square')} of the board;"
            " use fewer of them or a larger board"
        )
    return wall_count, mine_count


class _Board:
    """One attempt at a board with the walls, mines and tanks that were asked for."""

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
