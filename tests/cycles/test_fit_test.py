from __future__ import annotations

import dataclasses

import numpy as np
import pytest
from tests.scripts import load_script

from tiltyard_cycles.fit_test import FitVerdict, fitted_or_not

script = load_script("benchmarks/verdicts.py")


def test_where_one_number_is_true_there_is_hardly_an_alarm() -> None:
    """At most 3 of 100 are expected; the seasons are always the same."""
    counts = script.false_alarms(script.Truth(teams=8, games=10), 100)
    assert counts[FitVerdict.CYCLE] + counts[FitVerdict.PAIR] <= 5
    assert counts[FitVerdict.FEW] == 0


def test_a_planted_circle_is_named() -> None:
    alarms, names = script.detections(script.Truth(teams=20, games=20, circle=0.9), 10)
    assert (alarms, names) == (10, 10)


def test_the_same_counts_say_the_same_whatever_the_names() -> None:
    pairs = script.Truth(teams=8, games=10, circle=0.8).season(np.random.default_rng(3))
    tests = [fitted_or_not(each) for each in (pairs, pairs, dataclasses.replace(pairs, teams=tuple("abcdefgh")))]
    assert len({(test.verdict, test.cycle) for test in tests}) == 1


@pytest.mark.parametrize(("games", "verdict"), [(2, FitVerdict.FEW), (8, FitVerdict.FITS)])
def test_how_many_games_can_tell(games: int, verdict: FitVerdict) -> None:
    assert fitted_or_not(script.Truth(teams=8, games=games).season(np.random.default_rng(1))).verdict is verdict
