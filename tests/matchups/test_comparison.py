from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import pytest
from tests.conftest import DUEL, map_text
from tests.engine.attack import ATTACK, assert_harmless
from tests.made_records import made_record

from tiltyard_engine.errors import UserError
from tiltyard_engine.match_record import MatchRecord
from tiltyard_engine.registry import Reference, Registry
from tiltyard_engine.registry.registry import ALGORITHM, MANAGER
from tiltyard_engine.results import Fault, GameResult, Termination
from tiltyard_matchups.comparison import ManagerComparison, comparative_text, compare, group, remarks
from tiltyard_simulator.guard.confinement import probes
from tiltyard_simulator.guard.policy import Confinement, Level
from tiltyard_simulator.match.isolation import Isolation
from tiltyard_simulator.match.spec import MapSource
from tiltyard_simulator.registry.isolation_policy import IsolationPolicy

RESULT = GameResult(1, "ALL_TANKS_DEAD", 3, ("ab", "cd"), remaining_tanks=(2, 0))


@pytest.fixture
def comparison(tanks: Reference, teams: Mapping[str, Reference], managers: Mapping[str, Reference]) -> ManagerComparison:
    names = ("silent-two-ahead", "silent-reference", "recorded-reference", "late-crash", "nothing")
    source = MapSource("duel", map_text(DUEL, 20, 5).encode())
    return ManagerComparison(
        game=tanks,
        map=source,
        algorithms=(teams["shooter"], teams["idler"]),
        managers=tuple(managers[name] for name in names),
        isolation_policy=IsolationPolicy.from_environment(),
    )


def outcome(claim: GameResult, fault: Fault | None = None) -> MatchRecord:
    return made_record(claim=claim, winner=claim.winner, ranks=(1, 2), faults=(fault,) if fault else ())


def test_groups_by_winner_reason_round_and_board(comparison: ManagerComparison) -> None:
    claims = [RESULT, replace(RESULT, rounds=4), RESULT, replace(RESULT, final_state=("ab", "ce")), replace(RESULT, reason="x")]
    groups = group(comparison, [outcome(claim) for claim in claims])
    assert [found.names for found in groups] == [
        ("recorded-reference", "silent-two-ahead"),
        ("late-crash",),
        ("nothing",),
        ("silent-reference",),
    ]


def test_logs_and_words_do_not_part_managers(comparison: ManagerComparison) -> None:
    claims = [RESULT, replace(RESULT, message="I won"), replace(RESULT, log="x"), RESULT, replace(RESULT, message="I  won")]
    groups = group(comparison, [outcome(claim) for claim in claims])
    (only,) = groups
    assert only.names == tuple(sorted(manager.name for manager in comparison.managers))
    assert only.message == "Player 1 won with 2 tanks still alive"
    assert remarks(groups) == ["group 1: GameManagers nothing, silent-reference say: I won"]


def test_words_that_all_use_are_not_replaced(comparison: ManagerComparison) -> None:
    groups = group(comparison, [outcome(replace(RESULT, message="I won"))] * 5)
    assert ([found.message for found in groups], remarks(groups)) == (["I won"], [])


def test_tank_counts_part_managers(comparison: ManagerComparison) -> None:
    """Both groups have the same line, so what differs is said below the table."""
    claims = [RESULT, replace(RESULT, remaining_tanks=(2, 1)), RESULT, RESULT, replace(RESULT, remaining_tanks=())]
    groups = group(comparison, [outcome(claim) for claim in claims])
    assert [len(found.names) for found in groups] == [3, 1, 1]
    assert groups[0].message == groups[2].message
    assert remarks(groups) == ["groups 1 and 3 differ in remaining tanks: 2, 0 and 2, 1"]


def test_what_counts_is_the_claim_before_it_was_corrected(comparison: ManagerComparison) -> None:
    corrected = [
        replace(RESULT, notes=(f"rounds is {rounds}: read as 3",), as_made=replace(RESULT, rounds=rounds, final_state=()))
        for rounds in (2, 2, 99)
    ]
    groups = group(comparison, [outcome(claim) for claim in (RESULT, *corrected, RESULT)])
    assert [(len(found.names), found.round, found.board) for found in groups] == [
        (2, 3, RESULT.final_state),
        (2, 2, RESULT.final_state),
        (1, 99, RESULT.final_state),
    ]
    assert remarks(groups) == [
        "note on GameManagers recorded-reference, silent-reference: rounds is 2: read as 3",
        "note on GameManager late-crash: rounds is 99: read as 3",
    ]


def test_failed_managers_stand_by_how_they_failed(comparison: ManagerComparison) -> None:
    crash = Fault(0, Termination.CRASH, "boom")
    failed = [outcome(GameResult(0, "", 0, ()), fault) for fault in (crash, crash, replace(crash, message="other"))]
    groups = group(comparison, [*failed, outcome(RESULT), outcome(RESULT)])
    assert [(len(found.names), found.failed) for found in groups] == [(2, False), (2, True), (1, True)]
    assert groups[1].message == "no result: the GameManager failed: crash: boom"


def test_a_failed_manager_is_shown_as_far_as_it_got(comparison: ManagerComparison) -> None:
    groups, outcomes = compare(comparison, 1)
    by_name = {name: found for found in groups for name in found.names}
    assert by_name["late-crash"].round == 2
    assert len(by_name["late-crash"].board) == len(DUEL)
    assert (by_name["nothing"].round, by_name["nothing"].board) == (0, ())
    assert by_name["recorded-reference"] is by_name["silent-reference"]
    assert [each.outcome.manager_fault is None for each in outcomes] == [True, True, True, False, False]


@pytest.mark.usefixtures("inline")
def test_workers_do_not_matter(comparison: ManagerComparison) -> None:
    one, two = (compare(comparison, workers)[0] for workers in (1, 2))
    assert comparative_text([], one) == comparative_text([], two)


def test_a_message_of_several_lines_stays_one(comparison: ManagerComparison) -> None:
    claim = replace(RESULT, remaining_tanks=(), message="first\nsecond")
    (only,) = group(comparison, [outcome(claim)] * 5)
    assert only.message == "first second"


def test_what_managers_say_cannot_control_a_terminal_nor_forge_a_line(comparison: ManagerComparison) -> None:
    claim = replace(RESULT, remaining_tanks=(), message=ATTACK, reason=ATTACK, final_state=("\x1b[2J", "ab"), notes=(ATTACK,))
    other = replace(claim, reason=f"{ATTACK}2")
    failed = outcome(GameResult(0, "", 0, ()), Fault(0, Termination.CRASH, ATTACK))
    groups = group(
        comparison, [outcome(claim), outcome(claim), outcome(replace(claim, message=f"{ATTACK}2")), outcome(other), failed]
    )
    assert len(groups) == 3
    assert_harmless(comparative_text([], groups))
    assert_harmless("\n".join(remarks(groups)))


def test_the_file_is_that_of_the_text(comparison: ManagerComparison) -> None:
    groups = group(comparison, [outcome(claim) for claim in [RESULT] * 4 + [replace(RESULT, winner=2, remaining_tanks=(0, 3))]])
    assert comparative_text([("game_map", "a b.txt"), ("algorithm1", "x"), ("algorithm2", "x")], groups) == (
        "game_map=a b.txt\nalgorithm1=x\nalgorithm2=x\n"
        "\nlate-crash, recorded-reference, silent-reference, silent-two-ahead\n"
        "Player 1 won with 2 tanks still alive\n3\nab\ncd\n"
        "\nnothing\nPlayer 2 won with 3 tanks still alive\n3\nab\ncd\n"
    )


# Held as strangers


def test_strangers_are_grouped_in_cells_as_inline(comparison: ManagerComparison) -> None:
    held = {
        record.evidence.manager_account.held for record in compare(comparison, 1)[1] if record.evidence.manager_account is not None
    }
    assert held
    assert held <= {"process", *(f"sandbox, level {level}" for level in Level)}
    inline = replace(comparison, isolation_policy=IsolationPolicy(Isolation.INLINE))
    assert comparative_text([], compare(comparison, 1)[0]) == comparative_text([], compare(inline, 1)[0])


def test_faults_that_hold_measured_numbers_are_one_group(comparison: ManagerComparison) -> None:
    slow = [Fault(0, Termination.TIMEOUT, f"a step of run() used 5.0{digit} s of CPU time, the limit is 5 s") for digit in (1, 2)]
    failed = [outcome(GameResult(0, "", 0, ()), fault) for fault in (*slow, Fault(0, Termination.STALL, "asked for ever"))]
    groups = group(replace(comparison, managers=comparison.managers[:3]), failed)
    assert [len(found.names) for found in groups] == [2, 1]


def test_strangers_managers_are_refused_where_nothing_confines_them(
    comparison: ManagerComparison, managers: Mapping[str, Reference], registry: Registry, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(probes, "probe_confinement", lambda: Confinement(Level.C, (), ("install bubblewrap",)))
    own = tuple(registry.find(ALGORITHM, name).reference for name in ("acorn", "bramble"))
    strangers = replace(comparison, algorithms=own, isolation_policy=IsolationPolicy())
    with pytest.raises(UserError, match="this machine can't confine code from outside"):
        strangers.spec(managers["late-crash"])
    reference = registry.find(MANAGER, "reference").reference
    assert strangers.spec(reference).holding.manager_isolation is Isolation.INLINE
    assert (
        replace(strangers, isolation_policy=IsolationPolicy(unconfined=True)).spec(managers["late-crash"]).holding.manager_isolation
        is Isolation.SANDBOX
    )
    assert (
        replace(strangers, isolation_policy=IsolationPolicy(Isolation.PROCESS)).spec(reference).holding.manager_isolation
        is Isolation.PROCESS
    )
