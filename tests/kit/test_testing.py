"""The face of the test kit: one call that checks a game, and fixtures that play its matches."""

from __future__ import annotations

import importlib
from dataclasses import replace
from importlib import metadata
from pathlib import Path

import pytest

from tiltyard_engine import ActionRequest, GameInterface, Manager, MapFile, TurnTeam, UserError
from tiltyard_engine.host import Host
from tiltyard_engine.host.plain_host import PlainHost
from tiltyard_engine.results import Termination
from tiltyard_kit.testing import GameCheckError, Mark, PlayMatch, check_game, parts_of, scripted, scripted_tanks

pytest_plugins = ["tiltyard_kit.testing"]
GAMES = Path(__file__).parents[1] / "programs" / "games"
NIM = GAMES / "nim.py"
SHOOT, LEFT, RIGHT = ActionRequest.SHOOT, ActionRequest.ROTATE_LEFT_45, ActionRequest.ROTATE_RIGHT_45


def test_scripted_algorithms_play_the_same_however_they_are_isolated(play_match: PlayMatch, isolation: str) -> None:
    record = play_match(NIM, [scripted(3, 3, 3), scripted(1, 2)], isolation=isolation)
    (fault,) = record.faults
    assert (record.winner, fault.seat, fault.termination, fault.message) == (2, 1, Termination.ILLEGAL_MOVE, "3 stones of 1")
    assert record.teams == ("scripted", "scripted")
    assert {held.partition(",")[0] for held in record.held} <= {isolation}


def test_scripted_tanks_play_in_processes_too(play_match: PlayMatch) -> None:
    teams = [scripted_tanks([SHOOT, LEFT, SHOOT]), scripted_tanks([RIGHT, RIGHT])]
    here, there = (play_match("tanks", teams, map="back-yard", rounds=4, isolation=each) for each in ("inline", "process"))
    assert here.rounds == 4
    assert (here.claim, here.replay and here.replay.frames) == (there.claim, there.replay and there.replay.frames)


def test_a_script_that_ends_early_is_a_fault(play_match: PlayMatch) -> None:
    record = play_match(NIM, [scripted(1), "perfect"])
    assert record.faults[0].message == "choose raised ScriptEndedError: the script has 1 answers, and was asked for another one"


def test_teams_of_a_test_that_no_process_can_find(play_match: PlayMatch) -> None:
    class Local:
        def __init__(self, seat: int) -> None:
            raise AssertionError

    with pytest.raises(UserError, match=r"'local' cannot play in another process: .*; it needs classes at the top of a module"):
        play_match(NIM, [TurnTeam("local", "nim", Local), "perfect"], isolation="process")  # type: ignore[arg-type]
    with pytest.raises(UserError, match="a script cannot be pickled"):
        scripted(Local)


def test_games_are_found_by_path_and_module() -> None:
    assert parts_of(NIM).game.name == parts_of(f"{NIM}:nim").game.name == "nim"
    penguins = parts_of(importlib.import_module("tiltyard_penguins.plugin"))
    assert (penguins.game.name, penguins.managers[0].name) == ("penguins", "penguins")
    assert [team.name for team in penguins.teams][:2] == ["penguins-champion", "penguins-greedy"]
    assert penguins.reference_of(penguins.teams[0]) is not None
    assert replace(penguins, references={}).reference_of(penguins.teams[0]) is None
    renamed = replace(penguins.managers[0], description="another one")
    assert penguins.reference_of(renamed) is None


@pytest.mark.parametrize(
    ("game", "options", "message"),
    [
        ("nothing-such", {}, "no game is called 'nothing-such'; known: "),
        ("./nowhere.py", {}, "nowhere.py: no such file or folder"),
        (str(GAMES.parent / "teams" / "sound.py"), {}, "sound.py: contributes no game"),
        (NIM, {"manager": "nobody"}, "no GameManager is called 'nobody'; known: nim-referee"),
        (NIM, {"map": "eleven"}, "no map is called 'eleven'; known: ten"),
        (NIM, {"players": ["imperfect"]}, "no algorithm is called 'imperfect'"),
        (NIM, {"only": ["beauty"]}, "no property is called 'beauty'"),
        (replace(parts_of(NIM), teams=()), {}, "the game nim has no algorithm in Python: yield one from algorithms(), or name one"),
        (
            replace(parts_of(NIM), game=replace(parts_of(NIM).game, interface=GameInterface())),
            {},
            "nim has seats of a kind of its own (GameInterface)",
        ),
    ],
)
def test_what_is_not_there(game: str, options: dict[str, str], message: str) -> None:
    with pytest.raises(UserError) as raised:
        check_game(game, **options)  # type: ignore[arg-type]
    assert message in str(raised.value)


def test_a_game_that_fails_says_everything_at_once() -> None:
    nim = parts_of(NIM)
    parts = replace(nim, managers=(Manager(name="none", game="nim", create=list),), maps=())  # type: ignore[arg-type]
    with pytest.raises(UserError, match="no map for nim and 2 players: yield one from maps"):
        check_game(parts)
    small = replace(parts, maps=(MapFile("small", "nim", b"many", 0), MapFile("three", "nim", b"5", 3)))
    with pytest.raises(UserError, match=r"no map for nim and 2 players: small: .+; yield one from maps"):
        check_game(small)
    parts = replace(parts, maps=nim.maps)
    with pytest.raises(GameCheckError) as raised:
        check_game(parts, only=["plays", "result"], host=PlainHost())
    lines = str(raised.value).splitlines()
    assert lines[:2] == ["the game nim failed 1 of 2 properties", "plays: create() returned list, not a GameManager"]
    assert lines[-3:] == [
        "  -> run() must return a GameResult whatever the teams do",
        "the game nim did not show 1 of 2 properties",
        "result: as in 'plays'",
    ]
    assert [outcome.mark for outcome in raised.value.outcomes] == [Mark.FAILED, Mark.NOT_SHOWN]


def test_what_a_game_does_not_show_fails_a_test_until_it_says_why() -> None:
    nim = parts_of(NIM)
    one_stone = MapFile("one", "nim", b"1", 2)
    with pytest.raises(
        GameCheckError, match=r"the game nim did not show 1 of 1 properties\nfailing seats: .*player 2 never crashed"
    ):
        check_game(nim, map=one_stone, only=["failing seats"], host=PlainHost())
    (left_out,) = check_game(nim, map=one_stone, only=["failing seats"], skip={"failing seats": "only one moves"}, host=PlainHost())
    assert (left_out.mark, left_out.detail) == (Mark.NOT_APPLICABLE, "left out: only one moves")


def test_the_game_of_the_tests_is_sound(game_host: Host) -> None:
    passed = {outcome.name for outcome in check_game(NIM, host=game_host) if outcome.mark is Mark.PASSED}
    assert passed >= {"maps", "plays", "result", "same seed", "positions", "illegal answers", "failing seats"}
    assert "hidden values" not in passed


def test_installing_it_changes_nothing_in_other_tests() -> None:
    assert not [entry for entry in metadata.entry_points(group="pytest11") if "tiltyard" in entry.value]
