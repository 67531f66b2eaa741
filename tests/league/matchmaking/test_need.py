from __future__ import annotations

import os
import re
import subprocess
import sys
from typing import Any

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.docs.console import ROOT

from tiltyard_league.matchmaking.need import LONGEST_WAIT, Situation, choose_group


@st.composite
def situations(draw: st.DrawFn) -> Situation:
    number = draw(st.integers(1, 7))
    chance = np.random.default_rng(draw(st.integers(0, 2**32)))
    root = chance.normal(size=(number, number))
    met = np.triu(chance.integers(0, 4, (number, number)), 1)
    return Situation(
        strengths=chance.normal(0, 2, number),
        covariance=root @ root.T + 0.01 * np.eye(number),
        met=met + met.T,
        left=np.maximum(0, draw(st.integers(1, 4)) - met - met.T),
        pending=chance.integers(0, 5, number),
        waited=chance.integers(0, 5 * number, number),
        players=draw(st.sampled_from([2, 2, 3, 5])),
    )


@given(situations(), st.integers(0, 2**32), st.sampled_from([0.0, 0.5]))
@settings(max_examples=50)
def test_those_meet_that_may_and_only_if_there_are_enough(situation: Situation, seed: int, spread: float) -> None:
    number = len(situation.strengths)
    group = choose_group(situation, np.random.default_rng(seed), spread)
    left = {(one, other) for one in range(number) for other in range(number) if one != other and situation.left[one, other] > 0}
    if not left or number < situation.players:
        assert group is None
        return
    assert group is not None
    assert group[:2] in left
    assert len(set(group)) == len(group) == situation.players
    assert group == choose_group(situation, np.random.default_rng(seed), spread)
    may_play = {one for one, _ in left}
    longest = LONGEST_WAIT * number / situation.players
    waiting = sorted((situation.waited[one] for one in may_play if situation.waited[one] > longest), reverse=True)
    if waiting:
        assert situation.waited[group[0]] == waiting[0]
    # The second is the one of whom a game tells most; further ones have waited too long, if anybody has.
    assert sum(situation.waited[one] > longest for one in group) >= min(len(waiting), situation.players - 1)


def plain(number: int, **others: Any) -> Situation:
    values: dict[str, Any] = {
        "strengths": np.zeros(number),
        "covariance": np.eye(number),
        "met": np.zeros((number, number), dtype=np.int64),
        "pending": np.zeros(number, dtype=np.int64),
        "waited": np.zeros(number, dtype=np.int64),
        "players": 2,
    }
    values |= others
    return Situation(left=10 - values["met"], **values)


def test_whoever_is_least_known_meets_one_of_whom_a_game_tells_most() -> None:
    draw = np.random.default_rng(1)
    covariance = np.diag([1.0, 1.0, 9.0, 1.0])
    strengths = np.array([-8.0, 0.5, 0.0, 7.0])
    assert choose_group(plain(4, covariance=covariance, strengths=strengths), draw) == (2, 1)
    # What is being played already will tell as well.
    busy = np.array([0, 0, 40, 0])
    pair = choose_group(plain(4, covariance=covariance, strengths=strengths, pending=busy), draw)
    assert pair is not None
    assert pair[0] != 2
    # The two have met often; another one tells more by now.
    met = np.zeros((4, 4), dtype=np.int64)
    met[2, 1] = met[1, 2] = 10
    assert choose_group(plain(4, covariance=covariance, strengths=strengths, met=met), draw) != (2, 1)


def test_a_season_finds_the_true_order_sooner_than_round_robin() -> None:
    # In a process of its own, with one thread: several of them take ten times as long where cores are shared.
    script = ROOT / "benchmarks" / "ratings.py"
    words = [sys.executable, str(script), "season", "--seeds", "1", "--games", "3000", "--rule", "round robin", "--rule", "need"]
    environment = {**os.environ, "OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}
    process = subprocess.run(words, env=environment, capture_output=True, text=True, timeout=120, check=True)
    others, need = (dict(re.findall(r" {2}([a-z][a-z ,%]*) ([0-9.]+)", line)) for line in process.stdout.splitlines()[:2])
    assert set(others) == set(need) > {"places off", "longest wait"}
    assert float(need["places off"]) < float(others["places off"])
    assert float(need["repeats, %"]) == 0.0 < float(others["repeats, %"])
    assert float(need["worst first"]) < 20 < float(others["worst first"])
    assert float(need["longest wait"]) < LONGEST_WAIT + 0.5 < float(others["longest wait"])
