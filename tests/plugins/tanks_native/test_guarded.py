"""Compiled files as teams and GameManagers of ordinary matches: every way of holding them, every mixture, every verdict."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.plugins.tanks_native.compiled import Files
from tests.plugins.tanks_native.matches import Matches

from tiltyard_engine.registry import Registry
from tiltyard_engine.results import Termination
from tiltyard_simulator.guard.cell_pool import TEMPLATES_VARIABLE
from tiltyard_simulator.guard.cells.messages import Forked
from tiltyard_simulator.guard.cells.zygote import CellProcess, Zygote
from tiltyard_simulator.guard.confinement.probes import probe_confinement
from tiltyard_simulator.guard.policy import Level
from tiltyard_simulator.match.isolation import Isolation
from tiltyard_simulator.match.verdict import OnCrash
from tiltyard_simulator.play.arena import Arena


@pytest.fixture(scope="module", params=["on", "off"], ids=["cells in C++", "cells in Python"])
def arena(shared: Path, request: pytest.FixtureRequest) -> Iterator[Arena]:
    """Cells that a template forks are C++, all others Python."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv(TEMPLATES_VARIABLE, request.param)
        with Arena() as own:
            own.preload([], [str(shared.parent)])
            yield own


in_any_cells = pytest.mark.parametrize("arena", ["off"], indirect=True, ids=["no templates"])
"""For matches without a sandbox: their cells never come from a template."""


@pytest.fixture
def matches(files: Files, installed: Registry, arena: Arena, library: Path, program: Path) -> Matches:
    assert library.is_file()
    assert program.is_file()
    return Matches(files, installed, arena)


def test_the_same_match_however_it_is_held(matches: Matches) -> None:
    outcomes = [matches.play("good", "script_1", "script_2", isolation) for isolation in Isolation]
    assert {record.outcome.faults for record in outcomes} == {()}
    assert len({record.evidence.claim for record in outcomes}) == 1
    assert outcomes[0].evidence.claim.rounds > 5
    assert [record.outcome.held for record in outcomes][:2] == [("inline", "inline"), ("process", "process")]


@in_any_cells
def test_all_mixtures_with_python_come_to_the_same(matches: Matches) -> None:
    mixtures = [("script_1", "python_2", isolation) for isolation in (Isolation.INLINE, Isolation.PROCESS)]
    mixtures += [("python_1", "script_2", isolation) for isolation in (Isolation.INLINE, Isolation.PROCESS)]
    unmixed = [("script_1", "script_2", Isolation.PROCESS), ("python_1", "python_2", Isolation.INLINE)]
    for manager in ("good", "python"):
        claims = {
            matches.play(manager, first, second, isolation).evidence.claim for first, second, isolation in (*mixtures, *unmixed)
        }
        assert len(claims) == 1, manager


@in_any_cells
def test_a_compiled_file_is_never_loaded_into_the_match_worker(matches: Matches) -> None:
    record = matches.play("python", "segv", "python_2", Isolation.INLINE)
    assert record.outcome.held == ("process", "inline")
    assert [(fault.seat, fault.termination) for fault in record.outcome.faults] == [(1, Termination.CRASH)]
    record = matches.play("segv", "python_1", "python_2", Isolation.INLINE)
    assert record.evidence.manager_account is not None
    assert record.evidence.manager_account.held == "process"
    assert record.outcome.manager_fault is not None


VERDICTS = {
    "throws": (Termination.CRASH, "get_action raised"),
    "throws_number": (Termination.CRASH, "get_action raised"),
    "segv": (Termination.CRASH, "SIGSEGV"),
    "abort": (Termination.CRASH, "SIGABRT"),
    "exit": (Termination.CRASH, "exited with code 0"),
    "loops": (Termination.TIMEOUT, "get_action used"),
    "null_tank": (Termination.CRASH, "creating tank 0 raised"),
    "odd_number": (Termination.PROTOCOL, "get_action"),
    "memory": (Termination.OUT_OF_MEMORY, "get_action raised"),
    "load_segv": (Termination.CRASH, "SIGSEGV"),
    "load_throws": (Termination.CRASH, "SIGABRT"),
}


@pytest.mark.parametrize(
    ("arena", "isolation", "word"),
    [
        ("off", Isolation.INLINE, "throws"),
        ("off", Isolation.SANDBOX, "segv"),
        ("on", Isolation.SANDBOX, "throws"),
        ("on", Isolation.SANDBOX, "segv"),
        ("on", Isolation.SANDBOX, "memory"),
    ],
    indirect=["arena"],
    ids=["inline-throws", "cells in Python-segv", "cells in C++-throws", "cells in C++-segv", "cells in C++-memory"],
)
@pytest.mark.parametrize("manager", ["good", "python"])
def test_what_a_crash_means_can_be_chosen(matches: Matches, word: str, manager: str, isolation: Isolation) -> None:
    forfeit, idle, void = (matches.play(manager, word, "script_2", isolation, on_crash=on_crash) for on_crash in OnCrash)
    assert (forfeit.outcome.winner, forfeit.outcome.counts) == (2, True)
    assert (idle.outcome.winner, idle.outcome.counts) == (idle.evidence.claim.winner, True)
    assert (void.outcome.winner, void.outcome.counts) == (0, False)
    assert [[(fault.seat, fault.round) for fault in record.outcome.faults] for record in (forfeit, idle, void)] == [[(1, 3)]] * 3
    # The seat idles under a compiled GameManager whatever a crash means.
    assert manager != "good" or idle.evidence.claim == forfeit.evidence.claim == void.evidence.claim


@pytest.mark.parametrize("word", VERDICTS)
def test_what_a_team_does_wrong_is_its_own(matches: Matches, word: str) -> None:
    matches.move_seconds = 0.15 if word == "loops" else matches.move_seconds
    record = matches.play("good", "script_1", word, Isolation.SANDBOX)
    assert [fault.seat for fault in record.outcome.faults] == [2]
    termination, words = VERDICTS[word]
    assert (record.outcome.faults[0].termination, words in record.outcome.faults[0].message) == (termination, True), (
        record.outcome.faults[0]
    )
    assert record.outcome.winner == 1
    assert record.evidence.claim.rounds > 0


HINTS = {
    "threads": "(limit processes=1: a team's processes and threads together; --limit processes=N allows more)",
    "reserves": "(limit memory_bytes=536870912: memory, 512 MiB; --limit memory_bytes=N allows more)",
    "makes_folder": "(a team may write only in its scratch folder, which os.environ['TMPDIR'] names, and read only",
}


@pytest.mark.parametrize("word", HINTS)
def test_a_limit_that_stopped_a_team_is_named(matches: Matches, word: str) -> None:
    if probe_confinement().level is Level.C:
        pytest.skip("not confined")
    record = matches.play("good", "script_1", word, Isolation.SANDBOX)
    assert [fault.seat for fault in record.outcome.faults] == [2]
    assert HINTS[word] in record.outcome.faults[0].message


@in_any_cells
def test_inline_a_call_that_does_not_return_is_its_teams_fault_too(matches: Matches) -> None:
    record = matches.play("good", "script_1", "loops", Isolation.INLINE)
    assert record.outcome.held == ("inline", "inline")
    assert [(fault.seat, fault.termination) for fault in record.outcome.faults] == [(2, Termination.TIMEOUT)]
    assert record.outcome.faults[0].message == "get_action exceeded its time limit"
    assert record.evidence.claim.rounds > 0
    manager = matches.play("loops", "script_1", "script_2", Isolation.INLINE)
    assert manager.outcome.manager_fault is not None
    assert manager.outcome.manager_fault.message == "run() exceeded its time limit"


MANAGERS = {
    "throws": (Termination.CRASH, "run() raised"),
    "segv": (Termination.CRASH, "SIGSEGV"),
    "exit": (Termination.CRASH, "exited with code 3"),
    "loops": (Termination.TIMEOUT, "used"),
    "wraps": (Termination.PROTOCOL, "a tank of its own"),
}


@pytest.mark.parametrize("word", MANAGERS)
def test_what_a_manager_does_wrong_is_its_own(matches: Matches, word: str) -> None:
    matches.move_seconds = 0.15 if word == "loops" else matches.move_seconds
    record = matches.play(word, "script_1", "script_2", Isolation.SANDBOX)
    termination, words = MANAGERS[word]
    assert record.outcome.manager_fault is not None
    assert (record.outcome.manager_fault.termination, words in record.outcome.manager_fault.message) == (termination, True), (
        record.outcome.manager_fault
    )


def test_a_repaired_result_says_so(matches: Matches) -> None:
    for isolation in (Isolation.INLINE, Isolation.SANDBOX):
        record = matches.play("null_state", "script_1", "script_2", isolation)
        assert record.outcome.faults == ()
        assert record.outcome.message.endswith("; note: gameState is null: no final board")


def test_what_is_printed_is_kept_up_to_its_limit(matches: Matches) -> None:
    matches.move_seconds = 5.0  # on a busy machine, printing that much takes long
    record = matches.play("good", "floods", "script_2", Isolation.SANDBOX)
    assert record.outcome.faults == ()
    assert 0 < len(record.evidence.accounts[0].output) <= 65536
    inline = matches.play("good", "floods", "script_2", Isolation.INLINE)
    assert inline.evidence.claim == record.evidence.claim
    assert inline.evidence.manager_account is not None
    assert inline.evidence.manager_account.output[:200] == record.evidence.accounts[0].output[:200]


def test_a_managers_own_log_is_kept_where_it_is_wanted(matches: Matches) -> None:
    for isolation in (Isolation.INLINE, Isolation.SANDBOX):
        assert matches.play("writes", "script_1", "script_2", isolation).evidence.claim.log == ""
        log = matches.play("writes", "script_1", "script_2", isolation, log=True).evidence.claim.log
        assert "round 4\n" in log


@in_any_cells
def test_a_match_cut_short_tells_the_players_the_true_limit(matches: Matches) -> None:
    """Runs with fewer rounds show a manager's board after each."""
    whole = matches.play("good", "script_1", "script_2", Isolation.INLINE)
    for rounds in (0, 1, whole.evidence.claim.rounds):
        cut = matches.play("good", "script_1", "script_2", Isolation.INLINE, rounds=rounds)
        assert cut.evidence.claim.rounds == rounds
        assert cut.outcome.held == ("process", "process")
    assert cut.evidence.claim.final_state == whole.evidence.claim.final_state


def test_files_are_loaded_once_for_many_matches(
    files: Files, installed: Registry, library: Path, shared: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    if probe_confinement().level is Level.C:
        pytest.skip("not confined")
    assert library.is_file()
    monkeypatch.setenv(TEMPLATES_VARIABLE, "on")
    reports: list[tuple[bool, str]] = []
    welcome = Zygote._welcome

    def noted(zygote: Zygote, process: CellProcess | None, descriptors: list[int], report: Forked) -> None:
        reports.append((report.import_seconds > 0, report.unfit))
        welcome(zygote, process, descriptors, report)

    monkeypatch.setattr(Zygote, "_welcome", noted)
    with Arena() as arena:
        arena.preload([], [str(shared.parent)])
        matches = Matches(files, installed, arena)
        claims = {matches.play("good", "script_1", "script_2", Isolation.SANDBOX).evidence.claim for _ in range(3)}
    assert len(claims) == 1
    assert len(reports) >= 9
    assert set(reports) == {(True, "")}
