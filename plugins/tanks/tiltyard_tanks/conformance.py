"""Replay recorded games: ``python -m tiltyard_tanks.conformance FILE``.

The file is a JSON list (or its gzip) of ``{id, max_steps, num_shells, rows, cols, grid, scripts, expect}``.
``scripts["1"][i]`` has one letter a round for player 1's tank with the index i: F MoveForward, B MoveBackward, L RotateLeft90,
R RotateRight90, l RotateLeft45, r RotateRight45, S Shoot, G GetBattleInfo, D DoNothing. ``expect`` has any of ``winner``,
``reason``, ``rounds``, ``remaining_tanks``, ``final_board``, ``log``, ``views_sha256`` and ``n_views``. ``views_sha256`` is over
every view in order: its rows with a newline after each, and one more after the view. Every game is played through the public
GameManager interface.
"""

from __future__ import annotations

import hashlib
import sys
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Final

from tiltyard_engine.errors import kind_of
from tiltyard_engine.match import GameManager, Match
from tiltyard_engine.records import TankTeam
from tiltyard_engine.results import GameResult
from tiltyard_engine.seat_kinds.inline import InlineTankSeat
from tiltyard_engine.seats import TankSeat
from tiltyard_engine.tanks import ActionRequest, BattleInfo, Player, SatelliteView, TankAlgorithm
from tiltyard_engine.texts.quantities import counted
from tiltyard_kit.conformance import MalformedFileError, check_files, list_of
from tiltyard_tanks.manager import TanksGameManager
from tiltyard_tanks.maps import MAX_SQUARES, TankMap, player_arguments

LETTERS: Final = dict(zip("FBLRlrSGD", ActionRequest, strict=True))
"""The letters of a script, in the order of the actions' numbers."""

MOST_STEPS: Final = 100_000
"""Each step of a recorded game is played."""
RECORD_KEYS: Final = ("id", "max_steps", "num_shells", "rows", "cols", "grid", "scripts", "expect")


class ScriptedTank(TankAlgorithm):
    """Plays a string of action letters; after its end it does nothing."""

    def __init__(self, script: str) -> None:
        self._actions = iter([LETTERS[letter] for letter in script])

    def get_action(self) -> ActionRequest:
        """The action of the next letter in the script."""
        return next(self._actions, ActionRequest.DO_NOTHING)

    def update_battle_info(self, info: BattleInfo) -> None:
        """Ignore the board: a script decides without it."""


class _CopyingPlayer(Player):
    """Copies every view that it is handed to a list, which both seats share."""

    def __init__(self, views: list[str], width: int, height: int) -> None:
        self._views = views
        self._width, self._height = width, height

    def update_tank_with_battle_info(self, tank: TankAlgorithm, satellite_view: SatelliteView) -> None:
        rows = satellite_view.get_rows(self._width, self._height)
        self._views.append("".join(row + "\n" for row in rows) + "\n")
        tank.update_battle_info(BattleInfo())


def scripted_team(name: str, scripts: Sequence[str], views: list[str]) -> TankTeam:
    """A team whose tank ``i`` plays ``scripts[i]``."""
    return TankTeam(
        name,
        player=lambda index, width, height, max_steps, num_shells: _CopyingPlayer(views, width, height),
        tank=lambda index, tank_index: ScriptedTank(scripts[tank_index]),
    )


def read_record(game: object) -> tuple[TankMap, list[list[str]], Mapping[str, Any]]:
    """The start position, the scripts of each player's tanks, and what is expected.

    Raises:
        MalformedFileError: says which part of the record is missing or wrong.
    """
    if not isinstance(game, dict):
        raise MalformedFileError(f"expected a game, got {kind_of(game)}")
    missing = [key for key in RECORD_KEYS if key not in game]
    if missing:
        raise MalformedFileError(f"missing: {', '.join(missing)}")
    for key, least in (("max_steps", 0), ("num_shells", 0), ("rows", 1), ("cols", 1)):
        if type(game[key]) is not int or game[key] < least:
            raise MalformedFileError(f"{key}: expected a whole number of at least {least}, got {game[key]!r:.40}")
    if game["max_steps"] > MOST_STEPS:
        raise MalformedFileError(f"max_steps: expected at most {MOST_STEPS}, got {game['max_steps']!r:.40}")
    scripts = _read_scripts(game["scripts"])
    grid = _read_grid(game["grid"], game["rows"], game["cols"], len(scripts))
    for player, own in enumerate(scripts, start=1):
        tanks = sum(row.count(str(player)) for row in grid)
        if tanks != len(own):
            raise MalformedFileError(
                f"scripts: player {player} has {counted(tanks, 'tank')} in the grid and {counted(len(own), 'script')}"
            )
    if not isinstance(game["expect"], dict):
        raise MalformedFileError("expect: expected an object")
    return (
        TankMap(title=str(game["id"]), max_steps=game["max_steps"], num_shells=game["num_shells"], grid=grid, players=len(scripts)),
        scripts,
        game["expect"],
    )


def _read_scripts(scripts: object) -> list[list[str]]:
    if not isinstance(scripts, dict) or not 2 <= len(scripts) <= 9:
        raise MalformedFileError("scripts: expected the scripts of two to nine players")
    read: list[list[str]] = []
    for player in range(1, len(scripts) + 1):
        own = scripts.get(str(player))
        if not isinstance(own, list) or not all(isinstance(script, str) for script in own):
            raise MalformedFileError(f"scripts: expected a list of strings for player {player}")
        for number, script in enumerate(own):
            wrong = sorted(set(script) - set(LETTERS))
            if wrong:
                raise MalformedFileError(
                    f"scripts: {wrong[0]!r} of player {player}, tank {number}, is not one of {''.join(LETTERS)}"
                )
        read.append(own)
    return read


def _read_grid(grid: object, height: int, width: int, players: int) -> tuple[str, ...]:
    if not isinstance(grid, list) or len(grid) != height or not all(isinstance(row, str) for row in grid):
        raise MalformedFileError(f"grid: expected {height} strings")
    if height * width > MAX_SQUARES:
        raise MalformedFileError(f"cols: a board of {height} x {width} squares; the limit is {MAX_SQUARES:,} squares")
    letters = " #@" + "".join(str(player) for player in range(1, players + 1))
    for number, row in enumerate(grid, start=1):
        if len(row) > width or set(row) - set(letters):
            raise MalformedFileError(
                f"grid, row {number}: expected at most {width} of the characters '{letters}', got '{row[:60]}'"
            )
    return tuple(row.ljust(width) for row in grid)


def play(
    tank_map: TankMap, scripts: Sequence[Sequence[str]], manager: GameManager[TankMap, TankSeat]
) -> tuple[GameResult, list[str]]:
    """Play one recorded game, with a list of scripts for each player: the result, and every view that was handed out."""
    views: list[str] = []
    seats = [
        InlineTankSeat(index, scripted_team(f"script{index}", own, views), player_arguments(tank_map), "raise")
        for index, own in enumerate(scripts, start=1)
    ]
    return manager.run(Match(map=tank_map, map_name=tank_map.title, seats=seats, verbose=True)), views


def differences(game: object, manager: GameManager[TankMap, TankSeat]) -> list[str]:
    """The fields of ``expect`` that came out differently, each with both values; or why the game cannot be played."""
    try:
        tank_map, scripts, expect = read_record(game)
    except MalformedFileError as error:
        return [f"not a game: {error}"]
    result, views = play(tank_map, scripts, manager)
    faults = [fault.message for fault in result.faults]
    got: dict[str, object] = {
        "winner": result.winner,
        "reason": result.reason,
        "rounds": result.rounds,
        "remaining_tanks": list(result.remaining_tanks),
        "final_board": list(result.final_state),
        "log": result.log,
        "views_sha256": hashlib.sha256("".join(views).encode()).hexdigest(),
        "n_views": len(views),
    }
    unknown = [f"{field}: unknown field" for field in expect if field not in got]
    missing = [f"{field}: missing from the expected result" for field in got if field not in expect]
    different = [_difference(field, expect[field], got[field]) for field in expect if field in got and expect[field] != got[field]]
    return [*faults, *unknown, *missing, *different]


def _difference(field: str, expected: object, got: object) -> str:
    if isinstance(expected, str) and isinstance(got, str) and "\n" in expected:
        expected, got = expected.splitlines(), got.splitlines()
    if isinstance(expected, list) and isinstance(got, list) and field != "remaining_tanks":
        for number, (left, right) in enumerate(zip(expected, got), start=1):
            if left != right:
                return f"{field}, line {number}: expected {left!r}, got {right!r}"
        return f"{field}: expected {len(expected)} lines, got {len(got)}"
    return f"{field}: expected {expected!r}, got {got!r}"


def problems(tables: object, path: Path) -> Iterator[tuple[str, list[str]]]:
    """Each game of a file by its name, with what came out differently."""
    for number, game in enumerate(list_of(tables, "games")):
        name = game["id"] if isinstance(game, dict) and "id" in game else f"number {number}"
        yield f"game {name}", differences(game, TanksGameManager())


def main(arguments: Sequence[str] | None = None) -> int:
    """Check the files named on the command line; 0 when every game agrees, 1 on a difference, 2 on a wrong call."""
    return check_files(sys.argv[1:] if arguments is None else arguments, __doc__, problems)


if __name__ == "__main__":
    sys.exit(main())
