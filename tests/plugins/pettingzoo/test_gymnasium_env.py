"""A single agent in Gymnasium's API passes Gymnasium's own check, and plays the same match."""

from __future__ import annotations

from typing import Any

import pytest

pytest.importorskip("pettingzoo", reason="PettingZoo is not installed: there is no wheel for this Python")

import numpy as np
from gymnasium.utils.env_checker import check_env

import tiltyard_gym
from tiltyard_engine.errors import UserError


@pytest.mark.parametrize(
    ("game", "board", "opponents", "players"),
    [
        ("tanks", "back-yard", {2: "acorn"}, 0),
        ("filler", "close-quarters", {1: "nearest"}, 0),
        ("penguins", "small-bay", {1: "penguins-greedy", 3: "penguins-random"}, 3),
    ],
)
def test_gymnasiums_own_check(game: str, board: str, opponents: dict[int, str], players: int) -> None:
    environment = tiltyard_gym.single_env(game, board, opponents=opponents, players=players)
    check_env(environment, skip_render_check=True)
    environment.close()


# OpenSpiel doesn't say how large the numbers in a tensor are.
@pytest.mark.filterwarnings("ignore:.*A Box observation space (min|max)imum value is -?infinity:UserWarning")
def test_gymnasiums_own_check_of_a_game_of_openspiel(monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("pyspiel", reason="OpenSpiel is not installed: there is no wheel for this Python")
    monkeypatch.setenv("TILTYARD_BLOCK", "")
    environment = tiltyard_gym.single_env("openspiel/connect_four", opponents={2: "openspiel-random"})
    check_env(environment, skip_render_check=True)
    environment.close()


def test_the_same_match_as_in_the_other_api() -> None:
    single = tiltyard_gym.single_env("filler", "close-quarters", opponents={2: "nearest"}, rewards="scores", render_mode="ansi")
    observation, _ = single.reset(seed=4)
    total, ended, infos = 0.0, False, dict[str, Any]()
    while not ended:
        assert single.action_masks().tolist() == observation["action_mask"].astype(bool).tolist()
        observation, reward, ended, _, infos = single.step(int(np.argmax(single.action_masks())))
        total += reward
    board = single.render()
    single.close()
    other = tiltyard_gym.env("filler", "close-quarters", opponents={2: "nearest"}, rewards="scores", render_mode="ansi")
    other.reset(seed=4)
    for _ in other.agent_iter():
        observation, _, ended, _, info = other.last()
        if ended:
            assert (info, other.render()) == (infos, board)
        other.step(None if ended else int(np.argmax(observation["action_mask"])))
    assert f"{total:g} : " in infos["message"]
    other.close()


def test_tanks_may_ask_for_anything() -> None:
    environment = tiltyard_gym.single_env("tanks", "back-yard", opponents={2: "acorn"})
    environment.reset(seed=1)
    assert environment.action_masks().tolist() == [True] * 9
    environment.close()


def test_several_agents_are_refused() -> None:
    words = r"^the match has 2 agents \(player_1_tank_0, player_1_tank_1\), expected one: give all other seats to opponents$"
    with pytest.raises(UserError, match=words):
        tiltyard_gym.single_env("tanks", "narrow-pass", opponents={2: "acorn"})
