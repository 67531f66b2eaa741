"""What an organiser wants to know about a map file before a tournament is played on it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Final

from tiltyard_engine.texts.sanitize import printable
from tiltyard_kit.sheet import table_lines
from tiltyard_tanks.maps import TankMap, count_players, read_map
from tiltyard_tanks.survey import LineOfFire, Regions, find_regions, hit_round, lines_of_fire, parts_with_tanks
from tiltyard_tanks.symmetry import BoardSymmetry, Symmetry, fair_groups, find_symmetries, is_mirrored_top_to_bottom

MOST_LINES: Final = 5
"""Lines of fire that are listed one by one; of the others only the number is told."""

IN_WORDS: Final = {Symmetry.HALF_TURN: "half turn", Symmetry.MIRROR: "left-right mirror", Symmetry.QUARTER_TURN: "quarter turn"}


@dataclass(frozen=True, slots=True)
class MapReport:
    """A usable map file, examined."""

    name: str
    tank_map: TankMap
    facts: tuple[tuple[str, str], ...]
    """(topic, what was found) pairs."""
    warnings: tuple[str, ...]
    """What makes a match on this map unfair, short or pointless."""

    @property
    def recovered(self) -> tuple[str, ...]:
        """Errors of the file that the reader repairs."""
        return self.tank_map.recovered

    @property
    def is_clean(self) -> bool:
        """Whether there is nothing to fix."""
        return not self.warnings and not self.recovered

    def text(self) -> str:
        """The report for people, one finding a line."""
        lines = [f"{self.name}: {'fine' if self.is_clean else 'usable, with warnings'}"]
        lines += [f"  {line}" for line in table_lines(self.facts)]
        lines += [f"  repaired: {error}" for error in self.recovered]
        lines += [f"  warning: {warning}" for warning in self.warnings]
        return "\n".join(printable(line) for line in lines) + "\n"


def check_map(name: str, data: bytes, players: int | None = None) -> MapReport:
    """Examine a map file, for as many players as it was made for unless told otherwise.

    Raises:
        MapError: no match can be played on it.
    """
    made_for = count_players(name, data)
    tank_map = read_map(name, data, players or made_for)
    tanks = [sum(row.count(str(player)) for row in tank_map.grid) for player in range(1, tank_map.players + 1)]
    symmetries = find_symmetries(tank_map.grid, tank_map.players)
    regions = find_regions(tank_map.grid)
    parts = parts_with_tanks(tank_map.grid, regions)
    lines = lines_of_fire(tank_map.grid)
    facts = (
        ("title", tank_map.title),
        ("board", f"{tank_map.height} rows x {tank_map.width} columns"),
        ("limits", f"MaxSteps {tank_map.max_steps}, NumShells {tank_map.num_shells}"),
        ("players", f"made for {made_for}" + (f", checked for {tank_map.players}" if tank_map.players != made_for else "")),
        ("tanks", ", ".join(f"player {player}: {count}" for player, count in enumerate(tanks, start=1))),
        ("ground", _ground(tank_map)),
        ("symmetry", _symmetry(symmetries, tank_map.players)),
        ("driving", _driving(regions, parts)),
        ("first shots", _first_shots(lines)),
    )
    warnings = (
        *_limit_warnings(tank_map),
        *_team_warnings(tanks),
        *_fairness_warnings(tank_map, symmetries, tanks),
        *_driving_warnings(parts),
        *_fire_warnings(lines, tank_map.width),
    )
    return MapReport(name, tank_map, facts, warnings)


def _ground(tank_map: TankMap) -> str:
    cells = "".join(tank_map.grid)
    return f"walls {cells.count('#') / len(cells):.1%}, mines {cells.count('@') / len(cells):.1%}"


def _symmetry(symmetries: list[BoardSymmetry], players: int) -> str:
    if not symmetries:
        return "none"
    names = " and ".join(_symmetry_name(symmetry) for symmetry in symmetries)
    groups = fair_groups(symmetries[0].symmetry, players)
    if len(groups) == 1:
        return f"{names}: fair to all players"
    return f"{names}: fair within the groups {_group_names(groups)}"


def _symmetry_name(board_symmetry: BoardSymmetry) -> str:
    name = IN_WORDS[board_symmetry.symmetry]
    return (
        name
        if board_symmetry.is_centred
        else f"{name} (around a centre across the edges: {board_symmetry.right} right and {board_symmetry.down} down)"
    )


def _group_names(groups: list[list[int]]) -> str:
    return ", ".join("-".join(map(str, sorted(group))) for group in groups)


def _driving(regions: Regions, parts: list[Counter[int]]) -> str:
    if not parts:
        return "no tanks"
    where = "all tanks can reach each other" if len(parts) == 1 else f"the tanks are in {len(parts)} separate areas"
    spare = len(regions.sizes) - len(parts)
    return where + (f"; {spare} more area{'s' * (spare > 1)} without tanks" if spare else "")


def _first_shots(lines: list[LineOfFire]) -> str:
    if not lines:
        return "no tank starts in an enemy's line of fire"
    soonest = hit_round(min(line.distance for line in lines))
    return f"{_count(len(lines), 'tank')} could hit an enemy without turning, in round {soonest} at the earliest"


def _limit_warnings(tank_map: TankMap) -> Iterator[str]:
    if tank_map.max_steps == 0:
        yield "MaxSteps is 0: every match is a tie before its first round"
    if tank_map.num_shells == 0:
        yield "NumShells is 0: no tank can shoot"


def _team_warnings(tanks: list[int]) -> Iterator[str]:
    without = [player for player, count in enumerate(tanks, start=1) if not count]
    if len(without) == len(tanks):
        yield "there are no tanks: every match is a tie before its first round"
    elif without:
        yield f"{_players(without)} without tanks and lost before the first round"


def _fairness_warnings(tank_map: TankMap, symmetries: list[BoardSymmetry], tanks: list[int]) -> Iterator[str]:
    if len(set(tanks)) > 1:
        yield f"not fair: the players have different numbers of tanks ({', '.join(map(str, tanks))})"
    elif symmetries:
        groups = fair_groups(symmetries[0].symmetry, tank_map.players)
        if len(groups) > 1:
            yield f"not fair between the groups {_group_names(groups)}"
    elif tank_map.players == 2 and is_mirrored_top_to_bottom(tank_map.grid):
        yield "not fair: top and bottom mirror each other, but player 1 starts facing left in both; mirror left and right instead"
    else:
        yield "not fair: no symmetry of the board gives all players the same start"


def _driving_warnings(parts: list[Counter[int]]) -> Iterator[str]:
    """Tanks that have to shoot their way to any enemy."""
    stranded: Counter[int] = Counter()
    everybody = set().union(*parts)
    if len(everybody) < 2:
        return
    for part in parts:
        if len(part) == 1:
            stranded.update(part)
    for player, count in sorted(stranded.items()):
        yield f"{_count(count, 'tank')} of player {player} cannot reach any enemy by driving: walls or mines are in the way"
    if not stranded and len(parts) > 1:
        yield f"the board is split into {len(parts)} areas by walls or mines, and each has tanks of several players"


def _fire_warnings(lines: list[LineOfFire], width: int) -> Iterator[str]:
    deadly = [line for line in lines if line.is_deadly]
    for line in deadly[:MOST_LINES]:
        yield (
            f"the tank of player {line.player} at {_place(line.square, width)} can hit player {line.enemy} at"
            f" {_place(line.target, width)} in round {hit_round(line.distance)}, before it could notice and move away"
        )
    if len(deadly) > MOST_LINES:
        yield f"{len(deadly) - MOST_LINES} more tanks can hit an enemy that early"


def _place(square: int, width: int) -> str:
    y, x = divmod(square, width)
    return f"row {y + 1}, column {x + 1}"


def _count(number: int, what: str) -> str:
    return f"{number} {what}{'' if number == 1 else 's'}"


def _players(numbers: Iterable[int]) -> str:
    names = [str(number) for number in numbers]
    return f"player {names[0]} is" if len(names) == 1 else f"players {', '.join(names)} are"
