"""Sparring partners: what each can do in a game that it knows by its rules alone."""

from __future__ import annotations

from random import Random
from typing import Any

import pytest
from tests.engine.rules.small_games import Bids, Hand, Nim, Pile

from tiltyard_engine.rules import Rules
from tiltyard_engine.rules.sparring import GreedyPlayer, RandomPlayer, TreePlayer, values


def game(rules: Rules[Any, Any], board: Any, *players: RandomPlayer, seed: int = 0) -> tuple[Any, list[Any]]:
    """The last position, and all answers."""
    chance = Random(seed)
    position = rules.start(board, len(players), chance)
    moves: list[Any] = []
    while rules.outcome(position) is None:
        answers = {seat: players[seat - 1].choose(rules.view(position, seat)) for seat in rules.to_move(position)}
        assert all(rules.is_legal(position, seat, answer) for seat, answer in answers.items())
        moves.append(answers)
        position = rules.play(position, answers, chance)
    return position, moves


@pytest.mark.parametrize("player", [RandomPlayer, GreedyPlayer, TreePlayer])
def test_the_same_views_give_the_same_answers(player: type[RandomPlayer]) -> None:
    rules = Bids()
    games = [game(rules, 3, *(player(rules, seat) for seat in (1, 2, 3)))[1] for _ in range(2)]
    assert games[0] == games[1]


def test_greedy_takes_the_last_stone_if_it_can() -> None:
    assert [GreedyPlayer(Nim(), 1).choose(Pile(stones)) for stones in (1, 2, 3)] == [1, 2, 3]


def test_greedy_bids_for_the_score() -> None:
    # Others have 1 to 9; whoever bids 9 wins or ties, and 1 never wins alone.
    assert GreedyPlayer(Bids(), 1).choose(Hand((1, 9), 5, (0, 0, 0))) == 9


@pytest.mark.parametrize("stones", [5, 6, 7, 9, 10])
def test_the_tree_leaves_the_opponent_a_multiple_of_four(stones: int) -> None:
    assert (stones - TreePlayer(Nim(), 1).choose(Pile(stones))) % 4 == 0


def test_the_tree_wins_a_won_game_against_a_random_player() -> None:
    rules = Nim()
    position, _ = game(rules, 15, TreePlayer(rules, 1), RandomPlayer(rules, 2))
    assert position.mover == 1


def test_what_a_position_is_worth() -> None:
    def worth(rules: Rules[Any, Any], position: object) -> list[float]:
        return list(values(rules, position, rules.outcome(position)))

    assert worth(Nim(), Pile(0, mover=2)) == [0.0, 1.0]
    assert not worth(Nim(), Pile(4))
    assert worth(Bids(), Bids().guess(Hand((), 1, (4, 2, 4)), 1, Random(0))) == [0.75, 0.0, 0.75]
