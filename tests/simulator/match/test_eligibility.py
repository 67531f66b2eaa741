from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.conftest import DUEL, map_text
from tests.made_records import made_record
from tests.made_specs import made_spec

from tiltyard_engine.match_record import DISQUALIFICATION, Outcome
from tiltyard_engine.registry import Reference
from tiltyard_engine.registry.sources import Origin, Source
from tiltyard_engine.results import Fault, GameResult, Termination
from tiltyard_simulator.match.eligibility import Eligibility, Exclusion, faults_in_quarantine
from tiltyard_simulator.match.spec import MapSource, MatchSpec
from tiltyard_simulator.output.reports import fault_report, quarantine_line
from tiltyard_simulator.play.local_matches import run_matches

Teams = Mapping[str, Reference]
SOURCE = Source(name="plugin", origin=Origin.FILE, value="/plugin.py")
GAME = Reference(kind="game", name="tanks", game="tanks", source=SOURCE)
MANAGER = Reference(kind="game manager", name="reference", game="tanks", source=SOURCE)
NAMES = ("ann", "bob", "cat")


def match(one: str, two: str, place: int = 0) -> MatchSpec:
    teams = [Reference(kind="algorithm", name=name, game="tanks", source=SOURCE) for name in (one, two)]
    return made_spec(game=GAME, manager=MANAGER, map=MapSource("map", b""), teams=(teams[0], teams[1]), number=place)


def record(*faulty: int, kind: Termination = Termination.CRASH) -> Outcome:
    faults = tuple(Fault(seat, kind, "it broke", 1) for seat in faulty)
    return made_record(claim=GameResult(0, "MAX_STEPS", 9, ()), ranks=(1, 1), faults=faults).outcome


def settle(played: list[tuple[MatchSpec, Outcome]], most: int) -> list[Outcome]:
    """What games in the order of the schedule come to."""
    eligibility = Eligibility(most)
    for spec, ended in played:
        eligibility.add(spec, ended)
    return eligibility.settled


@st.composite
def games(draw: st.DrawFn) -> list[tuple[MatchSpec, Outcome]]:
    pairs = st.sampled_from([(one, two) for one in NAMES for two in NAMES if one != two])
    faulty = st.sampled_from([(), (), (1,), (2,), (1, 2)])
    drawn = draw(st.lists(st.tuples(pairs, faulty), max_size=12))
    return [(match(*pair, place=place), record(*seats)) for place, (pair, seats) in enumerate(drawn)]


@given(games(), st.integers(0, 3), st.randoms())
def test_what_is_settled_does_not_depend_on_the_order_of_finishing(
    played: list[tuple[MatchSpec, Outcome]], most: int, chance: object
) -> None:
    places = list(range(len(played)))
    chance.shuffle(places)  # type: ignore[attr-defined]
    eligibility = Eligibility(most)
    for place in places:
        eligibility.add(*played[place])
    assert eligibility.settled == settle(played, most)


@given(games(), st.integers(1, 3))
def test_a_team_has_so_many_faults_and_then_only_forfeits(played: list[tuple[MatchSpec, Outcome]], most: int) -> None:
    faults = dict.fromkeys(NAMES, 0)
    for (spec, before), after in zip(played, settle(played, most), strict=True):
        out = {seat for seat, name in enumerate(spec.input.names, start=1) if faults[name] >= most}
        assert {fault.seat for fault in after.faults if fault.termination is Termination.FORFEIT} == out
        assert (after == before) == (not out)
        for fault in after.faults:
            faults[spec.input.names[fault.seat - 1]] += fault.termination is Termination.CRASH
        if len(out) == 1:
            assert after.winner == 3 - out.pop()
        assert after.counts == (len(out) < 2)


@given(games(), st.integers(1, 3), st.randoms())
def test_all_matches_of_a_team_in_quarantine_count_as_its_forfeits(
    played: list[tuple[MatchSpec, Outcome]], most: int, chance: object
) -> None:
    specs = [spec for spec, _ in played]
    # What came of a match makes no difference, whether it was won, spoilt by the machine, void, or failed by its GameManager.
    void = Fault(0, Termination.VOID, "its worker died", 0)
    others = [
        {"no_contest": True},
        {"winner": 1, "ranks": (1, 2), "reason": "OVER", "rounds": 9, "scores": (4.0, 2.0)},
        {"faults": (void,)},
        {"faults": (Fault(0, Termination.CRASH, "it broke", 0),)},
    ]
    drawn = [replace(ended, **chance.choice(others)) for _, ended in played if not ended.faults]  # type: ignore[attr-defined]
    sound = iter(drawn)
    eligibility = Eligibility(most)
    for spec, ended in played:
        eligibility.add(spec, spec.label(ended if ended.faults else next(sound)))
    counted = eligibility.counted(specs, eligibility.settled)
    out = set(faults_in_quarantine(counted))
    for spec, before, after in zip(specs, eligibility.settled, counted, strict=True):
        seats = {seat for seat, name in enumerate(spec.input.names, start=1) if name in out}
        assert after.forfeits == seats
        if seats:
            assert after.counts == (len(seats) < 2)
            assert (after.winner, after.ranks) == ((0, (1, 1)) if len(seats) == 2 else (2, (2, 1)) if 1 in seats else (1, (1, 2)))
            assert after.scores == ()
            assert not after.is_void
        else:
            assert after == before
        assert after.faults == before.faults or before.is_void
    assert eligibility.counted(specs, counted) == counted


@given(games(), st.integers(0, 3), st.integers(0, 8))
def test_an_excluded_team_forfeits_what_it_has_not_played(played: list[tuple[MatchSpec, Outcome]], most: int, since: int) -> None:
    """What it has played counts, from whatever match on it may not play; unless it comes to be in quarantine too."""
    (ann,) = match("ann", "bob").input.teams[:1]
    eligibility = Eligibility(most, {ann: Exclusion(DISQUALIFICATION, "disqualified", since)})
    spoilt = record(0, kind=Termination.VOID)
    for spec, ended in played:
        place = spec.place.number
        stored = eligibility.without_playing(spec, lambda spec: played[spec.place.number][1])
        unplayed = eligibility.without_playing(spec, lambda spec: None)
        void = eligibility.without_playing(spec, lambda spec: spoilt)
        assert stored is not None
        if stored.reason == "FORFEIT":
            assert stored == unplayed == void
        elif "ann" in spec.input.names and place >= since:
            assert unplayed is not None
            assert unplayed == void
            assert (unplayed.reason, unplayed.message) == ("DISQUALIFIED", "Not played: ann disqualified")
            assert {fault.message for fault in unplayed.faults} == {"disqualified: not played"}
            assert stored is ended
        else:
            assert (stored, unplayed, void) == (ended, None, spoilt)
        eligibility.add(spec, ended)
    if all(outcome.reason != "FORFEIT" for outcome in eligibility.settled):
        assert eligibility.settled == [ended for _, ended in played]


@given(games())
def test_zero_never_quarantines(played: list[tuple[MatchSpec, Outcome]]) -> None:
    assert settle(played, 0) == [ended for _, ended in played]


@pytest.mark.parametrize("kind", [Termination.ILLEGAL_MOVE, Termination.VOID])
def test_what_is_no_sign_of_broken_code_is_not_counted(kind: Termination) -> None:
    played = [(match("ann", "bob", place), record(1, kind=kind)) for place in range(3)]
    assert settle(played, 1) == [ended for _, ended in played]


def test_matches_of_a_quarantined_team_are_not_played(tanks: Reference, reference_manager: Reference, teams: Teams) -> None:
    source = MapSource("duel", map_text(DUEL, 5, 5).encode())
    names = [("crasher", "idler")] * 6 + [("idler", "shooter"), ("crasher", "crasher")]
    specs = [made_spec(game=tanks, manager=reference_manager, map=source, teams=(teams[one], teams[two])) for one, two in names]
    told: list[int] = []
    alone = run_matches(specs, 1, lambda spec, _: told.append(spec.place.number), most_faults=2)
    assert told == list(range(len(specs)))
    kinds = [[fault.termination for fault in each.faults] for each in alone]
    # What was played stays known, and counts as a forfeit like the rest.
    assert kinds == [[Termination.CRASH]] * 2 + [[Termination.FORFEIT]] * 4 + [[], [Termination.FORFEIT] * 2]
    assert [each.forfeited for each in alone] == [(1,)] * 2 + [()] * 6
    assert [each.winner for each in alone] == [2, 2, 2, 2, 2, 2, 2, 0]
    assert [each.seconds for each in alone[2:6]] == [0.0] * 4
    assert alone[0].message == "Counts as a forfeit: crasher quarantined"
    assert alone[2].message == "Not played: crasher quarantined"
    assert faults_in_quarantine(alone) == {"crasher": (2, 7)}
    said = "crasher was put in quarantine after 2 matches with faults: all its 7 matches count as forfeits"
    assert quarantine_line(alone) == said
    assert "fault of crasher: crash: get_action raised ValueError" in fault_report(alone)
    many = run_matches(specs, 7, most_faults=2)
    assert [(each.winner, each.faults, each.claim) for each in many] == [(each.winner, each.faults, each.claim) for each in alone]
