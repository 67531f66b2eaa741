from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path

import pytest
from tests.conftest import DUEL, map_text
from tests.made_specs import made_spec, spec_with
from tests.simulator.guard.managers.managing import manager_text, write_plugins

from tiltyard_engine.errors import UserError
from tiltyard_engine.match_record import MatchRecord
from tiltyard_engine.records import Game
from tiltyard_engine.registry import Reference
from tiltyard_engine.results import Termination
from tiltyard_engine.seat_kinds.seat_ports import SeatObserver
from tiltyard_engine.tanks import ActionRequest
from tiltyard_simulator.match.isolation import Isolation
from tiltyard_simulator.match.spec import MapSource, MatchSpec
from tiltyard_simulator.match.verdict import OnCrash
from tiltyard_simulator.play import arena
from tiltyard_simulator.play.arena import Arena, play_match
from tiltyard_simulator.replays.files import record_replay

SOURCE = MapSource("duel", map_text(DUEL, 20, 5).encode())


@pytest.fixture
def spec(tanks: Reference, reference_manager: Reference, teams: Mapping[str, Reference]) -> MatchSpec:
    return made_spec(game=tanks, manager=reference_manager, map=SOURCE, teams=(teams["shooter"], teams["idler"]))


def against_idler(spec: MatchSpec, team: Reference) -> MatchRecord:
    return play_match(spec_with(spec, teams=(team, spec.input.teams[1])))


def under(spec: MatchSpec, manager: Reference) -> MatchRecord:
    return play_match(spec_with(spec, manager=manager))


def test_plays_a_match_and_times_it(spec: MatchSpec) -> None:
    record = play_match(spec)
    assert (record.outcome.winner, record.outcome.ranks, record.outcome.faults) == (1, (1, 2), ())
    assert record.outcome.message == "Player 1 won with 1 tanks still alive"
    assert record.outcome.seconds > 0
    assert record.evidence.replay == b""
    assert record.evidence.claim.log == ""


def test_records_and_logs_when_asked(spec: MatchSpec) -> None:
    record = play_match(spec_with(spec, log=True, replay=True, trace=True))
    replay = record_replay(record)
    assert replay is not None
    assert replay.rows_after(record.evidence.claim.rounds) == record.evidence.claim.final_state
    assert replay.message == record.outcome.message
    assert len(record.evidence.claim.log.splitlines()) == record.evidence.claim.rounds + 1
    assert [(seat, tank, len(requests)) for seat, tank, requests in record.evidence.requests] == [
        (1, 0, record.evidence.claim.rounds),
        (2, 0, record.evidence.claim.rounds),
    ]


def test_ends_early_when_told(spec: MatchSpec) -> None:
    record = play_match(spec_with(spec, rounds=1))
    assert (record.evidence.claim.rounds, record.outcome.winner) == (1, 0)


class Shooting(SeatObserver):
    """Lets player 1 shoot, whatever it answers."""

    def __init__(self) -> None:
        self.replaced: list[int] = []

    def instead(self, seat: int, part: int, answer: object) -> object:
        self.replaced.append(seat)
        return ActionRequest.SHOOT if seat == 1 else answer


def test_whoever_watches_may_replace_answers_until_the_seat_fails(spec: MatchSpec, teams: Mapping[str, Reference]) -> None:
    watcher = Shooting()
    with Arena() as arena:
        match = spec_with(spec, teams=(teams["idler"], teams["idler"]), trace=True)
        record = arena.play(match, watching=[watcher])
        assert record.outcome.winner == 1
        assert record.outcome.ranks != arena.play(match).outcome.ranks
        assert watcher.replaced.count(1) == len(record.evidence.requests[0][2])
        failing = Shooting()
        arena.play(spec_with(spec, teams=(teams["crasher"], teams["idler"]), idle_on_fault=True), watching=[failing])
    # It crashes in round 3, and idles from then on.
    assert failing.replaced.count(1) == 2
    assert failing.replaced.count(2) > 2


@pytest.mark.parametrize(("name", "kind"), [("crasher", Termination.CRASH), ("liar", Termination.PROTOCOL)])
def test_a_faulty_team_loses_with_round_and_reason(
    spec: MatchSpec, teams: Mapping[str, Reference], name: str, kind: Termination
) -> None:
    record = against_idler(spec, teams[name])
    assert record.outcome.winner == 2
    (fault,) = record.outcome.faults
    assert (fault.seat, fault.termination, fault.round) == (1, kind, 3)
    assert "\n" not in record.outcome.message


def test_an_idling_faulty_team_loses_because_of_its_fault(spec: MatchSpec, teams: Mapping[str, Reference]) -> None:
    record = play_match(spec_with(spec, teams=(teams["crasher"], teams["idler"]), idle_on_fault=True))
    assert (record.evidence.claim.winner, record.outcome.winner) == (0, 2)
    assert record.outcome.message.startswith("Player 2 won because of a fault (player 1: crash: ")


@pytest.fixture
def lasting() -> Iterator[Arena]:
    """One for all matches of a test."""
    with Arena() as opened:
        yield opened


@pytest.mark.parametrize("isolation", [Isolation.INLINE, Isolation.PROCESS])
def test_what_a_crash_means_can_be_chosen(
    lasting: Arena, spec: MatchSpec, teams: Mapping[str, Reference], isolation: Isolation
) -> None:
    def played(name: str, on_crash: OnCrash) -> MatchRecord:
        algorithms = (teams[name], teams["idler"])
        return lasting.play(spec_with(spec, teams=algorithms, isolations=(isolation,) * 2, on_crash=on_crash))

    forfeit, idle, void = (played("crasher", on_crash) for on_crash in OnCrash)
    assert (forfeit.outcome.winner, forfeit.outcome.counts) == (2, True)
    assert (idle.outcome.winner, idle.outcome.ranks, idle.evidence.claim.reason, idle.outcome.counts) == (
        0,
        (1, 1),
        "MAX_STEPS",
        True,
    )
    assert idle.outcome.message.startswith("Tie, reached max steps = 20")
    assert "(player 1: crash: get_action raised" in idle.outcome.message
    assert (void.outcome.winner, void.outcome.ranks, void.outcome.counts, void.outcome.is_void, void.outcome.manager_fault) == (
        0,
        (1, 1),
        False,
        False,
        None,
    )
    assert void.outcome.message.startswith("no result: the match is void because of a crash (player 1: crash: get_action raised")
    assert {len(record.outcome.faults) for record in (forfeit, idle, void)} == {1}
    # What isn't a crash means the same as ever.
    assert [(record.outcome.winner, record.outcome.counts) for record in (played("liar", on_crash) for on_crash in OnCrash)] == [
        (2, True)
    ] * 3


def test_what_teams_print_is_not_seen(spec: MatchSpec, teams: Mapping[str, Reference], capsys: pytest.CaptureFixture[str]) -> None:
    against_idler(spec, teams["printer"])
    assert capsys.readouterr().out == ""


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("late-crash", "crash: run() raised ValueError: line one line two"),
        ("unspeakable", "crash: run() raised UnspeakableError"),
        ("outside", "crash: run() raised OutsideError"),
        ("exit", "crash: run() raised SystemExit"),
        ("nothing", "protocol: run() returned NoneType, not a GameResult"),
        ("no-counts", "protocol: remaining_tanks is None, expected one number a seat"),
    ],
)
def test_a_faulty_manager_gives_no_result(spec: MatchSpec, managers: Mapping[str, Reference], name: str, message: str) -> None:
    record = under(spec, managers[name])
    assert record.outcome.manager_fault is not None
    assert (record.outcome.winner, record.outcome.ranks) == (0, (1, 1))
    # What breaks the contract is told with its place.
    told = re.sub(r" \(\w+\.py, line \d+\)$", "", record.outcome.message)
    assert told == f"no result: the GameManager failed: {message}"
    assert (told != record.outcome.message) == message.startswith("protocol")


def test_a_claim_comes_back_in_plain_types(spec: MatchSpec, managers: Mapping[str, Reference]) -> None:
    assert type(under(spec, managers["local-text"]).evidence.claim.reason) is str


def test_load_names_what_was_not_expected(tanks: Reference, reference_manager: Reference) -> None:
    with pytest.raises(UserError, match="'reference' is a game manager, not a Game"):
        reference_manager.load_as(Game)
    with pytest.raises(UserError, match="'tanks' is a game, not an algorithm"):
        tanks.load_team()


def test_a_vanished_plugin_is_a_users_error(tmp_path: Path, spec: MatchSpec) -> None:
    file = tmp_path / "gone.py"
    source = replace(spec.input.teams[0].source, name="gone", value=str(file))
    with pytest.raises(UserError, match=r"gone\.py: has no algorithm 'x'"):
        Reference(kind="algorithm", name="x", game="tanks", source=source).load_team()


@pytest.mark.parametrize("on_crash", OnCrash)
def test_a_match_whose_seats_are_all_lost_has_as_many_attempts_as_any_other(
    spec: MatchSpec, tmp_path: Path, on_crash: OnCrash
) -> None:
    attempts = tmp_path / "attempts.txt"
    body = f"""
def run(self, match):
    with open({str(attempts)!r}, "a") as file:
        file.write("x")
    lost = tuple(Fault(seat, Termination.VOID, "its process was killed") for seat in (1, 2))
    return GameResult(0, "X", 1, (), faults=lost)
"""
    loser = write_plugins(tmp_path, manager_text(body))["bad"]
    record = play_match(spec_with(spec, manager=loser, on_crash=on_crash))
    assert attempts.read_text() == "x" * arena.MOST_ATTEMPTS
    assert record.outcome.incidents == ("player 1: its process was killed", "player 2: its process was killed") * 2
    assert record.outcome.no_contest == (on_crash is OnCrash.VOID), "what it is charged with is a crash like any other"
    assert {(fault.termination, fault.message) for fault in record.outcome.faults} == {
        (Termination.CRASH, "its process was killed, in 3 attempts")
    }
