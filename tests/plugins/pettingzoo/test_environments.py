"""What environments show, pay and refuse, and who sits in the other seats."""

from __future__ import annotations

import gc
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("pettingzoo", reason="PettingZoo is not installed: there is no wheel for this Python")

import numpy as np

import tiltyard_gym
from tiltyard_engine.errors import UserError
from tiltyard_engine.tanks import ActionRequest

WriteMap = Callable[..., Path]
FILLER = ".....\n.@...\n.....\n...$.\n.....\n"


@pytest.fixture
def filler(tmp_path: Path) -> Iterator[Any]:
    board = tmp_path / "small.txt"
    board.write_text(FILLER)
    environment = tiltyard_gym.env("filler", str(board), rewards="lead", render_mode="ansi")
    yield environment
    environment.close()


def play_first_legal(environment: Any, seed: int | None = None) -> tuple[dict[str, float], dict[str, Any]]:
    """The sum of each agent's rewards, and the last infos."""
    environment.reset(seed=seed)
    total, infos = dict.fromkeys(environment.possible_agents, 0.0), {}
    for agent in environment.agent_iter():
        observation, reward, terminated, truncated, infos[agent] = environment.last()
        total[agent] += reward
        environment.step(None if terminated or truncated else int(np.argmax(observation["action_mask"])))
    return total, infos


def test_rewards_of_turns(filler: Any, tmp_path: Path) -> None:
    total, infos = play_first_legal(filler, seed=3)
    first, second = (int(word) for word in infos["player_1"]["message"].split(", ")[1].removesuffix(" cells").split(" : "))
    # Both begin with one cell.
    assert total == {"player_1": first - second, "player_2": second - first}
    by_rank = tiltyard_gym.env("filler", str(tmp_path / "small.txt"))
    total, infos = play_first_legal(by_rank, seed=3)
    assert total == {"player_1": np.sign(first - second), "player_2": np.sign(second - first)}
    assert {info["rank"] for info in infos.values()} == {1, 2} if first != second else {1}
    by_rank.close()


def test_matches_after_a_seed_are_determined_by_it() -> None:
    environment = tiltyard_gym.env("filler", "close-quarters")
    played = [play_first_legal(environment, seed)[1] for seed in (1, None, 1, None)]
    assert played[:2] == played[2:]
    assert played[0] != played[1]
    environment.close()


def test_an_illegal_action_is_a_fault(filler: Any) -> None:
    penguins = tiltyard_gym.env("penguins", "small-bay")
    penguins.reset(seed=1)
    mask = penguins.last()[0]["action_mask"]
    penguins.step(int(np.argmin(mask)))
    penguins.step(int(np.argmax(penguins.last()[0]["action_mask"])))
    for agent in penguins.agent_iter():
        observation, _, terminated, _, _ = penguins.last()
        if terminated:
            break
        assert agent == "player_2"
        penguins.step(int(np.argmax(observation["action_mask"])))
    assert penguins.infos["player_1"]["rank"] == 2
    assert "placed a penguin" in penguins.infos["player_1"]["fault"]
    assert penguins.rewards == {"player_1": -1.0, "player_2": 1.0}
    penguins.close()


@pytest.mark.parametrize("action", [None, -1, 26])
def test_what_is_no_action_is_refused(filler: Any, action: int | None) -> None:
    filler.reset(seed=1)
    with pytest.raises(ValueError, match=rf"^the action {action} of player_1 is not one of Discrete\(26\)$"):
        filler.step(action)


def test_only_the_agent_that_is_asked_has_a_mask(filler: Any) -> None:
    filler.reset(seed=1)
    assert filler.observe("player_1")["action_mask"].any()
    assert not filler.observe("player_2")["action_mask"].any()


def test_render(filler: Any, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    filler.reset(seed=1)
    assert filler.render() == FILLER
    board = str(tmp_path / "small.txt")
    pixels = tiltyard_gym.env("filler", board, render_mode="rgb_array")
    pixels.reset(seed=1)
    picture = pixels.render()
    assert picture.shape == (80, 80, 3)
    own, enemy, free = (tuple(picture[16 * y + 8, 16 * x + 8]) for x, y in ((1, 1), (3, 3), (0, 0)))
    assert len({own, enemy, free}) == 3
    pixels.close()
    printing = tiltyard_gym.env("filler", board, render_mode="human")
    printing.reset(seed=1)
    printing.step(int(np.argmax(printing.last()[0]["action_mask"])))
    assert capsys.readouterr().out.startswith(".a...\n")
    printing.close()


def test_a_match_can_be_left(filler: Any) -> None:
    for _ in range(3):
        filler.reset(seed=1)
        filler.step(int(np.argmax(filler.last()[0]["action_mask"])))
    filler.close()
    # It can be used again after that.
    filler.reset(seed=1)
    assert filler.agent_selection == "player_1"


def test_a_forgotten_environment_leaves_no_thread() -> None:
    gc.collect()
    before = threading.active_count()
    environment = tiltyard_gym.parallel_env(map="back-yard")
    environment.reset(seed=1)
    assert threading.active_count() == before + 1
    del environment
    gc.collect()
    assert threading.active_count() == before


def test_tanks_are_lost_one_by_one(write_map: WriteMap) -> None:
    rows = ["  1   ", "      ", "      ", "      ", "  2  1", "      ", "      ", "      ", "      "]
    environment = tiltyard_gym.parallel_env(map=str(write_map("duel.txt", rows, steps=20, shells=3)), rewards="lead")
    environment.reset(seed=1)
    assert environment.possible_agents == ["player_1_tank_0", "player_1_tank_1", "player_2_tank_0"]
    idle = dict.fromkeys(environment.agents, int(ActionRequest.DO_NOTHING))
    # Player 2 looks right. Two quarter turns more would be left, one to the left is up.
    environment.step(idle | {"player_2_tank_0": int(ActionRequest.ROTATE_LEFT_90)})
    environment.step(idle | {"player_2_tank_0": int(ActionRequest.SHOOT)})
    lost: tuple[Any, ...] = ()
    while len(environment.agents) == 3:
        lost = environment.step(idle)
    _, rewards, terminations, truncations, infos = lost
    assert environment.agents == ["player_1_tank_1", "player_2_tank_0"]
    assert terminations == {"player_1_tank_0": True, "player_1_tank_1": False, "player_2_tank_0": False}
    assert not any(truncations.values())
    assert rewards == {"player_1_tank_0": -1.0, "player_1_tank_1": -1.0, "player_2_tank_0": 1.0}
    assert infos == {agent: {} for agent in infos}
    while environment.agents:
        _, _, terminations, _, infos = environment.step(idle)
    assert terminations == {"player_1_tank_1": True, "player_2_tank_0": True}
    assert infos["player_2_tank_0"]["message"] == "Tie, reached max steps = 20, player 1 has 1 tanks, player 2 has 1 tanks"
    environment.reset()
    with pytest.raises(ValueError, match=r"^the action None of player_1_tank_0 is not one of Discrete\(9\)$"):
        environment.step({})
    environment.close()


def test_teams_play_against_agents(programs: Path, write_map: WriteMap) -> None:
    """One of tiltyard's own, in this process, and one of a stranger, in a sandbox."""
    board = write_map("three.txt", ["1     ", "      ", "  2   ", "      ", "    3 ", "      "], steps=15)
    stranger = str(programs / "teams" / "sound.py") + ":spinner"
    environment = tiltyard_gym.parallel_env(map=str(board), opponents={1: "acorn", 3: stranger}, players=3)
    assert environment.possible_agents == ["player_2_tank_0"]
    ends = []
    for _ in range(2):
        environment.reset(seed=1)
        infos: dict[str, dict[str, Any]] = {}
        while environment.agents:
            *_, infos = environment.step(dict.fromkeys(environment.agents, int(ActionRequest.ROTATE_LEFT_45)))
        ends.append(infos)
    assert ends[0] == ends[1]
    assert environment.record is not None
    assert ends[0]["player_2_tank_0"]["message"] == environment.record.message
    held = [account.held for account in environment.record.accounts]
    assert [words.partition(",")[0] for words in held] == ["inline", "inline", "sandbox"]
    environment.close()


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"game": "chess"}, "no game is called 'chess'"),
        ({"game": "filler"}, "name a map of filler: close-quarters, "),
        ({"game": "filler", "map": "map0"}, "no map is called 'map0'; did you mean map0"),
        ({"game": "filler", "map": "map00", "opponents": {2: "herd"}}, "no algorithm is called 'herd'"),
        ({"game": "filler", "map": "map00", "opponents": {3: "heat"}}, "there is no seat 3 for 'heat': the seats are 1 to 2"),
        ({"game": "filler", "map": "map00", "opponents": {1: "heat", 2: "heat"}}, "every seat has an opponent: leave at least one"),
        ({"game": "filler", "map": "map00", "players": 3}, "filler is for exactly 2 players, got 3"),
        ({"game": "filler", "map": "map00", "rewards": "wins"}, "no reward is called 'wins'; known: lead, ranks, scores"),
        ({"game": "filler", "map": "map00", "render_mode": "text"}, "no render mode is called 'text'"),
        ({"game": "filler", "map": "map00", "manager": "filler-43"}, "no game manager is called 'filler-43'"),
        ({"game": "advance-name"}, "the game advance-name doesn't say what its observations and actions are"),
    ],
)
def test_wrong_arguments(arguments: dict[str, Any], message: str) -> None:
    with pytest.raises(UserError) as caught:
        tiltyard_gym.env(**arguments)
    assert str(caught.value).startswith(message)


def test_a_game_of_turns_has_no_parallel_environment() -> None:
    with pytest.raises(UserError, match=r"^players of filler don't act at once: use tiltyard_gym\.env for it$"):
        tiltyard_gym.parallel_env("filler", map="map00")
