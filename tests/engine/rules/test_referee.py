"""The GameManager that follows from a game's rules: turns, answers at once, chance, faults, limits, recording."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from random import Random
from typing import Any

import pytest
from tests.engine.rules.small_games import Bids, Hand, Nim, OpenNim, Pile

from tiltyard_engine.match import Match
from tiltyard_engine.records import TurnTeam
from tiltyard_engine.replay import NullRecorder, Recorder, ReplayRecorder
from tiltyard_engine.results import GameResult, Termination
from tiltyard_engine.rules import Rules
from tiltyard_engine.rules.referee import RulesGameManager, ShortMatch
from tiltyard_engine.seat_kinds.inline import InlineTurnSeat
from tiltyard_engine.seats import TurnSeat
from tiltyard_engine.turns import TurnAlgorithm

Choose = Callable[[Any], Any]


class Player(TurnAlgorithm[Any, Any]):
    """Answers by a function."""

    def __init__(self, choose: Choose) -> None:
        self.answer = choose

    def choose(self, position: Any) -> Any:
        return self.answer(position)


class FailsAtOnce(Player):
    """Crashes when it is shown the first position."""

    def start(self, position: Any) -> None:
        raise RuntimeError("no")


def play(
    rules: Rules[Any, Any],
    board: Any,
    *players: Choose | TurnAlgorithm[Any, Any],
    seed: int = 0,
    recorder: Recorder | None = None,
    verbose: bool = False,
) -> tuple[GameResult, list[InlineTurnSeat[Any, Any]]]:
    seats: list[InlineTurnSeat[Any, Any]] = []
    for number, player in enumerate(players, start=1):
        algorithm = player if isinstance(player, TurnAlgorithm) else Player(player)
        team = TurnTeam(f"p{number}", "small", partial(_same, algorithm))
        seats.append(InlineTurnSeat(number, team, int))
    match: Match[Any, TurnSeat[Any, Any]] = Match(
        map=board, map_name="m", seats=seats, seed=seed, recorder=recorder or NullRecorder(), verbose=verbose
    )
    return RulesGameManager(rules).run(match), seats


def _same(algorithm: TurnAlgorithm[Any, Any], seat: int) -> TurnAlgorithm[Any, Any]:
    return algorithm


def take(stones: int) -> Choose:
    return lambda pile: min(stones, pile.stones)


def test_a_match_by_turns() -> None:
    recorder = ReplayRecorder("small", ["p1", "p2"])
    result, _ = play(Nim(), 5, take(1), take(3), recorder=recorder, verbose=True)
    assert (result.winner, result.reason, result.rounds, result.ranks) == (1, "LAST_STONE", 3, (1, 2))
    assert result.message == "Player 1 won"
    assert result.final_state == ("." * 20,)
    assert result.log == "player 1: take 1\nplayer 2: take 3\nplayer 1: take 1\nPlayer 1 won\n"
    assert [frame.actions for frame in recorder.replay.frames] == [("take 1", ""), ("", "take 3"), ("take 1", "")]
    assert list(recorder.replay.all_rows())[-1] == result.final_state


def test_answers_at_once_hidden_hands_and_chance() -> None:
    seen: list[Hand] = []

    def lowest(hand: Hand) -> int:
        seen.append(hand)
        return hand.cards[0]

    one, _ = play(Bids(), 4, lowest, lowest, lowest, seed=7)
    assert {type(view) for view in seen} == {Hand}
    assert (one.rounds, one.reason) == (4, "NO_CARDS")
    again, _ = play(Bids(), 4, lowest, lowest, lowest, seed=7)
    other, _ = play(Bids(), 4, lowest, lowest, lowest, seed=8)
    assert again == one
    assert seen[0] == seen[12]
    assert seen[0] != seen[24]
    assert other.scores != one.scores
    assert one.ranks == tuple(1 + sum(more > own for more in one.scores) for own in one.scores)


@pytest.mark.parametrize(("answer", "termination"), [(4, Termination.ILLEGAL_MOVE), ("two", Termination.PROTOCOL)])
def test_who_fails_loses_to_the_other(answer: object, termination: Termination) -> None:
    result, seats = play(Nim(), 5, take(1), lambda pile: answer)
    assert (result.winner, result.reason, result.rounds) == (1, "FAULT", 1)
    assert result.message == "Player 1 won by a fault"
    assert seats[1].fault is not None
    assert seats[1].fault.termination is termination
    if termination is Termination.ILLEGAL_MOVE:
        assert seats[1].fault.message == "4 is not a legal answer; legal: 1, 2, 3"


def test_of_three_the_others_tie_where_the_rules_say_nothing_else() -> None:
    result, _ = play(Nim(), 9, take(1), lambda pile: 9, take(1))
    assert (result.winner, result.ranks, result.reason) == (0, (1, 3, 1), "FAULT")
    assert result.message == "Players 1 and 3 share first place: not all players could go on"


def test_the_others_play_on_where_the_rules_say_from_where() -> None:
    recorder = ReplayRecorder("small")
    result, seats = play(OpenNim(), 7, take(1), lambda pile: 9, take(2), recorder=recorder)
    assert (result.reason, result.rounds) == ("LAST_STONE", 5)
    assert (result.winner, result.ranks) == (1, (1, 3, 2))
    assert recorder.replay.frames[1].actions == ("", "is out: illegal move", "")
    assert sum(frame.actions[1] != "" for frame in recorder.replay.frames) == 1
    assert [seat.fault is not None for seat in seats] == [False, True, False]


class StillToMove(OpenNim):
    """Says who is out, and goes on asking the same player."""

    def without(self, position: Pile, seat: int) -> Pile:
        return replace(position, out=(*position.out, seat))


class BothTake(StillToMove):
    """All take at once, also who is out."""

    def to_move(self, position: Pile) -> Sequence[int]:
        return (1, 2)

    def play(self, position: Pile, answers: Mapping[int, int], chance: Random) -> Pile:
        return replace(position, stones=max(0, position.stones - sum(answers.values())))


def test_rules_that_ask_only_who_is_out_are_told() -> None:
    with pytest.raises(ValueError, match=r"to_move\(\) names player 2, who is out: without\(\) must let others move"):
        play(StillToMove(), 7, take(1), lambda pile: 9)
    result, seats = play(BothTake(), 7, take(1), lambda pile: 9)
    assert (result.winner, result.ranks, result.rounds) == (1, (1, 2), 7)
    assert [seat.fault is not None for seat in seats] == [False, True]


def test_nobody_is_left() -> None:
    result, _ = play(OpenNim(), 7, lambda pile: 9, lambda pile: 9)
    assert (result.winner, result.ranks, result.reason) == (0, (1, 1), "FAULT")


def test_all_are_asked_before_anybody_goes() -> None:
    asked: list[int] = []

    def bid(seat: int) -> Choose:
        def choose(hand: Hand) -> int:
            asked.append(seat)
            return 99 if seat < 3 else hand.cards[0]

        return choose

    result, _ = play(Bids(), 2, bid(1), bid(2), bid(3))
    assert asked == [1, 2, 3]
    assert (result.winner, result.ranks) == (3, (2, 2, 1))


def test_a_crash_before_the_first_turn() -> None:
    result, seats = play(Nim(), 5, FailsAtOnce(take(1)), take(1))
    assert (result.winner, result.rounds) == (2, 0)
    assert seats[0].fault is not None
    assert seats[0].fault.termination is Termination.CRASH


def test_a_match_ends_after_the_most_moves() -> None:
    class Endless(Nim):
        most_moves = 4

        def play(self, position: Pile, answers: Any, chance: Any) -> Pile:
            return position

    result, _ = play(Endless(), 5, take(1), take(1))
    assert (result.winner, result.reason, result.rounds, result.message) == (0, "MOVE_LIMIT", 4, "Tie after 4 moves")


def test_a_short_match_goes_as_the_whole_one_does() -> None:
    seen: list[Pile] = []

    def watch(pile: Pile) -> int:
        seen.append(pile)
        return 1

    result, _ = play(Nim(), ShortMatch(9, 3), watch, watch)
    assert (result.rounds, result.reason) == (3, "MOVE_LIMIT")
    assert seen == [Pile(9), Pile(8, 2), Pile(7)]


def test_whether_it_is_recorded_decides_nothing() -> None:
    players: Sequence[Choose] = (take(2), take(3))
    plain, _ = play(Nim(), 18, *players)
    recorded, _ = play(Nim(), 18, *players, recorder=ReplayRecorder("small"))
    assert plain == recorded
