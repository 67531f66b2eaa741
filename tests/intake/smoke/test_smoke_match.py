"""A first match: long enough to meet what goes wrong late, and no longer than there is time for."""

from __future__ import annotations

from itertools import count
from pathlib import Path
from typing import Final

import pytest
from tests.classes.penguins_work import PROGRAM

from tiltyard_intake.smoke.smoke_match import ROUNDS, LongEnough, OverError, SmokeMatches
from tiltyard_simulator.match.limits import LimitChanges
from tiltyard_simulator.registry.guarded_registry import open_registry
from tiltyard_simulator.registry.isolation_policy import IsolationPolicy

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
    policy = IsolationPolicy(limits=LimitChanges({"move_seconds": 0.2}))
    with SmokeMatches("advance", open_registry(policy), policy, tmp_path) as smoke:
        found = smoke.play([tmp_path / "late.py"])
    # The team counts the rounds in which it is asked.
    assert (found.summary, found.fault.partition(":")[0]) == ("40 rounds on advance-start", "timeout in round 21")


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


ONLY_LARGE: Final = """import os, sys

boards = [open(word).read() for word in sys.argv[1:] if os.path.isfile(word)]
if boards and not any(board.startswith("SIZES") for board in boards):
    sys.exit(3)
"""


@pytest.mark.parametrize(("sizes", "place"), [("14 14", "rookery"), ("no board", "small-bay")])
def test_who_fails_on_the_smallest_map_plays_on_one_of_usual_size(sizes: str, place: str, tmp_path: Path) -> None:
    (tmp_path / "ann").mkdir()
    # It starts anew for each move, so it imports as little as it can.
    command = 'command = ["python3", "-I", "-S", "bot.py"]'
    (tmp_path / "ann" / "program.toml").write_text(f'name = "ann"\ngame = "penguins"\n{command}\n')
    (tmp_path / "ann" / "bot.py").write_text(ONLY_LARGE.replace("SIZES", sizes) + PROGRAM)
    policy = IsolationPolicy()
    with SmokeMatches("penguins", open_registry(policy), policy, tmp_path) as smoke:
        found = smoke.of_teams(1_000).play([tmp_path / "ann"])
    if place == "rookery":
        assert (found.fault, " on rookery; on small-bay: " in found.summary) == ("", True), found
    else:
        assert (found.summary.partition(" on ")[2], bool(found.fault)) == ("small-bay", True), found
