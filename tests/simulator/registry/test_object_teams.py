"""Teams that a program gives as objects."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import Any

import pytest

from tiltyard_engine import ActionRequest, BattleInfo, TankAlgorithm, TankTeam, TurnAlgorithm, TurnTeam, UserError
from tiltyard_engine.programs import ProgramTeam
from tiltyard_engine.records import Game
from tiltyard_engine.registry import Reference
from tiltyard_simulator.registry.object_teams import BoardPlayer, ObjectRecords, is_named, team_record


class Still(TankAlgorithm):
    """Its constructor takes nothing, as that of most first attempts."""

    def get_action(self) -> ActionRequest:
        return ActionRequest.DO_NOTHING

    def update_battle_info(self, info: BattleInfo) -> None:
        pass


class Seated(TurnAlgorithm[Any, Any]):
    def __init__(self, seat: int) -> None:
        self.seat = seat

    def choose(self, position: Any) -> Any:
        return self.seat


def double(position: int) -> int:
    return 2 * position


@pytest.fixture(scope="module")
def tanks_game(tanks: Reference) -> Game[Any]:
    return tanks.load_as(Game)


@pytest.fixture(scope="module")
def nim_game(nim: dict[str, Reference]) -> Game[Any]:
    return nim["nim"].load_as(Game)


def test_a_tank_class_gets_a_player_that_shows_the_board(tanks_game: Game[Any]) -> None:
    team = team_record(Still, "still", tanks_game)
    assert isinstance(team, TankTeam)
    assert (team.name, team.game, team.player) == ("still", "tanks", BoardPlayer)
    assert isinstance(team.tank(1, 0), Still)


def test_classes_and_functions_of_games_by_turns(nim_game: Game[Any]) -> None:
    seated, function = team_record(Seated, "seated", nim_game), team_record(double, "double", nim_game)
    assert isinstance(seated, TurnTeam)
    assert isinstance(function, TurnTeam)
    assert seated.create(2).choose(None) == 2
    assert function.create(1).choose(21) == 42
    assert function.game == "nim"


def test_records_keep_what_they_say_but_their_name(tanks_game: Game[Any]) -> None:
    team = TankTeam("declared", BoardPlayer, Still, "tanks", "stands still")  # type: ignore[arg-type]
    found = team_record(team, "shown", tanks_game)
    assert found == TankTeam("shown", BoardPlayer, Still, "tanks", "stands still")  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("value", "game", "message"),
    [
        (double, "tanks_game", "'x' is a function, but tanks is played with tanks: give a TankAlgorithm class"),
        (Seated, "tanks_game", "'x' is the class Seated, but tanks is played with tanks"),
        (Still, "nim_game", "'x' is the class Still, but nim is a game by turns: give a TurnAlgorithm class"),
    ],
)
def test_what_is_no_team_of_the_game(value: Any, game: str, message: str, request: pytest.FixtureRequest) -> None:
    with pytest.raises(UserError, match=message):
        team_record(value, "x", request.getfixturevalue(game))


@pytest.mark.parametrize(
    ("value", "message"),
    [
        (3, r"expected a name, a path, a TankTeam or TurnTeam, a class, .* got an integer \(3\)"),
        (Still(), "each match makes one of its own, so give the class itself"),
        (ProgramTeam(name="robot", game="filler", command=("./robot",)), "'robot' is a program: name its file or its folder"),
    ],
)
def test_what_is_no_team_at_all(value: Any, message: str) -> None:
    with pytest.raises(UserError, match=message):
        ObjectRecords().team(value)


def test_names() -> None:
    objects = ObjectRecords()
    assert objects.team("acorn") == "acorn"
    assert objects.team(Path("bots")) == "bots"
    assert objects.team(Still) == "<Still>"
    assert objects.team(Still) == "<Still>", "a team may play against itself"
    assert objects.team(type("Still", (Still,), {})) == "<Still (2)>"
    assert objects.team(Still, "v1") == "<v1>"
    assert objects.team(lambda position: 1) == "<lambda>"
    assert objects.team(partial(double)) == "<double>"
    assert [team.name for team in objects.teams.values()] == ["Still", "Still (2)", "v1", "lambda", "double"]
    assert is_named("acorn")
    assert is_named(Path("bots"))
    assert not is_named(Still)
