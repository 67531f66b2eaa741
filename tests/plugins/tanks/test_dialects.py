"""Every dialect differs from the reference in a small game, and by its switch alone."""

from __future__ import annotations

import random
from dataclasses import fields, replace

import pytest
from tests.plugins.tanks.games import Played, births, play

from tiltyard_tanks.rules import DIALECTS, REFERENCE, Order

SWITCHES = {
    "reference": set[str](),
    "short-cooldown": {"reload_rounds"},
    "two-ahead": {"shell_start"},
    "tanks-first": {"order"},
    "one-by-one": {"order"},
    "sudden-end": {"ends_mid_round"},
    "no-meetings": {"half_way_meetings"},
    "zero-shells-39": {"zero_shells_rounds"},
    "zero-shells-all": {"zero_shells_count"},
    "no-zero-shells": {"zero_shells_count"},
    "info-at-once": {"info_at_once"},
}


@pytest.mark.parametrize("dialect", DIALECTS)
def test_dialect_turns_one_switch(dialect: str) -> None:
    rules = DIALECTS[dialect][0]
    turned = {field.name for field in fields(rules) if getattr(rules, field.name) != getattr(REFERENCE, field.name)}
    assert turned == SWITCHES[dialect]


@pytest.mark.parametrize("dialect", DIALECTS)
def test_random_games_come_to_an_end(dialect: str) -> None:
    chance = random.Random(dialect)
    for _ in range(60):
        players = chance.choice([2, 2, 2, 3, 9])
        symbols = "      ##@" + "123456789"[:players]
        width, height = chance.randint(2, 9), chance.randint(1, 8)
        rows = ["".join(chance.choice(symbols) for _ in range(width)) for _ in range(height)]
        scripts = ["".join(chance.choice("FFBLRlrSSSGD") for _ in range(80)) for _ in births(rows)]
        played = play(rows, *scripts, steps=90, shells=chance.randint(0, 3), players=players, rules=dialect)
        assert played.result.rounds == len(played.lines) == len(played.replay.frames)
        assert tuple(played.final) == played.replay.rows_after(played.result.rounds)


# One game a dialect


def last(played: Played) -> str:
    return played.lines[-1]


def test_short_cooldown() -> None:
    rows, script = ["1#", "2 "], "SSSSSS"
    assert [line.split(",")[0] for line in play(rows, script, steps=5).lines][-2:] == ["Shoot (ignored)", "Shoot (ignored)"]
    played = play(rows, script, steps=5, rules="short-cooldown")
    assert [line.split(",")[0] for line in played.lines] == ["Shoot", *["Shoot (ignored)"] * 3, "Shoot"]


def test_two_ahead() -> None:
    rows = ["      1", "2      "]
    assert play(rows, "S", steps=1).final == ["     *1", "2      "]
    assert play(rows, "S", steps=1, rules="two-ahead").final == ["    * 1", "2      "]
    assert play(rows, "S", steps=2, rules="two-ahead").final == ["  *   1", "2      "]


def test_two_ahead_kills_two_squares_away_in_the_round_of_the_shot() -> None:
    assert play(["2 1 "], "", "S").result.rounds == 2
    assert play(["2 1 "], "", "S", rules="two-ahead").result.rounds == 1


def test_two_ahead_fires_even_if_the_tank_dies_in_the_first_half() -> None:
    """The shell of player 1 comes in during the first half-step, the very one in which player 2 shoots."""
    rows = ["2    1", "      "]
    assert play(rows, "DDlD", "S", rules="two-ahead").result.rounds == 3
    played = play(rows, "lDS", "S", steps=3, rules="two-ahead")
    assert (last(played), played.tokens(3)) == ("Shoot (killed), DoNothing", ["*1", "16"])


def test_tanks_first() -> None:
    """A tank steps aside before the shell on the next square moves; by the reference the first half-step kills it."""
    rows, scripts = ["2   1 ", "      "], ("DRF", "S")
    assert last(play(rows, *scripts)) == "MoveForward (killed), DoNothing"
    played = play(rows, *scripts, steps=3, rules="tanks-first")
    assert (last(played), played.final) == ("MoveForward, DoNothing", ["    1*", "2     "])


def test_tanks_first_steps_happen_together() -> None:
    """Unlike one by one: a tank follows another into the square that it leaves."""
    rows, scripts = ["11  ", "   2"], ("F", "F")
    assert play(rows, *scripts, steps=1, rules="tanks-first").final == ["1  1", "   2"]


def test_one_by_one() -> None:
    """The tank that is first in birth order leaves before the other comes; in the wrong order they collide."""
    leaving_first, entering_first = [" 11 ", "   2"], ["22  ", "   1"]
    assert play(leaving_first, "F", "F", steps=1, rules="one-by-one").final == ["11  ", "   2"]
    assert play(entering_first, "F", "F", steps=1).final == [" 22 ", "   1"]
    assert play(entering_first, "F", "F", rules="one-by-one").final == ["    ", "   1"]


def test_one_by_one_judges_each_tank_on_the_board_of_that_moment() -> None:
    """Player 1 shoots the weak wall down; player 2 comes later in birth order and steps through at once."""
    rows = ["#1 ", "2  ", "   "]
    scripts = ("SDDDDS", "LDDDDF")
    assert last(play(rows, *scripts, steps=6)) == "Shoot, MoveForward (ignored)"
    assert last(play(rows, *scripts, steps=6, rules="one-by-one")) == "Shoot, MoveForward"


def test_one_by_one_destroyed_tanks_no_longer_act() -> None:
    rows, scripts = ["1 ", "2 "], ("LS", "LS")
    assert last(play(rows, *scripts, steps=2)) == "Shoot, Shoot"
    assert last(play(rows, *scripts, rules="one-by-one")) == "Shoot, Shoot (killed)"


def test_sudden_end() -> None:
    """The shell kills in the first half of round 3; the reference still plays the second half, with a step in it."""
    rows, scripts = ["2   1", "     "], ("", "SDF")
    assert play(rows, *scripts).final == ["   1 ", "     "]
    played = play(rows, *scripts, rules="sudden-end")
    assert (played.final, last(played)) == (["    1", "     "], "DoNothing (killed), MoveForward")


def test_no_meetings() -> None:
    assert play(["21  "], "F", "F").final == ["    "]
    assert play(["21  "], "F", "F", steps=1, rules="no-meetings").final == ["12  "]


def test_no_meetings_of_shells_and_tanks() -> None:
    """Shell and tank swap squares unharmed; shells that swap squares fly on."""
    played = play(["2    1"], "DDF", "S", steps=3, rules="no-meetings")
    assert played.final == ["*2   1"]
    played = play(["2    1"], "S", "S", steps=2, rules="no-meetings")
    assert played.tokens(2) == ["22", "*6", "*2", "16"]


def test_zero_shells_39() -> None:
    rows = ["1  2"]
    assert play(rows, shells=0).result.rounds == 41
    result = play(rows, shells=0, rules="zero-shells-39").result
    assert (result.reason, result.rounds) == ("ZERO_SHELLS", 40)


def test_zero_shells_all() -> None:
    """A tank takes its only shell along when it drives onto a mine."""
    rows, scripts = ["1 # ", "@1  ", "#2  "], ("S", "F", "S")
    assert play(rows, *scripts, shells=1).result.reason == "ZERO_SHELLS"
    assert play(rows, *scripts, shells=1, rules="zero-shells-all").result.reason == "MAX_STEPS"
    assert play(["1#", "#2"], "S", "S", shells=1, rules="zero-shells-all").result.rounds == 41


def test_no_zero_shells() -> None:
    assert play(["1  2"], shells=0).result.reason == "ZERO_SHELLS"
    assert play(["1  2"], shells=0, rules="no-zero-shells").result.reason == "MAX_STEPS"


def test_info_at_once() -> None:
    """Killed in the first half-step: the answer was there before."""
    rows, scripts = ["2   1"], ("DDG", "S")
    assert play(rows, *scripts).views == []
    played = play(rows, *scripts, rules="info-at-once")
    assert (played.views, last(played)) == ([["%*  1"]], "GetBattleInfo (killed), DoNothing")


def test_info_at_once_ignores_what_the_rules_ignore() -> None:
    played = play(["1   2"], "BGGG", steps=4, rules="info-at-once")
    assert len(played.views) == 1
    ignored = "GetBattleInfo (ignored), DoNothing"
    assert played.lines[1:] == [ignored, ignored, "GetBattleInfo, DoNothing"]


# Switches in company


@pytest.mark.parametrize("order", ["tanks-first", "one-by-one"])
def test_a_new_shell_spent_on_a_wall_holds_no_other_shell_back(order: str) -> None:
    """The second shot brings the wall down; the older shell that arrives there in the same round flies on."""
    rows = ["      ", "   #1 ", "      ", "   1  ", "      ", "2     "]
    played = play(rows, "SDDDDS", "RDDDSD", steps=6, rules=order)
    assert played.board(5) == ["      ", "   #1 ", "   *  ", "   1  ", "      ", "2     "]
    assert played.board(6) == ["   *  ", "    1 ", "      ", "   1  ", "      ", "2     "]


@pytest.mark.parametrize(("start", "ahead"), [(1, 1), (2, 2), (3, 3)])
@pytest.mark.parametrize("order", [Order.TANKS_FIRST, Order.ONE_BY_ONE])
def test_new_shells_of_tanks_that_act_first(order: Order, start: int, ahead: int) -> None:
    played = play(["       1", "2       "], "S", steps=1, rules=replace(REFERENCE, order=order, shell_start=start))
    assert played.board(1)[0].index("*") == 7 - ahead


def test_one_by_one_with_answers_at_once_answers_once() -> None:
    rules = replace(DIALECTS["one-by-one"][0], info_at_once=True)
    assert play(["1  2"], "GD", "DD", steps=2, rules=rules).views == [["%  2"]]
