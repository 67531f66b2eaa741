"""Matches and tournaments of what a program has itself: classes, functions and records in place of names."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from tests.tournaments.library.duel import DUEL_MAP, Shooter, Still

import tiltyard_tournaments as tiltyard
from tiltyard_engine import ActionRequest, Game, GameManager, Manager, MapFile, TurnTeam
from tiltyard_engine.registry import Reference
from tiltyard_engine.registry.loading import _GIVEN


class Asking(Shooter):
    """Asks once, and shoots where the board that it gets is one."""

    def __init__(self) -> None:
        self.rows: tuple[str, ...] = ()

    def get_action(self) -> ActionRequest:
        return ActionRequest.SHOOT if self.rows else ActionRequest.GET_BATTLE_INFO

    def update_battle_info(self, info: Any) -> None:
        assert len(info.rows) == 3
        self.rows = info.rows


@pytest.fixture(autouse=True)
def nothing_is_kept() -> Iterator[None]:
    # A notebook of another test may still be open.
    before = set(_GIVEN)
    yield
    gc.collect()
    assert _GIVEN.keys() <= before, "given records are forgotten with those who gave them"


def test_a_match_of_classes() -> None:
    match = tiltyard.play([Still, Shooter], DUEL_MAP)
    assert match.teams == ("Still", "Shooter")
    assert match.winner_name == "Shooter"
    assert match.held == ("inline", "inline")
    assert match.faults == ()
    assert tiltyard.play([Still, Asking], DUEL_MAP).winner_name == "Asking"
    assert tiltyard.play([Shooter, Shooter], DUEL_MAP).teams == ("Shooter", "Shooter")


def test_a_function_and_a_game_of_ones_own(nim: dict[str, Reference]) -> None:
    game, referee = nim["nim"].load_as(Game), nim["referee"].load()
    take = type(nim["perfect"].load_as(TurnTeam).create(1).choose(game.maps.read("", b"5", 2)))

    def one(position: Any) -> Any:
        return take(1)

    match = tiltyard.play([one, nim["perfect"].load()], MapFile("five", "nim", b"6"), game=game, manager=referee)
    assert (match.teams, match.winner_name) == (("one", "perfect"), "perfect")
    cup = tiltyard.tournament(
        game=game, manager=referee, teams={"one": one, "well": nim["perfect"].load()}, maps=MapFile("six", "nim", b"6")
    )
    assert [row["winner"] for row in cup.run().results()] == ["well", "well"]


def test_a_manager_class_needs_the_game(reference_manager: Reference) -> None:
    manager = reference_manager.load_as(Manager)

    class Own(GameManager[Any, Any]):
        def run(self, match: Any) -> Any:
            return replace(manager.create().run(match), message="as I say")

    assert tiltyard.play([Still, Shooter], DUEL_MAP, game="tanks", manager=Own).message == "as I say"
    with pytest.raises(tiltyard.UserError, match="the GameManager Own doesn't say which game it is for: name the game too"):
        tiltyard.play([Still, Shooter], DUEL_MAP, manager=Own)
    with pytest.raises(tiltyard.UserError, match="the game manager 'reference' is already contributed by"):
        tiltyard.play([Still, Shooter], DUEL_MAP, manager=manager)


def test_a_tournament_of_objects_and_names(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    cup = tiltyard.tournament(teams=[Shooter, {"team": Still, "name": "rock"}, "acorn"], maps=[DUEL_MAP])
    assert cup.teams == ("Shooter", "rock", "acorn")
    assert cup.run(workers=2).status().complete
    assert {row["held"] for row in cup.seats() if row["team"] == "rock"} == {"inline"}
    keys = {row["key"] for row in cup.results()}
    assert not list(tmp_path.iterdir()), "what no other session can use is not left among the user's files"
    assert cup.folder.is_dir()
    # An object's code may have changed behind its name, so nothing of it counts in another tournament.
    again = tiltyard.tournament(teams=[Shooter, Still, "acorn"], maps=[DUEL_MAP])
    assert not keys & {row["key"] for row in again.run().results() if row["player_1"] != "acorn" or row["player_2"] != "acorn"}
    folders = [cup.folder, again.folder]
    del cup, again
    gc.collect()
    assert not any(folder.exists() for folder in folders)


def test_where_results_go_if_that_is_said(tmp_path: Path) -> None:
    cup = tiltyard.tournament(teams=[Shooter, Still], maps=[DUEL_MAP], output=tmp_path / "kept").run()
    assert cup.run().status().done == 2
    assert (tmp_path / "kept" / "tournament.sqlite").is_file()


@pytest.mark.parametrize("isolation", ["process", "sandbox"])
def test_no_sandbox_is_lost_in_silence(isolation: str) -> None:
    message = f"'Shooter' is an object of this program, .* the isolation is '{isolation}'.*%%writefile Shooter.py"
    with pytest.raises(tiltyard.UserError, match=message):
        tiltyard.play([Shooter, "acorn"], DUEL_MAP, isolation=isolation)
    with pytest.raises(tiltyard.TournamentFileError, match=message) as caught:
        tiltyard.tournament(teams=["acorn", Shooter], maps=[DUEL_MAP], isolation=isolation)
    assert [problem.key for problem in caught.value.problems] == ["teams[2]"]


def test_strangers_beside_an_object_stay_sandboxed(programs: Path) -> None:
    match = tiltyard.play([Shooter, f"{programs}/teams/sound.py:spinner"], DUEL_MAP)
    assert match.held[0] == "inline"
    assert match.held[1] != "inline"


def test_what_is_wrong_with_objects_is_told_like_all_else() -> None:
    with pytest.raises(tiltyard.TournamentFileError) as caught:
        tiltyard.tournament(teams=[Shooter, lambda position: 1, "acron"], maps=[DUEL_MAP])
    assert [problem.key for problem in caught.value.problems] == ["teams[2]", "teams[3]"]
    assert "'lambda' is a function, but tanks is played with tanks" in caught.value.problems[0].message
    with pytest.raises(tiltyard.UserError, match="expected a list of algorithms, such as"):
        tiltyard.play("acorn", DUEL_MAP)
