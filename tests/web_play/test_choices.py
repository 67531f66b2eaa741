"""What a person may answer, and the squares that stand for it."""

from __future__ import annotations

from random import Random
from typing import Any

import pytest

from tiltyard_engine.registry import Registry
from tiltyard_engine.rules import Rules
from tiltyard_web_play.choices import answer_of, choices_of, position_of

NAMES = ("you", "other")


def rules_of(registry: Registry, game: str) -> Rules[Any, Any]:
    rules = registry.game(game).rules
    assert isinstance(rules, Rules)
    return rules


def test_a_disc_stands_for_where_it_comes_to_lie(registry: Registry) -> None:
    rules = rules_of(registry, "connect-four")
    position = rules.play(rules.start((7, 6), 2, Random(0)), {1: 3}, Random(0))
    listed = choices_of(rules, position, 2, NAMES)
    squares = {choice.text: choice.squares for choice in listed.choices}
    assert listed.is_all
    assert squares["column 0"] == (5 * 7,)
    assert squares["column 3"] == (4 * 7 + 3,)


def test_a_move_stands_for_where_a_piece_comes_from_and_goes(registry: Registry) -> None:
    rules = rules_of(registry, "advance")
    board = registry.game("advance").maps.read("map", b"..g......\n" + b".........\n" * 7 + b"......G..\n", 2)
    view = rules.view(rules.start(board, 2, Random(0)), 1)
    listed = choices_of(rules, view, 1, NAMES)
    assert len(listed.choices) > 2
    # All begin where the one piece stands, so that square tells none of them from another.
    assert all(len(choice.squares) == 1 for choice in listed.choices)
    assert len({choice.squares for choice in listed.choices}) == len(listed.choices)


def test_nothing_stands_on_the_board_where_something_is_hidden_or_all_decide_at_once(registry: Registry) -> None:
    cards = rules_of(registry, "high-card")
    view = cards.view(cards.start(registry.game("high-card").maps.read("map", b"5", 2), 2, Random(1)), 1)
    assert not position_of(cards, view, 1)[1]
    assert {choice.squares for choice in choices_of(cards, view, 1, NAMES).choices} == {()}
    both = rules_of(registry, "dilemma")
    start = both.start(registry.game("dilemma").maps.read("map", b"10", 2), 2, Random(0))
    assert {choice.squares for choice in choices_of(both, both.view(start, 1), 1, NAMES).choices} == {()}


def test_an_answer_is_read_by_its_whole_text_first(registry: Registry) -> None:
    rules = rules_of(registry, "connect-four")
    start = rules.start((12, 6), 2, Random(0))
    assert answer_of(rules, "column 1", start, 1) == 1
    assert answer_of(rules, "11", start, 1) == 11
    with pytest.raises(ValueError, match="'13' is not a legal answer; legal: column 0"):
        answer_of(rules, "13", start, 1)
