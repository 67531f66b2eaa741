"""A first match: long enough to meet what goes wrong late, and no longer than there is time for."""

from __future__ import annotations

from itertools import count
from pathlib import Path

import pytest

from tiltyard_simulator.intake.smoke_match import ROUNDS, LongEnough, OverError, SmokeMatches
from tiltyard_simulator.match.limits import LimitChanges
from tiltyard_simulator.play.isolation_policy import IsolationPolicy
from tiltyard_simulator.play.registry import open_registry

LATE = """from functools import partial
from tiltyard_advance.algorithms import OwnPlayer
from tiltyard_engine import TurnTeam, hookimpl

class Late(OwnPlayer):
    def choose(self, position):
        while position.ply == 40:
            pass
        return super().choose(position)

@hookimpl
def algorithms():
    yield TurnTeam("late", "advance", partial(Late, "1"))
"""


def test_a_team_that_hangs_late_is_met(tmp_path: Path) -> None:
    (tmp_path / "late.py").write_text(LATE)
    policy = IsolationPolicy(limits=LimitChanges({"move_seconds": 1.0}))
    with SmokeMatches("advance", open_registry(policy), policy, tmp_path) as smoke:
        found = smoke.play([tmp_path / "late.py"])
    # The team counts the rounds in which it is asked.
    assert (found.said, found.fault.partition(":")[0]) == ("40 rounds on advance-start", "timeout in round 21")


def rounds_of(match: LongEnough, most: int) -> int:
    match.start()
    try:
        for _ in range(most):
            match.frame()
    except OverError:
        assert match.is_over
    return match.rounds


@pytest.mark.parametrize(
    ("seconds_of_a_round", "more_seconds", "rounds"),
    [(0.01, 10.0, 200), (0.01, 0.5, 70), (1.0, 0.05, ROUNDS + 1), (1.0, 10.0, ROUNDS + 10)],
)
def test_a_match_goes_on_while_there_is_time(seconds_of_a_round: float, more_seconds: float, rounds: int) -> None:
    clock = (number * seconds_of_a_round for number in count())
    match = LongEnough(more_seconds, clock.__next__)
    assert abs(rounds_of(match, 200) - rounds) <= 1
    # If the machine fails it starts again.
    assert abs(rounds_of(match, 200) - rounds) <= 1


@pytest.mark.parametrize(("game", "place"), [("penguins", "rookery"), ("advance", "advance-start")])
def test_a_game_may_name_the_map_of_the_first_match(game: str, place: str, tmp_path: Path) -> None:
    policy = IsolationPolicy(limits=LimitChanges({"move_seconds": 1.0}))
    (tmp_path / "quits").mkdir()
    (tmp_path / "quits" / "program.toml").write_text(f'name = "quits"\ngame = "{game}"\ncommand = ["false"]\n')
    with SmokeMatches(game, open_registry(policy), policy, tmp_path) as smoke:
        assert smoke.play([tmp_path / "quits"]).said.partition(" on ")[2] == place
