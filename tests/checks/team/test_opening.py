"""The first match of a team, against itself, which a check, a league and an intake all begin with."""

from __future__ import annotations

from collections.abc import Mapping

import pytest
from tests.made_records import made_record

from tiltyard_checks.team.opening import Opening, against_itself, smallest_first
from tiltyard_checks.team.steps import StepMark
from tiltyard_engine.registry import Reference
from tiltyard_engine.results import MANAGER_SEAT, Fault, Termination
from tiltyard_simulator.match.spec import MapSource, MatchInput, MatchSpec
from tiltyard_simulator.play.arena import play_match

HEAP = MapSource("heap", b"21")
CRASH = Fault(2, Termination.CRASH, "boom", round=1)
MANAGER_CRASH = Fault(MANAGER_SEAT, Termination.CRASH, "boom", round=1)


def test_the_quickest_map_comes_first() -> None:
    large, one, other = MapSource("a", b"123"), MapSource("c", b"12"), MapSource("b", b"12")
    assert smallest_first([large, one, other]) == [other, one, large]


@pytest.mark.parametrize(
    ("name", "step", "detail"),
    [("perfect", "", ""), ("crasher", "answers", "crash (round 3): choose raised ValueError: boom")],
)
def test_what_a_match_against_itself_shows(nim: Mapping[str, Reference], name: str, step: str, detail: str) -> None:
    spec = against_itself(nim[name], nim["nim"], nim["referee"], HEAP)
    assert spec == MatchSpec(MatchInput(game=nim["nim"], manager=nim["referee"], map=HEAP, teams=(nim[name], nim[name])))
    opening = Opening(spec, play_match(spec))
    steps = {each.name: each for each in opening.steps()}
    assert list(steps) == ["loads", "starts", "answers", "limits"]
    assert {each.name: each.detail for each in steps.values() if each.mark is StepMark.FAILED} == ({step: detail} if step else {})
    fault = opening.team_fault
    assert ("" if fault is None else fault.message) == detail.partition(": ")[2]
    assert steps["loads"].detail == "loaded; its output isn't saved; in-process"


def test_what_the_manager_does_is_no_fault_of_the_team(nim: Mapping[str, Reference]) -> None:
    spec = against_itself(nim["perfect"], nim["nim"], nim["referee"], HEAP)
    assert Opening(spec, made_record(faults=(MANAGER_CRASH,))).team_fault is None
    assert Opening(spec, made_record(faults=(MANAGER_CRASH, CRASH))).team_fault == CRASH
