from __future__ import annotations

import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import pytest
from tests.plugins.tanks_native.compiled import BOARD, Files, play_inline, script

from tiltyard_engine.errors import ContractError, UserError
from tiltyard_engine.match import Match
from tiltyard_engine.records import TankTeam
from tiltyard_engine.results import GameResult, Termination
from tiltyard_engine.tanks import BattleInfo, Player, SatelliteView, TankAlgorithm
from tiltyard_tanks_native.elf.errors import CppError, NativeError

pytestmark = pytest.mark.usefixtures("library")

TEAMS = [script(1), script(2)]


def played(files: Files, word: str, teams: Sequence[TankTeam] = TEAMS) -> GameResult:
    return play_inline(files.referee(word).create(), teams)[0]


def test_the_four_mixtures_play_the_same_games(files: Files) -> None:
    """Here the C++ GameManager; the Python one over teams in C++ is in test_teams."""
    for number in range(0, 16, 2):
        compiled = [files.team(f"script_{number}"), files.team(f"script_{number + 1}")]
        python = [script(number), script(number + 1)]
        expected = played(files, "good", python)
        assert expected.final_state
        for teams in (compiled, [compiled[0], python[1]], [python[0], compiled[1]]):
            result, seats = play_inline(files.referee("good").create(), teams)
            assert (result, [seat.fault for seat in seats]) == (expected, [None, None])


def test_the_map_names_and_limits_arrive(files: Files, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A verbose GameManager writes its log, named by all three, into the folder where it works."""
    folder = tmp_path / "scratch"
    folder.mkdir()
    monkeypatch.chdir(folder)
    told: list[tuple[int, ...]] = []

    class Told(Player):
        def __init__(self, player_index: int, x: int, y: int, max_steps: int, num_shells: int) -> None:
            told.append((player_index, x, y, max_steps, num_shells))

        def update_tank_with_battle_info(self, tank: TankAlgorithm, satellite_view: SatelliteView) -> None:
            tank.update_battle_info(BattleInfo())

    teams = [TankTeam("first", Told, script(1).tank), TankTeam("second", Told, script(2).tank)]
    result, _ = play_inline(files.referee("good").create(), teams, verbose=True)
    log = (folder / "log_board_first_second.txt").read_text()
    assert (result.log, result.rounds) == (log, len(log.splitlines()))
    assert told == [(1, 9, 4, 120, 10), (2, 9, 4, 120, 10)]
    assert result.message == f"Player {result.winner} won with {result.remaining_tanks[result.winner - 1]} tanks still alive"


@pytest.mark.parametrize(
    ("word", "kind", "message"),
    [
        ("throws", CppError, "(anonymous namespace)::Odd: boom"),
        ("create_throws", CppError, "(anonymous namespace)::Odd: no GameManager today"),
        ("null_manager", CppError, "the GameManager's factory returned a null pointer"),
        ("view_throws", CppError, "(anonymous namespace)::Odd: this view is broken"),
        (
            "wraps",
            ContractError,
            (
                "the GameManager gave player 2 a tank of its own, a (anonymous namespace)::Wrapped, "
                "in place of one that the factory made"
            ),
        ),
    ],
)
def test_what_a_manager_does_wrong_is_its_own_error(files: Files, word: str, kind: type[Exception], message: str) -> None:
    with pytest.raises(kind) as raised:
        played(files, word)
    assert str(raised.value).replace("player 1", "player 2") == message
    assert type(raised.value) is kind


def test_a_manager_that_swallows_its_own_error_does_not_get_away(files: Files) -> None:
    with pytest.raises(ContractError, match="a tank of its own"):
        played(files, "wraps_and_swallows")


def test_an_exception_of_a_seat_goes_through_the_managers_own_handlers(files: Files) -> None:
    """``catch (const std::exception&)`` in the GameManager does not stop what is not its own."""

    class Interrupting(Player):
        def update_tank_with_battle_info(self, tank: TankAlgorithm, satellite_view: SatelliteView) -> None:
            raise KeyboardInterrupt

    for word in ("good", "swallows"):
        with pytest.raises(KeyboardInterrupt):
            played(files, word, [TankTeam("one", Interrupting, script(1).tank), script(2)])


@pytest.mark.parametrize("word", ["good", "swallows"])
def test_a_failed_seat_does_nothing_and_the_manager_goes_on(files: Files, word: str) -> None:
    result, seats = play_inline(files.referee(word).create(), [files.team("throws"), script(2)])
    assert result.rounds > 3
    assert seats[0].fault is not None
    assert (seats[0].fault.termination, seats[0].fault.round) == (Termination.CRASH, 3)


def test_a_manager_that_informs_tanks_itself_can_tell_them_nothing(files: Files) -> None:
    """The scripts go on without any view; in Python and in C++ alike."""
    expected = played(files, "own_info")
    assert expected != played(files, "good")
    assert played(files, "own_info", [files.team("script_1"), files.team("script_2")]) == expected


def test_every_run_is_of_a_manager_of_its_own(files: Files) -> None:
    """What the file keeps between runs stays in its process: here all matches are in one, as in no cell."""
    assert [played(files, "remembers").rounds for _ in range(3)] == [1, 2, 3]


def test_three_players_are_too_many(files: Files) -> None:
    manager = files.referee("good").create()
    with pytest.raises(UserError, match="GameManager_good only plays matches of two players; this match has 3"):
        manager.run(Match(map=BOARD, map_name="board", seats=[None, None, None]))


def test_a_file_that_registers_nothing_for_this_use(files: Files) -> None:
    from tiltyard_tanks_native.managers import manager_of

    with pytest.raises(NativeError, match="cannot be loaded: no GameManagerRegistration"):
        play_inline(manager_of(files.algorithm("script_1"), "wrong").create(), TEAMS)


PLAY = """\
import sys
from pathlib import Path
from tests.plugins.tanks_native.compiled import play_inline, script
from tiltyard_tanks_native.files import NativeFile
manager = next(NativeFile(Path(sys.argv[1])).game_managers())
result, seats = play_inline(manager.create(), [script(1), script(2)])
import os
os._exit(7 if result.rounds else 8)
"""


@pytest.mark.parametrize(
    ("word", "status"),
    [("segv", -11), ("abort", -6), ("exit", 3), ("state_segv", -11), ("writes", 7), ("clears", 7), ("floods", 7)],
)
def test_what_ends_the_process_ends_that_of_the_manager(files: Files, tmp_path: Path, word: str, status: int) -> None:
    root = Path(__file__).parents[3]
    done = subprocess.run(
        [sys.executable, "-c", f"import sys; sys.path.insert(0, {str(root)!r})\n{PLAY}", str(files.manager(word))],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == status, done.stderr
    assert (tmp_path / "manager.log").exists() == (word == "writes")
    if word == "floods":
        assert done.stdout.endswith("line 199999 of very many\n")
