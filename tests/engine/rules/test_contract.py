"""Defaults of the contract: words for answers, refusals, ranks."""

from __future__ import annotations

from enum import Enum
from random import Random

import pytest
from tests.engine.rules.small_games import Bids, Nim, Pile

from tiltyard_engine.rules import Ending
from tiltyard_engine.rules.contract import verdict


class Way(Enum):
    """An answer."""

    TURN_LEFT = 1


@pytest.mark.parametrize("typed", ["take 2", " TAKE  2", "2"])
def test_an_answer_may_be_typed_in_short(typed: str) -> None:
    assert Nim().from_text(typed, Pile(5), 1) == 2


@pytest.mark.parametrize("typed", ["take", "4", "", "take 22"])
def test_what_is_no_answer_is_refused_with_those_that_are(typed: str) -> None:
    with pytest.raises(ValueError, match="is not a legal answer; legal: take 1, take 2, take 3"):
        Nim().from_text(typed, Pile(5), 1)


def test_answers_in_words() -> None:
    position = Bids().start(1, 3, Random(0))
    assert Bids().to_text(Way.TURN_LEFT, position, 1) == "turn left"  # type: ignore[arg-type]
    assert Bids().to_text((3, "b"), position, 1) == "3 b"  # type: ignore[arg-type]


def test_ranks() -> None:
    rules = Nim()
    assert rules.ranks(Pile(0), Ending.won_by(2, 3), 3) == (2, 1, 2)
    assert rules.ranks(Pile(0), Ending.won_by(2, 3), 3, failed=[2]) == (1, 3, 1)
    assert rules.ranks(Pile(5), None, 3) == (1, 1, 1)


@pytest.mark.parametrize(
    ("ranks", "words"),
    [((1, 1), "Tie"), ((2, 1), "Player 2 won"), ((1, 1, 3), "Players 1 and 2 share first place")],
)
def test_the_verdict(ranks: tuple[int, ...], words: str) -> None:
    assert verdict(ranks) == words
