from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from tests.plugins.tanks_native.compiled import Files, play_inline, script

from tiltyard_engine.results import Termination
from tiltyard_engine.tanks import ActionRequest
from tiltyard_tanks.manager import TanksGameManager
from tiltyard_tanks.rules import DIALECTS

pytestmark = pytest.mark.usefixtures("library")


@pytest.mark.parametrize("dialect", ["reference", "one-by-one", "info-at-once"])
def test_the_reference_rules_play_the_same_games_on_both_languages(files: Files, dialect: str) -> None:
    """Each script goes on with what it saw, so a single square of a single view shown otherwise would change the game."""
    manager = TanksGameManager(DIALECTS[dialect][0])
    lengths = set()
    infos = 0
    for number in range(0, 24, 2):
        compiled = [files.team(f"script_{number}"), files.team(f"script_{number + 1}")]
        played, seats = play_inline(manager, compiled, verbose=True)
        expected, _ = play_inline(manager, [script(number), script(number + 1)], verbose=True)
        assert played == expected
        assert [seat.fault for seat in seats] == [None, None]
        infos += played.log.count("GetBattleInfo")
        lengths.add(played.rounds)
    assert len(lengths) > 5
    assert infos > 20


def test_both_languages_in_one_match(files: Files) -> None:
    for number in range(4):
        expected, _ = play_inline(TanksGameManager(), [script(number), script(9)])
        assert play_inline(TanksGameManager(), [files.team(f"script_{number}"), script(9)])[0] == expected
        assert play_inline(TanksGameManager(), [script(number), files.team("script_9")])[0] == expected


FAULTS = [
    ("throws", Termination.CRASH, 3, "get_action raised CppError: (anonymous namespace)::Odd: boom"),
    ("throws_words", Termination.CRASH, 3, "get_action raised CppError: char const*: just words"),
    ("throws_string", Termination.CRASH, 3, "get_action raised CppError: std::string: a string"),
    ("throws_number", Termination.CRASH, 3, "get_action raised CppError: int: 42"),
    ("throws_unknown", Termination.CRASH, 3, "get_action raised CppError: (anonymous namespace)::Info"),
    ("memory", Termination.OUT_OF_MEMORY, 3, "get_action raised MemoryError: std::bad_alloc"),
    ("odd_number", Termination.PROTOCOL, 1, "get_action returned an integer (77), expected an ActionRequest"),
    ("tank_throws", Termination.CRASH, 0, "creating tank 0 raised CppError: (anonymous namespace)::Odd: no tank today"),
    ("null_tank", Termination.CRASH, 0, "creating tank 0 raised CppError: the tank factory returned a null pointer"),
    ("player_throws", Termination.CRASH, 0, "creating the Player raised CppError: (anonymous namespace)::Odd: no player today"),
    ("null_player", Termination.CRASH, 0, "creating the Player raised CppError: the player factory returned a null pointer"),
    (
        "brief_throws",
        Termination.CRASH,
        2,
        "update_tank_with_battle_info raised CppError: (anonymous namespace)::Odd: no view today",
    ),
    (
        "info_throws",
        Termination.CRASH,
        2,
        "update_tank_with_battle_info raised CppError: (anonymous namespace)::Odd: do not tell me",
    ),
    (
        "keeps_view",
        Termination.CRASH,
        3,
        (
            "get_action raised CppError: std::logic_error: this SatelliteView has expired: "
            "copy what you need while updateTankWithBattleInfo runs"
        ),
    ),
]
"""What a file does, and what is then its fault."""


@pytest.mark.parametrize(("word", "termination", "round_number", "message"), FAULTS)
def test_faults(files: Files, word: str, termination: Termination, round_number: int, message: str) -> None:
    _, seats = play_inline(TanksGameManager(), [files.team(word), script(2)])
    fault = seats[0].fault
    assert fault is not None
    assert (fault.termination, fault.round, fault.message) == (termination, round_number, message)
    assert seats[1].fault is None


def test_a_view_read_transposed_is_no_fault(files: Files) -> None:
    _, seats = play_inline(TanksGameManager(), [files.team("transposed"), script(2)])
    assert [seat.fault for seat in seats] == [None, None]


def test_a_file_that_is_gone_is_a_fault_of_its_seat(files: Files) -> None:
    team = files.team("script_1")
    files.algorithm("script_1").unlink()
    _, seats = play_inline(TanksGameManager(), [team, script(2)])
    assert seats[0].fault is not None
    assert seats[0].fault.message.startswith("creating the Player raised NativeError: cannot be loaded: ")
    assert "No such file" in seats[0].fault.message


PLAY = """\
import sys
from pathlib import Path
from tests.plugins.tanks_native.compiled import play_inline, script
from tiltyard_tanks.manager import TanksGameManager
from tiltyard_tanks_native.files import NativeFile
team = next(NativeFile(Path(sys.argv[1])).algorithms())
result, seats = play_inline(TanksGameManager(), [team, script(2)])
print(seats[0].fault, end="", file=sys.stderr, flush=True)
import os
os._exit(7)
"""


@pytest.mark.parametrize(
    ("word", "status", "printed"),
    [
        ("segv", -11, "about to fall\n"),
        ("abort", -6, ""),
        ("exit", 0, ""),
        ("load_segv", -11, ""),
        ("writes", 7, ""),
        ("clears", 7, None),
    ],
)
def test_what_ends_the_process_ends_that_of_the_team(
    files: Files, tmp_path: Path, word: str, status: int, printed: str | None
) -> None:
    """In a cell, that is the cell: what had been printed is out, and the signal is the one that the guard then names."""
    root = Path(__file__).parents[3]
    done = subprocess.run(
        [sys.executable, "-c", f"import sys; sys.path.insert(0, {str(root)!r})\n{PLAY}", str(files.algorithm(word))],
        cwd=tmp_path,
        env={**os.environ, "TERM": "xterm"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == status, done.stderr
    if printed is not None:
        assert done.stdout == printed
    if status == 7:
        assert done.stderr == "None"
    assert (tmp_path / "team.log").exists() == (word == "writes")


def test_a_number_of_an_action_is_the_action(files: Files) -> None:
    tank = files.team("script_3").tank(1, 0)
    twin = script(3).tank(1, 0)
    answers = [tank.get_action() for _ in range(50)]
    assert answers == [twin.get_action() for _ in range(50)]
    assert {type(answer) for answer in answers} == {ActionRequest}
