"""Games that state their rules as environments: nothing more is written for it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import Enum
from functools import partial
from pathlib import Path
from random import Random
from typing import Any

import pytest

pytest.importorskip("pettingzoo", reason="PettingZoo is not installed: there is no wheel for this Python")

import numpy as np
from pettingzoo.test import api_test, seed_test

import tiltyard_gym
from tiltyard_engine.errors import UserError
from tiltyard_engine.records import TurnTeam
from tiltyard_engine.rules import Ending, Rules
from tiltyard_gym.rules_encoding import RulesEncoding
from tiltyard_kit.new_game import GameKind, game_template

EXAMPLES = Path(__file__).parents[3] / "docs" / "examples" / "games"

pytestmark = [
    pytest.mark.filterwarnings("ignore:Observation space for each agent probably should be:UserWarning"),
    pytest.mark.filterwarnings("ignore:Observation is not a NumPy array:UserWarning"),
]


def check(make: Any) -> None:
    environment = make()
    api_test(environment, num_cycles=40)
    environment.close()
    seed_test(make, num_cycles=20)


@pytest.mark.parametrize(("file", "game"), [("connect_four", "connect-four"), ("high_card", "high-card"), ("dilemma", "dilemma")])
def test_games_of_a_trusted_file(file: str, game: str) -> None:
    check(partial(tiltyard_gym.env, game, trust=[str(EXAMPLES / f"{file}.py")]))


def test_a_game_in_a_folder_of_trusted_plugins() -> None:
    environment = tiltyard_gym.env("pig-race", players=3, opponents={1: "greedy", 3: "careful"}, trust=[str(EXAMPLES)])
    environment.reset(seed=1)
    assert environment.agent_selection == "player_2"
    assert environment.last()[0]["action_mask"].tolist() == [1, 1]
    environment.close()


@pytest.mark.parametrize("kind", [GameKind.HIDDEN, GameKind.SIMULTANEOUS])
def test_new_games(tmp_path: Path, kind: GameKind) -> None:
    for path, text in game_template("stones", kind).items():
        (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / path).write_text(text)
    check(partial(tiltyard_gym.env, "stones", trust=[str(tmp_path)]))


def test_a_game_that_is_not_trusted_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="no game is called 'connect-four'"):
        tiltyard_gym.env("connect-four")
    (tmp_path / "broken.py").write_text("import no_such_package\n")
    with pytest.raises(UserError, match=r"broken\.py: .*no_such_package"):
        tiltyard_gym.env("connect-four", trust=[str(tmp_path / "broken.py")])


def test_what_does_not_follow_from_the_rules_is_named() -> None:
    with pytest.raises(UserError, match=r"Drones has no legal\(\).* write answers\(board\) and features\(view, seat\)$"):
        tiltyard_gym.env("drones", trust=[str(EXAMPLES / "drones.py")])


class Colour(Enum):
    RED = 1
    GREEN = 2
    BLUE = 3


@dataclass(frozen=True)
class Place:
    turn: int
    steps: tuple[tuple[int, int], ...] = ()
    colour: Colour | None = None


class Walk(Rules[Place, Any]):
    """Players walk over a board of 3 x 2, or choose a colour."""

    def start(self, board: int, seats: int, chance: Random) -> Place:
        return Place(1)

    def to_move(self, position: Place) -> Sequence[int]:
        return [position.turn]

    def legal(self, position: Place, seat: int) -> Sequence[Any]:
        return [Colour.BLUE, *((x, y) for x, y in ((0, 0), (2, 1)) if (x, y) not in position.steps)]

    def play(self, position: Place, answers: Mapping[int, Any], chance: Random) -> Place:
        answer = answers[position.turn]
        if isinstance(answer, Colour):
            return Place(3 - position.turn, position.steps, answer)
        return Place(3 - position.turn, (*position.steps, answer), position.colour)

    def outcome(self, position: Place) -> Ending | None:
        return Ending.won_by(position.turn) if position.colour else None


def test_actions_are_all_answers_of_the_kinds_that_are_legal() -> None:
    spaces = RulesEncoding(Walk(), 0, 2).at(1)
    assert [spaces.answer(Place(1), action) for action in range(9)] == [*Colour, (0, 0), (0, 1), (1, 0), (1, 1), (2, 0), (2, 1)]
    seen = spaces.observe(Place(1, ((2, 1),)))
    assert seen.legal == [2, 3]
    # Whose turn it is, room for two steps, and for a colour.
    assert list(seen.values) == [1.0, 2.0, 1.0, 0.0, 0.0, 0.0]
    assert list(spaces.observe(Place(2, (), Colour.BLUE)).values) == [2.0, 0.0, 0.0, 0.0, 0.0, 2.0]


def test_what_is_longer_than_in_games_at_random_is_left_out_with_a_warning() -> None:
    with pytest.warns(UserWarning, match=r"a view of Walk is longer .* write features\(view, seat\)"):
        seen = RulesEncoding(Walk(), 0, 2).at(1).observe(Place(1, ((1, 1),) * 5))
    assert list(seen.values) == [1.0, 1.0, 1.0, 1.0, 1.0, 0.0]


class Said(Walk):
    """The same walk, which says what agents see and answer."""

    def answers(self, board: int) -> Sequence[Any]:
        return [(2, 1), (0, 0), Colour.BLUE]

    def features(self, view: Place, seat: int) -> Any:
        return [[view.turn, seat], [len(view.steps), 0.5]]


def test_a_game_says_what_agents_see_and_answer() -> None:
    encoding = RulesEncoding(Said(), 0, 2).at(2)
    assert encoding.spaces(0).shape == (2, 2)
    seen = encoding.observe(Place(2, ((0, 0),)))
    assert (list(seen.values), seen.legal, encoding.answer(Place(2), 0)) == ([2.0, 2.0, 1.0, 0.5], [0, 2], (2, 1))


def test_a_legal_answer_that_is_no_action_is_told() -> None:
    class TooFew(Said):
        def answers(self, board: int) -> Sequence[Any]:
            return [(2, 1)]

    with pytest.raises(UserError, match=r"BLUE.* is legal, but no action stands for it: TooFew\.answers\(board\) must list it"):
        RulesEncoding(TooFew(), 0, 2).at(1).observe(Place(1))


def test_a_policy_plays_by_rules() -> None:
    team = tiltyard_gym.policy_team("first", "walk", RulesEncoding(Walk(), 0, 2), lambda _, mask: int(np.argmax(mask)))
    assert isinstance(team, TurnTeam)
    assert team.create(1).choose(Place(1, ((0, 0),))) is Colour.BLUE
