"""Tanks by the engine's contract for rules: each battle goes as the reference GameManager plays it."""

from __future__ import annotations

from random import Random

import pytest
from tests.plugins.tanks.games import a_map, play

from tiltyard_engine.tanks import ActionRequest
from tiltyard_tanks.conformance import LETTERS
from tiltyard_tanks.game_rules import TanksRules, TanksState

BOARD = ("########", "#1 @ 2 #", "#      #", "# 1  2 #", "#3    3#", "########")
RULES = TanksRules()
CHANCE = Random(0)


def at_random(seed: int, board: tuple[str, ...], steps: int, shells: int) -> tuple[TanksState, list[str], list[list[str]]]:
    """The last state, the letters of each tank's requests, and the board after each round."""
    choice = Random(seed)
    players = len(set("".join(board)) & set("123456789"))
    state = RULES.start(a_map(board, steps, shells, players), players, CHANCE)
    scripts, boards = [""] * len(state.battle.owner), [list(state.battle.rows())]
    while RULES.outcome(state) is None:
        # Shots are likelier, so that tanks die.
        answers = {seat: choice.choice([*ActionRequest, ActionRequest.SHOOT]) for seat in RULES.to_move(state)}
        for seat, answer in answers.items():
            tank = state.next_tank(seat)
            assert tank is not None
            scripts[tank] += next(letter for letter, action in LETTERS.items() if action is answer)
        state = RULES.play(state, answers, CHANCE)
        if not state.requests:
            boards.append(list(state.battle.rows()))
    return state, scripts, boards


@pytest.mark.parametrize(("steps", "shells", "seeds"), [(60, 10, range(12)), (150, 1, range(12, 20)), (9, 4, range(20, 24))])
def test_battles_go_as_the_reference_plays_them(steps: int, shells: int, seeds: range) -> None:
    reasons = set()
    for seed in seeds:
        state, scripts, boards = at_random(seed, BOARD, steps, shells)
        match = play(BOARD, *scripts, steps=steps, shells=shells, players=3)
        ending = RULES.outcome(state)
        assert ending is not None
        assert (ending.ranks, ending.reason, ending.message, ending.rounds) == (
            match.result.ranks,
            match.result.reason,
            match.result.message,
            match.result.rounds,
        )
        assert boards == [match.board(number) for number in range(match.result.rounds + 1)]
        assert tuple(RULES.scores(state)) == match.result.remaining_tanks
        reasons.add(ending.reason)
    assert reasons & {"MAX_STEPS", "ZERO_SHELLS", "ALL_TANKS_DEAD"}


def test_who_fails_loses_its_tanks_in_that_round_and_the_others_play_on() -> None:
    state = RULES.start(a_map(BOARD, players=3), 3, CHANCE)
    after = RULES.without(RULES.play(state, dict.fromkeys((1, 2, 3), ActionRequest.DO_NOTHING), CHANCE), 2)
    assert list(RULES.to_move(after)) == [1, 3]
    after = RULES.play(after, dict.fromkeys((1, 3), ActionRequest.DO_NOTHING), CHANCE)
    assert (after.battle.living, after.battle.round, state.battle.living) == ([0, 2, 0, 2], 1, [0, 2, 2, 2])
    over = RULES.without(after, 1)
    assert (list(RULES.to_move(over)), RULES.outcome(over)) == ([3], None)
    for _ in range(2):
        over = RULES.play(over, {3: ActionRequest.DO_NOTHING}, CHANCE)
    ending = RULES.outcome(over)
    assert ending is not None
    assert (ending.reason, ending.ranks, ending.rounds) == ("ALL_TANKS_DEAD", (2, 3, 1), 2)


def test_a_round_is_played_when_the_one_who_is_still_asked_fails() -> None:
    board = ("#######", "#1 2 3#", "#1    #", "#######")
    state = RULES.start(a_map(board, players=3), 3, CHANCE)
    state = RULES.play(state, dict.fromkeys((1, 2, 3), ActionRequest.DO_NOTHING), CHANCE)
    assert (list(RULES.to_move(state)), state.battle.round) == ([1], 0)
    after = RULES.without(state, 1)
    assert (list(RULES.to_move(after)), after.battle.round) == ([2, 3], 1)
