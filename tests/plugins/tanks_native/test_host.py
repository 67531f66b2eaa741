from __future__ import annotations

import os
import re
import signal
from pathlib import Path

import pytest
from tests.plugins.tanks_native.compiled import BOARD, Files, play_inline, script
from tests.plugins.tanks_native.test_claim_repair import FILES
from tests.plugins.tanks_native.test_teams import FAULTS

from tiltyard_engine.results import Fault, Termination
from tiltyard_engine.seat_kinds.native_matches import NativeMatch, NativeOutcome
from tiltyard_tanks_native import host as host_module
from tiltyard_tanks_native.claim_repair import NOTE
from tiltyard_tanks_native.elf.errors import NativeError
from tiltyard_tanks_native.host import CompiledHost, _OwnProgram

GENEROUS = 300.0
"""Seconds of a match that ends by itself."""


def play(
    host: CompiledHost,
    files: Files,
    manager: str = "good",
    first: str = "script_1",
    second: str = "script_2",
    *,
    cpu_seconds: float = GENEROUS,
    verbose: bool = False,
) -> NativeOutcome:
    algorithms = files.algorithm(first), files.algorithm(second)
    folder = files.folder / "scratch"
    folder.mkdir(exist_ok=True)
    job = NativeMatch(
        manager=files.manager(manager),
        algorithms=algorithms,
        board=BOARD,
        map_name="board",
        names=("first", "second"),
        folder=folder,
        verbose=verbose,
        cpu_seconds=cpu_seconds,
    )
    return host.play(job)


def only(outcome: NativeOutcome) -> Fault:
    (fault,) = outcome.faults
    return fault


def test_games_are_those_of_the_same_files_held_by_python(host: CompiledHost, files: Files) -> None:
    for number in range(0, 16, 2):
        names = f"script_{number}", f"script_{number + 1}"
        expected, _ = play_inline(files.referee("good").create(), [files.team(name) for name in names])
        outcome = play(host, files, "good", *names)
        assert (outcome.claim, outcome.faults, outcome.output) == (expected, (), b"")


@pytest.mark.parametrize(("word", "termination", "round_number", "message"), FAULTS)
def test_a_seats_fault_is_that_of_a_cell(
    host: CompiledHost, files: Files, word: str, termination: Termination, round_number: int, message: str
) -> None:
    expected, seats = play_inline(files.referee("good").create(), [files.team(word), script(2)])
    outcome = play(host, files, first=word)
    fault = only(outcome)
    assert seats[0].fault is not None
    assert (fault.seat, fault.termination, fault.message) == (1, termination, message)
    assert fault.round == seats[0].fault.round
    assert outcome.claim == expected
    assert round_number in (fault.round, 2, 3)


def test_a_player_that_exchanges_column_and_row_is_told_which_square_it_overlooked(host: CompiledHost, files: Files) -> None:
    """Its own words blame the GameManager."""
    _, seats = play_inline(files.referee("good").create(), [files.team("brief_swapped"), script(2)])
    fault = only(play(host, files, first="brief_swapped"))
    assert seats[0].fault is not None
    assert fault.message == seats[0].fault.message
    own, _, hint = fault.message.partition("; ")
    assert own.startswith("update_tank_with_battle_info raised CppError: ")
    assert own.endswith("the manager shows me no tank")
    assert re.fullmatch(
        r"it never asked for column [4-8], row [0-3], where its own tank stood, but for squares outside of the board of 9 columns"
        r" and 4 rows: getObjectAt takes the column first, then the row",
        hint,
    )
    # Who looked at no square at all has another reason.
    assert "it never asked" not in only(play(host, files, first="brief_throws")).message


@pytest.mark.parametrize(("word", "note"), FILES)
def test_results_are_repaired_alike(host: CompiledHost, files: Files, word: str, note: str) -> None:
    expected, _ = play_inline(files.referee(word).create(), [script(1), script(2)])
    outcome = play(host, files, word)
    assert outcome.claim == expected
    assert outcome.claim is not None
    assert outcome.claim.message.split(NOTE)[1:] == [note]


@pytest.mark.parametrize(
    ("word", "how"),
    [("segv", "killed by SIGSEGV"), ("abort", "killed by SIGABRT"), ("exit", "exited with code 0")],
)
def test_a_team_that_ends_the_process_is_out_and_the_match_goes_on(host: CompiledHost, files: Files, word: str, how: str) -> None:
    """As if its own process alone had ended: the result is that of a team which throws an exception there."""
    expected = play(host, files, first="throws")
    outcome = play(host, files, first=word)
    assert outcome.claim == expected.claim
    assert only(outcome) == Fault(1, Termination.CRASH, f"get_action: the process was {how}".replace("was exited", "exited"), 3)
    assert outcome.output == (b"about to fall\n" if word == "segv" else b"")


def test_both_teams_may_end_the_process(host: CompiledHost, files: Files) -> None:
    outcome = play(host, files, first="segv", second="abort")
    assert [(fault.seat, fault.termination) for fault in outcome.faults] == [(1, Termination.CRASH), (2, Termination.CRASH)]
    assert outcome.claim is not None
    assert outcome.claim.reason in ("MAX_STEPS", "ALL_TANKS_DEAD")


def test_a_team_that_never_returns_is_out_and_the_match_goes_on(host: CompiledHost, files: Files) -> None:
    expected = play(host, files, first="throws")
    outcome = play(host, files, first="loops", cpu_seconds=0.3)
    assert outcome.claim == expected.claim
    assert only(outcome) == Fault(1, Termination.TIMEOUT, "get_action: the match exceeded its time limit", 3)
    assert outcome.output == b"round and round", "what its stream held back is out"


@pytest.mark.parametrize(
    ("word", "termination", "message"),
    [
        ("throws", Termination.CRASH, "run() raised CppError: (anonymous namespace)::Odd: boom"),
        ("create_throws", Termination.CRASH, "run() raised CppError: (anonymous namespace)::Odd: no GameManager today"),
        ("null_manager", Termination.CRASH, "run() raised CppError: the GameManager's factory returned a null pointer"),
        ("view_throws", Termination.CRASH, "run() raised CppError: (anonymous namespace)::Odd: this view is broken"),
        ("segv", Termination.CRASH, "run(): the process was killed by SIGSEGV"),
        ("abort", Termination.CRASH, "run(): the process was killed by SIGABRT"),
        ("exit", Termination.CRASH, "run(): the process exited with code 3"),
        ("loops", Termination.TIMEOUT, "run(): the match exceeded its time limit"),
    ],
)
def test_a_manager_that_fails(host: CompiledHost, files: Files, word: str, termination: Termination, message: str) -> None:
    outcome = play(host, files, word, cpu_seconds=0.3 if word == "loops" else GENEROUS)
    assert outcome.claim is None
    assert only(outcome) == Fault(0, termination, message)
    assert play(host, files).claim is not None, "the next match is played as if nothing had been"


@pytest.mark.parametrize("word", ["wraps", "wraps_and_swallows"])
def test_a_manager_that_wraps_tanks(host: CompiledHost, files: Files, word: str) -> None:
    fault = only(play(host, files, word))
    assert (fault.seat, fault.termination) == (0, Termination.PROTOCOL)
    assert "a tank of its own, a (anonymous namespace)::Wrapped" in fault.message


def test_a_final_state_that_crashes_costs_the_board_alone(host: CompiledHost, files: Files) -> None:
    result = play(host, files, "state_segv").claim
    sound = play(host, files).claim
    assert result is not None
    assert sound is not None
    assert (result.winner, result.rounds, result.remaining_tanks) == (sound.winner, sound.rounds, sound.remaining_tanks)
    assert result.message.endswith("note: gameState cannot be read (the process was killed by SIGSEGV): no final board")


def test_nothing_is_carried_over_from_match_to_match(host: CompiledHost, files: Files) -> None:
    rounds = [result.rounds for _ in range(3) if (result := play(host, files, "remembers").claim) is not None]
    assert rounds == [1, 1, 1]


def test_files_are_written_into_the_matchs_folder(host: CompiledHost, files: Files) -> None:
    play(host, files, "writes", "writes", verbose=True)
    assert sorted(path.name for path in (files.folder / "scratch").iterdir()) == [
        "log_board_first_second.txt",
        "manager.log",
        "team.log",
    ]


def test_a_flood_is_cut(host: CompiledHost, files: Files) -> None:
    outcome = play(host, files, "floods", "floods")
    assert outcome.claim == play(host, files, "good", "script_0", "script_0").claim
    assert len(outcome.output) == 64 << 10
    assert outcome.output.startswith(b"line 0 of very many\nline 1 of very many\n")


def test_what_a_program_of_the_teams_prints_is_output_too(host: CompiledHost, files: Files) -> None:
    assert play(host, files, "clears").faults == ()


@pytest.mark.parametrize("word", ["load_segv", "load_throws"])
def test_a_file_that_cannot_even_be_loaded_costs_its_seat(host: CompiledHost, files: Files, word: str) -> None:
    how = "SIGSEGV" if word == "load_segv" else "SIGABRT"
    for _ in range(2):
        outcome = play(host, files, first=word)
        assert only(outcome) == Fault(1, Termination.CRASH, f"creating the Player: the process was killed by {how}", 0)
        assert outcome.claim is not None
    assert play(host, files).faults == ()


def test_a_file_that_is_never_loaded_in_time(host: CompiledHost, files: Files, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(host_module, "LOAD_CPU_SECONDS", 0.3)
    outcome = play(host, files, second="load_loops")
    assert only(outcome) == Fault(2, Termination.TIMEOUT, "creating the Player: the file was not loaded in time", 0)


def test_a_file_that_is_gone(host: CompiledHost, files: Files) -> None:
    job = NativeMatch(
        manager=files.manager("good"),
        algorithms=(files.folder / "no.so", files.algorithm("script_2")),
        board=BOARD,
        map_name="b",
        names=("a", "b"),
        folder=files.folder,
    )
    fault = only(host.play(job))
    assert (fault.seat, fault.termination) == (1, Termination.CRASH)
    assert fault.message.startswith("creating the Player raised NativeError: cannot be loaded: ")
    outcome = host.play(
        NativeMatch(
            manager=files.folder / "no.so",
            algorithms=job.algorithms,
            board=BOARD,
            map_name="b",
            names=("a", "b"),
            folder=files.folder,
        )
    )
    assert only(outcome).message.startswith("run() raised NativeError: cannot be loaded: ")


def test_a_file_that_was_built_anew_is_loaded_anew(host: CompiledHost, files: Files) -> None:
    before = play(host, files, first="script_7").claim
    path = files.algorithm("script_7")
    new = files.named("Algorithm_new_8.so", "algorithm")
    new.replace(path)
    os.utime(path, ns=(1, 1))
    # It plays by its own name, which is the old one.
    assert play(host, files, first="script_7").claim == before


def test_a_program_that_is_lost_is_started_again(host: CompiledHost, files: Files) -> None:
    expected = play(host, files).claim
    assert isinstance(host._program, _OwnProgram)
    process = host._program._process
    os.kill(process.pid, signal.SIGKILL)
    process.wait()
    with pytest.raises(NativeError, match="the host program for C\\+\\+ files ended"):
        play(host, files)
    assert play(host, files).claim == expected


def test_a_folder_that_cannot_be_used(host: CompiledHost, files: Files, tmp_path: Path) -> None:
    play(host, files)
    job = NativeMatch(
        manager=files.manager("good"),
        algorithms=(files.algorithm("script_1"), files.algorithm("script_2")),
        board=BOARD,
        map_name="b",
        names=("a", "b"),
        folder=tmp_path / "no" / "such",
    )
    with pytest.raises(NativeError, match="cannot run there"):
        host.play(job)
