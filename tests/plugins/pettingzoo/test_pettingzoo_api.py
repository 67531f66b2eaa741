"""PettingZoo's own tests of environments, for every shipped game and for games of OpenSpiel."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import pytest

pytest.importorskip("pettingzoo", reason="PettingZoo is not installed: there is no wheel for this Python")

from pettingzoo.test import api_test, parallel_api_test, parallel_seed_test, seed_test

import tiltyard_gym

GAMES = [("advance", ""), ("filler", "map00"), ("penguins", "small-bay"), ("tanks", "narrow-pass")]
OPENSPIEL = ["connect_four", "leduc_poker", "goofspiel"]
"""A board, hidden information with chance, moves made at the same time."""
CYCLES = 40

pytestmark = [
    # They say so of every observation with an action mask but those of PettingZoo's own environments, which they know by name.
    pytest.mark.filterwarnings("ignore:Observation space for each agent probably should be:UserWarning"),
    pytest.mark.filterwarnings("ignore:Observation is not a NumPy array:UserWarning"),
]


def check(make: Callable[[], Any]) -> None:
    first = make()
    api_test(first, num_cycles=CYCLES)
    first.close()
    # It closes both.
    seed_test(make, num_cycles=CYCLES)


@pytest.mark.parametrize(("game", "board"), GAMES)
def test_shipped_games(game: str, board: str) -> None:
    check(partial(tiltyard_gym.env, game, board))


@pytest.mark.parametrize("name", OPENSPIEL)
def test_games_of_openspiel(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("pyspiel", reason="OpenSpiel is not installed: there is no wheel for this Python")
    monkeypatch.setenv("TILTYARD_BLOCK", "")
    check(partial(tiltyard_gym.env, f"openspiel/{name}"))


def test_tanks_in_parallel() -> None:
    # Four tanks, so that some are lost before the end.
    make = partial(tiltyard_gym.parallel_env, map="narrow-pass")
    environment = make()
    parallel_api_test(environment, num_cycles=CYCLES)
    environment.close()
    parallel_seed_test(make, num_cycles=CYCLES)
