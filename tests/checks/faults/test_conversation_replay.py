from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import msgspec
import pytest
from tests.conftest import DUEL, map_text
from tests.made_specs import made_spec, spec_with
from tests.simulator.guard.conftest import HEAD

from tiltyard_checks.faults.conversation_replay import (
    LimitReachedError,
    ReplayedConversation,
    answer_in_words,
    exchanges_with,
    replay_conversation,
)
from tiltyard_engine.errors import UserError
from tiltyard_engine.match_record import Exchange, MatchRecord
from tiltyard_engine.registry import Reference, Registry, Source
from tiltyard_engine.registry.registry import ALGORITHM
from tiltyard_engine.registry.sources import Origin
from tiltyard_engine.results import Fault, Termination
from tiltyard_simulator.guard.cells.messages import ENCODER, REQUESTS, Describe
from tiltyard_simulator.guard.seats.tanks.cells import Acted, Brief
from tiltyard_simulator.match.isolation import Isolation
from tiltyard_simulator.match.limits import Limits
from tiltyard_simulator.match.spec import MapSource, MatchSpec
from tiltyard_simulator.play.arena import Arena

SOURCE = MapSource("duel", map_text(DUEL, 40, 5).encode())
LIMITS = Limits(move_seconds=0.2, memory_bytes=100 << 20)

TEAMS = """
import os, random, sys

def looking(name, last, sizes=(3,)):
    'Looks at the board in its first round, prints what it sees, and ends in its fourth.'
    class Looker(Tank):
        def get_action(self):
            self.rounds += 1
            print("round", self.rounds)
            if self.rounds == 1:
                return ActionRequest.GET_BATTLE_INFO
            return last() if self.rounds == 4 else ActionRequest.ROTATE_LEFT_45
    class Viewer(Player):
        looks = True
        def __init__(self, index, x, y, steps, shells):
            self.x, self.y = x, y
        def update_tank_with_battle_info(self, tank, view):
            if Viewer.looks:
                print(*view.get_rows(self.x, self.y), sep="\\n")
            tank.update_battle_info(BattleInfo())
    VIEWERS[name] = Viewer
    return TankTeam(name, player=Viewer, tank=Looker)

VIEWERS = {}

def fail():
    raise LookupError("lost")

def spin():
    while True:
        pass

def fill():
    return [bytes(1 << 20) for _ in range(1 << 20)]

def stall():
    import time
    time.sleep(60)

def quit():
    print("about to leave")
    raise SystemExit(3)

CHANCE = []

def chance():
    return ActionRequest.SHOOT if CHANCE else 1 / 0

def keyboard():
    if CHANCE:
        raise KeyboardInterrupt
    os._exit(1)

@hookimpl
def algorithms():
    for name, last in {"lost": fail, "spinning": spin, "filling": fill, "stalling": stall, "quitting": quit, "chancy": chance,
                       "keyboard": keyboard, "wrong": lambda: 3}.items():
        yield looking(name, last)
"""


@pytest.fixture(scope="module")
def written(tmp_path_factory: pytest.TempPathFactory) -> Mapping[str, Reference]:
    path = tmp_path_factory.mktemp("teams") / "replayed.py"
    path.write_text(HEAD + TEAMS)
    return {entry.name: entry.reference for entry in Registry.from_paths([path]).all(ALGORITHM)}


@pytest.fixture
def spec(tanks: Reference, reference_manager: Reference, teams: Mapping[str, Reference]) -> MatchSpec:
    held = (Isolation.PROCESS, Isolation.INLINE)
    return made_spec(
        game=tanks,
        manager=reference_manager,
        map=SOURCE,
        teams=(teams["idler"],) * 2,
        isolations=held,
        limits=(LIMITS, LIMITS),
    )


ARENAS: list[Arena] = []


@pytest.fixture(scope="module", autouse=True)
def _arena() -> Iterator[None]:
    with Arena() as arena:
        ARENAS[:] = [arena]
        yield


def play(spec: MatchSpec, team: Reference) -> MatchRecord:
    record = ARENAS[0].play(spec_with(spec, teams=(team, spec.input.teams[1])))
    assert len(record.outcome.faults) == 1, record
    return record


def replayed(record: MatchRecord, exchanges: Sequence[Exchange] | None = None) -> tuple[ReplayedConversation, list[str]]:
    said: list[str] = []
    recorded = record.evidence.accounts[0].conversation if exchanges is None else exchanges
    return replay_conversation(
        recorded, record.outcome.faults[0], LIMITS, lambda number, doing: said.append(f"{number} {doing}")
    ), said


@pytest.mark.parametrize(
    ("name", "termination", "error"),
    [
        ("lost", Termination.CRASH, LookupError),
        ("quitting", Termination.CRASH, SystemExit),
        ("wrong", Termination.PROTOCOL, None),
        ("spinning", Termination.TIMEOUT, LimitReachedError),
        ("filling", Termination.OUT_OF_MEMORY, MemoryError),
    ],
)
def test_it_fails_as_in_the_match(
    spec: MatchSpec,
    written: Mapping[str, Reference],
    capsys: pytest.CaptureFixture[str],
    name: str,
    termination: Termination,
    error: type[BaseException] | None,
) -> None:
    record = play(spec, written[name])
    (fault,) = record.outcome.faults
    assert (fault.termination, fault.round) == (termination, 4)
    result, said = replayed(record)
    assert (result.questions, result.recorded, result.difference) == (8, 8, "")
    assert said == ["8 get_action of tank 0"]
    assert result.failure is not None or error is MemoryError
    assert type(result.error) is (error or type(None))
    if fault.traceback:
        assert result.failure is not None
        # The limits of a match don't hold here, so no limit is named.
        message = fault.message.partition(" (limit ")[0]
        assert (result.failure.message, result.failure.traceback) == (message, fault.traceback)
    printed = capsys.readouterr().out
    assert printed.startswith("round 1\n" + "\n".join(DUEL).replace("1", "%") + "\nround 2\n")
    assert printed.encode() == record.evidence.accounts[0].output


def test_where_a_limit_was_reached_is_the_last_frame(spec: MatchSpec, written: Mapping[str, Reference]) -> None:
    result, _ = replayed(play(spec, written["spinning"]))
    assert result.error is not None
    trace = result.error.__traceback__
    while trace is not None and trace.tb_next is not None:
        trace = trace.tb_next
    assert trace is not None
    assert trace.tb_frame.f_code.co_name == "spin"
    assert result.failure is not None
    assert "feeding.py" not in result.failure.traceback


def test_a_stall_ends_at_the_wall_clock(spec: MatchSpec, written: Mapping[str, Reference]) -> None:
    quick = Limits(move_seconds=0.05, wall_factor=2)
    record = play(spec_with(spec, limits=(quick, quick)), written["stalling"])
    assert record.outcome.faults[0].termination is Termination.STALL
    result = replay_conversation(record.evidence.accounts[0].conversation, record.outcome.faults[0], quick)
    assert isinstance(result.error, LimitReachedError)


def test_chance_is_found(spec: MatchSpec, written: Mapping[str, Reference]) -> None:
    outcome = play(spec, written["chancy"])
    module = loaded(written["chancy"])
    module.CHANCE.append(1)
    try:
        result, _ = replayed(outcome)
    finally:
        module.CHANCE.clear()
    assert result.difference == (
        "question 8 (get_action of tank 0): the answer is Shoot, "
        "in the match it was get_action raised ZeroDivisionError: division by zero"
    )
    assert (result.failure, result.error) == (None, None)


def loaded(reference: Reference) -> Any:
    """The module of a written team."""
    team: Any = reference.load()
    return sys.modules[team.tank.__module__]


def test_ctrl_c_is_the_readers(spec: MatchSpec, written: Mapping[str, Reference]) -> None:
    outcome = play(spec, written["keyboard"])
    module = loaded(written["keyboard"])
    module.CHANCE.append(1)
    try:
        with pytest.raises(KeyboardInterrupt):
            replayed(outcome)
    finally:
        module.CHANCE.clear()


def test_a_view_that_is_not_looked_at_any_more(spec: MatchSpec, written: Mapping[str, Reference]) -> None:
    outcome = play(spec, written["lost"])
    viewer = loaded(written["lost"]).VIEWERS["lost"]
    viewer.looks = False
    try:
        result, _ = replayed(outcome)
    finally:
        viewer.looks = True
    assert "question 4 (update_tank_with_battle_info for tank 0): the answer is that it is done, in the match it was a look" in (
        result.difference
    )
    assert isinstance(result.error, LookupError)


def test_a_view_that_was_not_looked_at_in_the_match(spec: MatchSpec, written: Mapping[str, Reference]) -> None:
    record = play(spec, written["lost"])
    exchanges = list(record.evidence.accounts[0].conversation)
    brief = next(place for place, one in enumerate(exchanges) if isinstance(REQUESTS.decode(one.question), Brief))
    done = exchanges.pop(brief + 1).answer
    exchanges[brief] = Exchange(exchanges[brief].question, done)
    result, _ = replayed(record, exchanges)
    assert result.difference.startswith("question 4 (update_tank_with_battle_info for tank 0): ")
    assert isinstance(result.error, LookupError)


def test_games_by_turns(nim: Mapping[str, Reference], capsys: pytest.CaptureFixture[str]) -> None:
    spec = made_spec(game=nim["nim"], manager=nim["referee"], map=MapSource("heap", b"13"), teams=(nim["slow"], nim["crasher"]))
    record = ARENAS[0].play(spec_with(spec, isolations=(Isolation.INLINE, Isolation.PROCESS)))
    (fault,) = record.outcome.faults
    assert (fault.seat, fault.round, fault.message) == (2, 3, "choose raised ValueError: boom")
    said: list[str] = []
    result = replay_conversation(
        record.evidence.accounts[1].conversation, fault, Limits(), lambda number, doing: said.append(f"{number} {doing}")
    )
    assert (result.questions, result.difference, said) == (5, "", ["5 choose"])
    assert isinstance(result.error, ValueError)
    assert capsys.readouterr().out == "this is turn 1\nthis is turn 2\nthis is turn 3\n"


def test_a_team_that_cannot_be_loaded_any_more(spec: MatchSpec, written: Mapping[str, Reference]) -> None:
    record = play(spec, written["lost"])
    gone = replace(written["lost"], source=replace(written["lost"].source, value="/no/such/file.py"))
    first, *rest = record.evidence.accounts[0].conversation
    request = REQUESTS.decode(first.question)
    changed = Exchange(ENCODER.encode(msgspec.structs.replace(request, algorithm=gone)), first.answer)
    result, _ = replayed(record, [changed, *rest])
    assert result.failure is not None
    assert result.failure.message.startswith("loading: /no/such/file.py: has no algorithm 'lost'")
    assert (result.questions, result.error) == (1, None)


def test_answers_in_words() -> None:
    assert answer_in_words(b"\xc1") == "1 byte that isn't an answer"
    assert answer_in_words(ENCODER.encode(Acted(bytes([6, 8, 99])))) == "Shoot, DoNothing, 99"
    assert len(answer_in_words(ENCODER.encode(Acted(bytes(200))))) < 250


def test_the_fault_decides_the_limit_only_for_the_last_question(spec: MatchSpec, written: Mapping[str, Reference]) -> None:
    record = play(spec, written["lost"])
    timeout = Fault(1, Termination.TIMEOUT, "late", 4)
    result = replay_conversation(record.evidence.accounts[0].conversation, timeout, Limits())
    assert isinstance(result.error, LookupError)


def test_an_empty_record() -> None:
    assert replay_conversation((), Fault(1, Termination.CRASH, ""), LIMITS) == ReplayedConversation(0, 0)


def test_only_the_team_itself_is_asked(spec: MatchSpec, written: Mapping[str, Reference], tmp_path: Path) -> None:
    """The file may be a stranger's, and with --unconfined its questions are answered in this process."""
    team = written["lost"]
    exchanges = play(spec, team).evidence.accounts[0].conversation
    assert exchanges_with(team, exchanges) == exchanges
    moved = replace(team, source=replace(team.source, needs=("/nowhere",)))
    assert REQUESTS.decode(exchanges_with(moved, exchanges)[0].question).algorithm == moved
    foreign = Source(name="x", origin=Origin.FILE, value=str(tmp_path / "harmful.py"))
    opening = msgspec.structs.replace(REQUESTS.decode(exchanges[0].question), algorithm=replace(team, source=foreign))
    for question in (ENCODER.encode(Describe(foreign)), ENCODER.encode(opening)):
        with pytest.raises(UserError, match="it belongs to a different team"):
            exchanges_with(team, (Exchange(question, b""), *exchanges[1:]))
        with pytest.raises(UserError, match=r"question 3 \((Describe|\w*Open\w*)\) isn't one to a team that is already loaded"):
            exchanges_with(team, (*exchanges[:2], Exchange(question, b"")))
    for broken in ((), (Exchange(b"\xc1", b""),)):
        with pytest.raises(UserError, match="it isn't the record of a team in Python"):
            exchanges_with(team, broken)
