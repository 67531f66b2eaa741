"""Replay recorded games: ``python -m tiltyard_tanks.conformance FILE``.

The file is a JSON list (or its gzip) of ``{id, max_steps, num_shells, rows, cols, grid, scripts, expect}``;
docs/reference/conformance.md describes it. Every game is played through the public GameManager interface.
"""

from __future__ import annotations

import gzip
import hashlib
import json
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Final

from tiltyard_engine.inline import InlineTankSeat
from tiltyard_engine.match import GameManager, Match
from tiltyard_engine.records import TankTeam
from tiltyard_engine.results import GameResult
from tiltyard_engine.seats import TankSeat
from tiltyard_engine.tanks import ActionRequest, BattleInfo, Player, SatelliteView, TankAlgorithm
from tiltyard_tanks.manager import TanksGameManager
from tiltyard_tanks.maps import TankMap, player_arguments

LETTERS: Final = dict(zip("FBLRlrSGD", ActionRequest, strict=True))
"""The letters of a script, in the order of the actions' numbers."""


class ScriptedTank(TankAlgorithm):
    """Plays a string of action letters; after its end it does nothing."""

    def __init__(self, script: str) -> None:
        self._actions = iter([LETTERS[letter] for letter in script])

    def get_action(self) -> ActionRequest:
        """The next letter's action."""
        return next(self._actions, ActionRequest.DO_NOTHING)

    def update_battle_info(self, info: BattleInfo) -> None:
        """Scripts know everything already."""


class _HashingPlayer(Player):
    """Adds every view that it is handed to a digest shared by both seats."""

    def __init__(self, views: _Views, width: int, height: int) -> None:
        self._views = views
        self._width, self._height = width, height

    def update_tank_with_battle_info(self, tank: TankAlgorithm, satellite_view: SatelliteView) -> None:
        rows = satellite_view.get_rows(self._width, self._height)
        self._views.add("".join(row + "\n" for row in rows) + "\n")
        tank.update_battle_info(BattleInfo())


class _Views:
    def __init__(self) -> None:
        self.count = 0
        self._digest = hashlib.sha256()

    def add(self, text: str) -> None:
        self.count += 1
        self._digest.update(text.encode())

    def hexdigest(self) -> str:
        return self._digest.hexdigest()


def scripted_team(name: str, scripts: Sequence[str], views: _Views) -> TankTeam:
    """A team whose tank ``i`` plays ``scripts[i]``."""
    return TankTeam(
        name,
        player=lambda index, width, height, max_steps, num_shells: _HashingPlayer(views, width, height),
        tank=lambda index, tank_index: ScriptedTank(scripts[tank_index]),
    )


def play(game: Mapping[str, Any], manager: GameManager[TankMap, TankSeat]) -> tuple[GameResult, _Views]:
    """Play one recorded game; the seats are as many as it has scripts."""
    scripts = game["scripts"]
    grid = tuple(row.ljust(game["cols"]) for row in game["grid"])
    tank_map = TankMap(str(game["id"]), game["max_steps"], game["num_shells"], grid, len(scripts))
    views = _Views()
    seats = [
        InlineTankSeat(index, scripted_team(f"script{index}", scripts[str(index)], views), player_arguments(tank_map), "raise")
        for index in range(1, len(scripts) + 1)
    ]
    return manager.run(Match(tank_map, tank_map.title, seats, verbose=True)), views


def differences(game: Mapping[str, Any], manager: GameManager[TankMap, TankSeat]) -> list[str]:
    """The fields of ``expect`` that came out differently, each with both values."""
    result, views = play(game, manager)
    faults = [f"{seat_fault.message}" for seat_fault in result.faults]
    got: dict[str, object] = {
        "winner": result.winner,
        "reason": result.reason,
        "rounds": result.rounds,
        "remaining_tanks": list(result.remaining_tanks),
        "final_board": list(result.final_state),
        "log": result.log,
        "views_sha256": views.hexdigest(),
        "n_views": views.count,
    }
    expect = game["expect"]
    unknown = [f"{field}: not a field this check knows" for field in expect if field not in got]
    different = [_difference(field, expect[field], got[field]) for field in expect if field in got and expect[field] != got[field]]
    return [*faults, *unknown, *different]


def _difference(field: str, expected: object, got: object) -> str:
    if isinstance(expected, str) and isinstance(got, str) and "\n" in expected:
        expected, got = expected.splitlines(), got.splitlines()
    if isinstance(expected, list) and isinstance(got, list) and field != "remaining_tanks":
        for number, (left, right) in enumerate(zip(expected, got), start=1):
            if left != right:
                return f"{field}, line {number}: expected {left!r}, got {right!r}"
        return f"{field}: expected {len(expected)} lines, got {len(got)}"
    return f"{field}: expected {expected!r}, got {got!r}"


def read_games(path: Path) -> list[Mapping[str, Any]]:
    """The games of a file, gzipped or not."""
    data = path.read_bytes()
    if data[:2] == b"\x1f\x8b":
        data = gzip.decompress(data)
    games = json.loads(data)
    if not isinstance(games, list):
        raise ValueError("expected a JSON list of games")  # noqa: TRY004 -- main reports both kinds alike
    return games


def main(arguments: Sequence[str] | None = None) -> int:
    """Check the files named on the command line; 0 when every game agrees, 1 on a difference, 2 on a wrong call."""
    paths = list(sys.argv[1:] if arguments is None else arguments)
    if not paths or paths[0] in ("-h", "--help"):
        print(__doc__)
        return 0 if paths else 2
    passed = failed = 0
    for path in paths:
        try:
            games = read_games(Path(path))
        except (OSError, ValueError) as error:
            print(f"{path}: cannot be read as a conformance file: {error}", file=sys.stderr)
            return 2
        for game in games:
            found = differences(game, TanksGameManager())
            for difference in found:
                print(f"game {game['id']}: {difference}")
            passed += not found
            failed += bool(found)
    print(f"{passed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
