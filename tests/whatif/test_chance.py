"""Another answer in a game of chance: all before it stays, and chance takes other courses after it."""

from __future__ import annotations

import pytest
from tests.whatif.games import EXAMPLES, four, held, match_of

from tiltyard_engine.errors import UserError
from tiltyard_simulator.match.isolation import Isolation
from tiltyard_simulator.match.spec import MatchSpec
from tiltyard_whatif.chance import ChanceTap, Frequency
from tiltyard_whatif.playing import Rematch, check_same


def race(seed: int) -> MatchSpec:
    return match_of("pig-race", ["bold", "careful"], "fifty", EXAMPLES / "pig_race.py", seed=seed)


def test_chance_takes_other_courses_from_the_turn_on_alone() -> None:
    with Rematch(race(1), 1) as rematch:
        recorded = rematch.play(lists=True)
        decision = recorded.decisions[len(recorded.decisions) // 2]
        tap = ChanceTap(rematch.spec)
        courses = [
            rematch._course(tap.spec, {}, (decision.point, lambda seed=seed: tap.reseed(seed)))  # type: ignore[misc]
            for seed in (1, 2, 3, 1)
        ]
        tap.close()
        for course in courses:
            check_same(recorded.replay, course, before=decision.turn)
        assert courses[0].replay == courses[3].replay
        assert len({tuple(map(repr, course.replay.frames)) for course in courses}) == 3
        # What was recorded is still the same afterwards.
        check_same(recorded.replay, rematch.play())


def test_the_frequency_counts_victories_and_says_how_sure_it_is() -> None:
    with Rematch(race(1), 1) as rematch:
        decision = rematch.play(lists=True).decisions[-1]
        roll, hold = (rematch.frequency(decision.point, {decision.point: answer}, 10) for answer in ("roll", "hold"))
    assert roll.games == hold.games == 10
    assert roll != hold
    assert Frequency(5, 10).interval == pytest.approx((0.2366, 0.7634), abs=1e-3)
    assert Frequency(0, 20).interval == pytest.approx((0.0, 0.1611), abs=1e-3)
    assert str(Frequency(20, 20)) == "won 20 of 20 (84% to 100%)"


def test_a_referee_with_a_chance_of_its_own_is_refused() -> None:
    with (
        Rematch(match_of("filler", ["nearest", "heat"], "map00"), 1) as rematch,
        pytest.raises(UserError, match="chance of its own"),
    ):
        rematch.frequency((1, 1), {}, 2)
    with Rematch(held(four(), Isolation.PROCESS), 1) as rematch, pytest.raises(UserError, match="runs in a process of its own"):
        rematch.frequency((1, 1), {}, 2)


@pytest.mark.parametrize(
    ("spec", "has_chance"),
    [(race(1), True), (four(), False), (match_of("filler", ["nearest", "heat"], "map00"), False)],
    ids=["dice", "no dice", "not told"],
)
def test_whether_chance_goes_on_after_the_start(spec: MatchSpec, has_chance: bool) -> None:
    with Rematch(spec, 1) as rematch:
        assert rematch.has_chance() is has_chance
