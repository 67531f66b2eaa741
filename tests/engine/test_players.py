from __future__ import annotations

from typing import Any

import pytest

from tiltyard_engine.errors import UserError
from tiltyard_engine.records import Game, GameMaps, check_players, players_in_words, usual_players


def game(seats: range) -> Game[Any]:
    return Game(name="mill", seats=seats, maps=GameMaps(lambda name, data, seats: None))


@pytest.mark.parametrize(
    ("seats", "players", "words"),
    [
        (range(2, 10), 2, "2 to 9 players"),
        (range(1, 10), 2, "1 to 9 players"),
        (range(3, 5), 3, "3 to 4 players"),
        (range(3, 4), 3, "exactly 3 players"),
        (range(1, 2), 1, "exactly 1 player"),
        (range(4, 9, 2), 4, "4, 6 or 8 players"),
    ],
)
def test_two_players_are_usual_or_else_the_fewest(seats: range, players: int, words: str) -> None:
    assert usual_players(game(seats)) == players
    assert players_in_words(game(seats)) == words


def test_another_number_is_refused_with_what_to_do() -> None:
    check_players(game(range(4, 9, 2)), 6)
    with pytest.raises(UserError, match=r"^mill is for 4, 6 or 8 players, got 5$"):
        check_players(game(range(4, 9, 2)), 5)
    with pytest.raises(UserError, match=r"^mill is for exactly 3 players, got 2; take three$"):
        check_players(game(range(3, 4)), 2, "take three")
