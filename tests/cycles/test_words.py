from __future__ import annotations

from itertools import combinations, permutations

import pytest
from tests.tournaments.made_matches import duel, many

from tiltyard_cycles import words
from tiltyard_cycles.words import FEW, FITS, NOT_TESTED, TOO_LARGE, Hardest, fit_note, hardest_opponents
from tiltyard_engine.match_record import Outcome

Result = tuple[str, str, int, int, int]


def season(*results: Result) -> list[Outcome]:
    """Wins of the first, ties, wins of the second, for each pair."""
    return [
        duel(first, second, winner)
        for first, second, *counts in results
        for winner, count in zip((1, 0, 2), counts, strict=True)
        for _ in range(count)
    ]


def circle(games: int) -> list[Outcome]:
    return season(("ant", "bee", games, 0, 0), ("bee", "cat", games, 0, 0), ("cat", "ant", games, 0, 0))


def test_a_clean_circle_is_named() -> None:
    beats = "ant beats bee (50 of 50), bee beats cat (50 of 50), and cat beats ant (50 of 50)"
    assert fit_note(circle(50)) == f"One number does not tell it all: {beats}."


def test_where_there_are_games_enough_to_tell_a_clean_circle_is_named() -> None:
    assert fit_note(circle(3)).startswith("One number does not tell it all: ant beats bee (3 of 3)")


def test_seats_and_the_order_of_games_make_no_difference() -> None:
    games = [*circle(9), *season(("ant", "dog", 5, 1, 4), ("bee", "dog", 4, 2, 4))]
    turned = [duel(game.teams[1], game.teams[0], (0, 2, 1)[game.winner]) for game in reversed(games)]
    assert fit_note(turned) == fit_note(games)
    assert "ant beats bee (9 of 9)" in fit_note(games)


def test_ties_are_told_in_a_circle() -> None:
    note = fit_note(season(("ant", "bee", 15, 2, 3), ("bee", "cat", 18, 1, 1), ("ant", "cat", 1, 0, 19)))
    assert "ant beats bee (15 of 20, 2 ties), bee beats cat (18 of 20, 1 tie), and cat beats ant (19 of 20)" in note


def test_a_pair_far_from_the_ratings_is_named() -> None:
    """dog loses to all but ant, which is as strong as the others: no circle is far off, but the pair is."""
    equals = [(one, other, 20, 0, 20) for one, other in combinations(("ant", "bee", "cat", "eel", "fox"), 2)]
    dog = [(name, "dog", 36, 0, 4) for name in ("bee", "cat", "eel", "fox")]
    note = fit_note(season(*equals, *dog, ("ant", "dog", 20, 0, 20)))
    assert "most of all those of dog against ant: 20 points in 40 games, where" in note


def test_what_luck_explains_fits() -> None:
    assert fit_note(season(*((one, other, 6, 1, 5) for one, other in combinations("abcdef", 2)))) == FITS


@pytest.mark.parametrize("games", [circle(1), circle(2), season(("a", "b", 30, 0, 10), ("b", "c", 20, 0, 20))])
def test_too_few_games_are_said_so(games: list[Outcome]) -> None:
    """A circle of six games happens every 32nd time; two pairs of three teams always fit."""
    assert fit_note(games) == FEW


def test_no_word_on_two_teams_or_none() -> None:
    assert fit_note([]) == fit_note(season(("ant", "bee", 50, 0, 0))) == ""


def test_games_of_more_than_two_are_not_tested() -> None:
    assert fit_note([many(1, 2, 3), many(2, 1, 3)]) == NOT_TESTED


def test_a_large_field_is_tested_where_somebody_asks(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(words, "MOST_THREES", 0)
    assert fit_note(circle(50)) == TOO_LARGE
    assert "ant beats bee" in fit_note(circle(50), even_large=True)


def test_what_only_repeats_is_one_game() -> None:
    """Every game of a circle again and again, as programs without chance play it, is a circle of three games."""
    games = [Outcome(teams=each.teams, map="m", winner=1, ranks=(1, 2), digest=str(each.teams)) for each in circle(50)]
    assert fit_note(games) == FEW


def test_the_hardest_opponent_is_the_one_that_most_surely_is() -> None:
    games = season(("ant", "bee", 1, 1, 18), ("ant", "cat", 0, 0, 1), ("bee", "cat", 5, 0, 5))
    hardest = hardest_opponents(games)
    assert hardest == {"ant": Hardest("bee", "won 1 of 20, 1 tied")}


def test_the_hardest_opponent_in_games_of_three() -> None:
    games = [many(1, 2, 3) for _ in permutations("abc")]
    assert hardest_opponents(games) == {"bee": Hardest("ant", "won 0 of 6"), "cat": Hardest("ant", "won 0 of 6")}
