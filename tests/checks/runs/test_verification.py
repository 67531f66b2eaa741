from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

import pytest
from tests.conftest import DUEL, map_text
from tests.made_records import changed, made_record
from tests.made_specs import made_spec, spec_with
from tests.simulator.guard.conftest import HEAD

from tiltyard_checks.runs import verification
from tiltyard_checks.runs.verification import compare, verify
from tiltyard_engine.match_record import MatchRecord
from tiltyard_engine.registry import Reference, Registry
from tiltyard_engine.registry.registry import ALGORITHM
from tiltyard_engine.replay import Frame
from tiltyard_engine.results import Fault, Termination
from tiltyard_simulator.match.isolation import Isolation
from tiltyard_simulator.match.spec import MapSource, MatchSpec
from tiltyard_simulator.play.arena import play_match
from tiltyard_simulator.replays.files import record_replay

SOURCE = MapSource("duel", map_text(DUEL, 20, 5).encode())
REMEMBERING = """
MATCHES = []

class Other(Tank):
    "Does something else in the third round of each match: inline it can remember them."
    def __init__(self, player_index, tank_index):
        self.rounds = 0
        MATCHES.append(1)
    def get_action(self):
        self.rounds += 1
        return ActionRequest(len(MATCHES) % 9) if self.rounds == 3 else ActionRequest.DO_NOTHING

class Failing(Other):
    def get_action(self):
        self.rounds += 1
        assert self.rounds < 3 or len(MATCHES) % 2
        return ActionRequest.DO_NOTHING

@hookimpl
def algorithms():
    yield team("other", tank=Other)
    yield team("failing", tank=Failing)
"""


@pytest.fixture
def spec(tanks: Reference, reference_manager: Reference, teams: Mapping[str, Reference]) -> MatchSpec:
    return made_spec(game=tanks, manager=reference_manager, map=SOURCE, teams=(teams["shooter"], teams["spinner"]))


@pytest.fixture
def record(spec: MatchSpec) -> MatchRecord:
    return play_match(spec_with(spec, replay=True, trace=True, log=True))


@pytest.mark.parametrize("workers", [1, 2])
def test_a_match_that_cannot_be_played_is_said_alone(spec: MatchSpec, workers: int) -> None:
    good, bad = verify([spec, spec_with(spec, map=MapSource("bad", b"no map"))], 2, workers)
    assert good.is_same
    assert not bad.is_same
    assert bad.void.startswith("cannot be played: bad, line 2: ")


@pytest.mark.parametrize("workers", [1, 2])
def test_sound_teams_are_the_same_each_time(spec: MatchSpec, teams: Mapping[str, Reference], workers: int) -> None:
    crashing = spec_with(spec, teams=(teams["crasher"], teams["spinner"]))
    found = verify([spec, crashing], 3, workers)
    assert [(each.spec.input.names, each.is_same) for each in found] == [(spec.input.names, True), (crashing.input.names, True)]


def test_chance_is_found_with_its_team_and_round(tmp_path: Path, spec: MatchSpec, teams: Mapping[str, Reference]) -> None:
    path = tmp_path / "remembering.py"
    path.write_text(HEAD + REMEMBERING)
    entries = {entry.name: entry.reference for entry in Registry.from_paths([path]).all(ALGORITHM)}
    held = (Isolation.INLINE, Isolation.INLINE)
    for name, kinds in (("other", "requests of player 2"), ("failing", "faults")):
        (found,) = verify([spec_with(spec, teams=(teams["idler"], entries[name]), isolations=held)], 4, 1)
        assert found.divergence is not None
        assert (found.divergence.round, found.divergence.suspects) == (3, (2,))
        assert kinds in found.divergence.difference.kinds


def test_by_turns_the_one_that_was_shown_the_same_is_named(nim: Mapping[str, Reference]) -> None:
    teams = (nim["slow"], nim["chancy"])
    spec = made_spec(game=nim["nim"], manager=nim["referee"], map=MapSource("heap", b"60"), teams=teams)
    for turned in (False, True):
        changed = spec_with(spec, teams=teams[::-1] if turned else teams)
        (found,) = verify([changed], 6, 1)
        assert found.divergence is not None
        assert found.divergence.suspects == (1 if turned else 2,)
        shown = found.divergence.difference
        assert len(shown.boards[0][0]) == 60
        assert shown.boards[0] != shown.boards[1]
        assert shown.actions[0][1].startswith("takes ")
    assert verify([spec_with(spec, teams=(nim["slow"], nim["perfect"]))], 2, 1)[0].is_same


def test_requests_by_turns_are_those_answers(nim: Mapping[str, Reference]) -> None:
    spec = made_spec(
        game=nim["nim"], manager=nim["referee"], map=MapSource("heap", b"5"), teams=(nim["slow"], nim["perfect"]), trace=True
    )
    record = play_match(spec)
    one = '{"sticks":1}'
    assert record.evidence.requests == ((1, 0, (one, one)), (2, 0, (one, '{"sticks":2}')))
    assert [key for key, _ in record.evidence.views] == [(0, 1, 0), (1, 1, 0), (0, 2, 0), (1, 2, 0)]


def test_the_same_run_does_not_differ(record: MatchRecord) -> None:
    assert compare(record, changed(record, seconds=99.0)) is None


def test_what_a_manager_does_otherwise_is_the_managers(record: MatchRecord) -> None:
    replay = record_replay(record)
    assert replay is not None
    frames = list(replay.frames)
    frames[1] = Frame(frames[1].changes, frames[1].actions, (9.0, 9.0), frames[1].notes)
    found = compare(record, changed(record, replay=replace(replay, frames=frames)), 7)
    assert found is not None
    assert (found.run, found.round, found.suspects, found.difference.kinds) == (7, 2, (0,), ("scores",))
    assert (found.difference.left, found.difference.right) == ("run 1", "run 7")


def test_a_replay_that_ends_earlier(record: MatchRecord) -> None:
    replay = record_replay(record)
    assert replay is not None
    found = compare(record, changed(record, replay=replace(replay, frames=replay.frames[:2])))
    assert found is not None
    assert found.round == 3
    assert found.difference.actions == (("1", "Shoot (ignored)", "not there"), ("2", "RotateLeft90 (killed)", "not there"))


def test_only_the_result_differs(record: MatchRecord) -> None:
    found = compare(record, changed(record, claim=replace(record.evidence.claim, message="It was me")))
    assert found is not None
    assert (found.round, found.suspects, found.difference.note) == (-1, (0,), "only these differ: result")


def test_views_and_logs(record: MatchRecord) -> None:
    log = record.evidence.claim.log.replace("Shoot, RotateLeft90\n", "Shoot, RotateLeft45\n", 1)
    found = compare(changed(record, replay=None), changed(record, replay=None, claim=replace(record.evidence.claim, log=log)))
    assert found is not None
    assert (found.round, found.difference.kinds) == (1, ("log",))
    found = compare(changed(record, views=(((2, 1, 0), "x"),)), changed(record, views=(((2, 1, 0), "y"),)))
    assert found is not None
    assert (found.round, found.suspects, found.difference.kinds) == (2, (0,), ("views",))


def test_words_of_faults_do_not_count(record: MatchRecord) -> None:
    fault = Fault(1, Termination.TIMEOUT, "used 1.02 s", 4)
    assert compare(changed(record, faults=(fault,)), changed(record, faults=(replace(fault, message="used 1.03 s"),))) is None
    found = compare(changed(record, faults=(fault,)), record)
    assert found is not None
    assert (found.round, found.suspects) == (4, (1,))


def test_what_the_machine_did_is_not_compared(spec: MatchSpec, monkeypatch: pytest.MonkeyPatch) -> None:
    void = made_record(ranks=(1, 1), faults=(Fault(0, Termination.VOID, "given up"),))
    monkeypatch.setattr(verification, "play_matches", lambda specs, *_, **__: [void] * len(specs))
    (found,) = verify([spec], 2, 1)
    assert (found.is_same, found.void, found.divergence) == (False, "given up", None)
