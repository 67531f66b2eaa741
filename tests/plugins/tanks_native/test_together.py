"""Compiled files that share one sandbox: the same games, faults charged to seats, nothing reached outside."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.conftest import RunCommand, WriteMap
from tests.plugins.tanks_native.compiled import Files
from tests.plugins.tanks_native.matches import Matches

from tiltyard_engine.match_record import MatchRecord
from tiltyard_engine.registry import Registry
from tiltyard_engine.results import MANAGER_SEAT, Termination
from tiltyard_simulator.guard.confinement.probes import probe_confinement
from tiltyard_simulator.guard.policy import Level
from tiltyard_simulator.match.isolation import Isolation
from tiltyard_simulator.play.arena import Arena


@pytest.fixture(params=[Level.A, Level.B], scope="module")
def arena(request: pytest.FixtureRequest, shared: Path) -> Iterator[Arena]:
    if probe_confinement().level > request.param:
        pytest.skip(f"no level {request.param} on this machine")
    with Arena() as own:
        own.level = request.param
        own.preload([], [str(shared.parent)])
        yield own


@pytest.fixture
def matches(files: Files, installed: Registry, arena: Arena, program: Path) -> Matches:
    assert program.is_file()
    return Matches(files, installed, arena)


def together(matches: Matches, first: str, second: str = "script_2", manager: str = "good") -> MatchRecord:
    record = matches.play(manager, first, second, Isolation.SANDBOX, together=True)
    assert all(held.startswith("together, level ") for held in record.outcome.held)
    return record


def test_the_same_match_together_and_apart(matches: Matches) -> None:
    for first, second in (("script_1", "script_2"), ("script_2", "script_1"), ("script_3", "throws")):
        shared = together(matches, first, second)
        apart = matches.play("good", first, second, Isolation.SANDBOX)
        assert shared.evidence.claim == apart.evidence.claim
        assert (shared.outcome.winner, [(fault.seat, fault.round) for fault in shared.outcome.faults]) == (
            apart.outcome.winner,
            [(fault.seat, fault.round) for fault in apart.outcome.faults],
        )


@pytest.mark.parametrize(
    ("word", "termination"),
    [
        ("throws", Termination.CRASH),
        ("segv", Termination.CRASH),
        ("exit", Termination.CRASH),
        ("loops", Termination.TIMEOUT),
        ("load_segv", Termination.CRASH),
    ],
)
def test_a_fault_is_its_teams_own(matches: Matches, word: str, termination: Termination) -> None:
    matches.move_seconds = 0.15 if word == "loops" else matches.move_seconds
    record = together(matches, "script_1", word)
    assert [(fault.seat, fault.termination) for fault in record.outcome.faults] == [(2, termination)]
    assert record.outcome.winner == 1


def test_nothing_is_reached_outside(matches: Matches, files: Files) -> None:
    files.algorithm("another_team")
    record = together(matches, "snoops")
    assert record.evidence.manager_account is not None
    said = record.evidence.manager_account.output.decode()
    own = {"Algorithm_snoops.so", "Algorithm_script_2.so", "GameManager_good.so"}
    assert said.startswith("snooping\n")
    assert set(said.splitlines()) <= {"snooping", *(f'sees "{name}"' for name in own)}, said
    assert record.outcome.faults == ()


def test_what_a_match_does_to_its_host_costs_that_match_alone(matches: Matches) -> None:
    expected = together(matches, "script_1").evidence.claim
    for word in ("kills_host", "shouts", "leaves_process"):
        for _ in range(2):
            record = together(matches, word)
            assert {fault.seat for fault in record.outcome.faults} <= {MANAGER_SEAT, 1}, word
            assert not any(fault.termination is Termination.VOID for fault in record.outcome.faults), word
        assert together(matches, "script_1").evidence.claim == expected, word


def test_a_match_that_is_watched_is_played_apart(matches: Matches) -> None:
    record = matches.play("good", "script_1", "script_2", Isolation.SANDBOX, together=True, trace=True)
    assert all(held.startswith("sandbox, level ") for held in record.outcome.held)


def test_the_command(files: Files, program: Path, write_map: WriteMap, run_command: RunCommand) -> None:
    assert program.is_file()
    teams = [str(files.algorithm(f"script_{number}")) for number in (1, 2)]
    write_map("maps/small.txt", steps=40)
    words = (*teams, "--maps", "maps", "--manager", str(files.manager("good")), "-o", "cup", "--workers", "1")
    done = run_command("tiltyard", "round-robin", *words, "--together")
    assert done.returncode == 0, done.stderr
    assert "sandboxed together (level " in done.stdout


def test_only_sandboxes_can_be_shared(run_command: RunCommand) -> None:
    done = run_command("tiltyard", "round-robin", "acorn", "bramble", "--together", "--isolation", "inline")
    assert done.returncode == 2
    assert "--together is for files in a sandbox: leave --isolation inline out" in done.stderr
